"""The window of the settings: a list of pages at the left, the page at the right."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.gui import icons, theme
from app.gui.preferences.answers import AnswersPage
from app.gui.preferences.desktop import DesktopPage
from app.gui.preferences.larger_model import LargerModelPage
from app.gui.preferences.look import LookPage
from app.gui.preferences.page import Page
from app.gui.preferences.privacy import PrivacyPage
from app.gui.preferences.sound import SoundPage
from app.gui.preferences.talking import TalkingPage
from app.settings import Settings

SIZE = QSize(780, 640)
LEAST_HEIGHT = 420


class PreferencesWindow(QWidget):
    """All settings. Whatever is changed is in force at once, so there is nothing to confirm.

    Signals: `changed(dict)` from the names of settings to their new values; the pages have some of their own.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("preferences")
        self.setWindowTitle(self.tr("Settings"))
        self.sound = SoundPage(self.tr("Sound"))
        self.talking = TalkingPage(self.tr("Conversation"))
        self.look = LookPage(self.tr("Appearance"))
        self.answers = AnswersPage(self.tr("Answers"))
        self.larger_model = LargerModelPage(self.tr("Larger model"))
        self.desktop = DesktopPage(self.tr("Desktop"))
        self.privacy = PrivacyPage(self.tr("Privacy"))
        self._pages: dict[str, Page] = {
            "headset": self.sound,
            "talk": self.talking,
            "appearance": self.look,
            "answers": self.answers,
            "bulb": self.larger_model,
            "desktop": self.desktop,
            "privacy": self.privacy,
        }
        self.list = QListWidget()
        self.list.setObjectName("pages")
        self.list.setAccessibleName(self.tr("Pages of the settings"))
        self.list.setIconSize(QSize(20, 20))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.stack = QStackedWidget()
        for page in self._pages.values():
            self.list.addItem(QListWidgetItem(page.accessibleName()))
            self.stack.addWidget(page)
            page.changed.connect(self.changed)
        self.list.currentRowChanged.connect(self.stack.setCurrentIndex)
        self.restore = QPushButton(self.tr("&Restore defaults"))
        self.restore.setToolTip(self.tr("Set everything on this page to what it was at first"))
        self.restore.clicked.connect(lambda: self.page().restore())
        self.done = QPushButton(self.tr("Close"))
        self.done.setToolTip(self.tr("Everything is saved already (Esc)"))
        self.done.clicked.connect(self.close)
        self._arrange()
        for keys in (QKeySequence(Qt.Key.Key_Escape), QKeySequence(QKeySequence.StandardKey.Close)):
            QShortcut(keys, self).activated.connect(self.close)
        self.list.setCurrentRow(0)
        self._dress()
        self._fit()
        theme.events.dressed.connect(self._fit)

    def page(self) -> Page:
        """The page that is shown."""
        page = self.stack.currentWidget()
        assert isinstance(page, Page)
        return page

    def go_to(self, page: Page) -> None:
        """Show `page`."""
        self.list.setCurrentRow(self.stack.indexOf(page))

    def show_settings(self, settings: Settings) -> None:
        """Show `settings` on all pages, without telling anybody."""
        for page in self._pages.values():
            page.show_settings(settings)
        # They may show more now.
        self._fit()

    def _arrange(self) -> None:
        self._side = side = QFrame()
        side.setObjectName("sidebar")
        inner = QVBoxLayout(side)
        inner.setContentsMargins(12, 16, 12, 12)
        inner.addWidget(self.list)
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 12, 24, 16)
        foot.addWidget(self.restore)
        foot.addStretch(1)
        foot.addWidget(self.done)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.stack, 1)
        right.addLayout(foot)
        across = QHBoxLayout(self)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(0)
        across.addWidget(side)
        across.addLayout(right, 1)
        # Within a page the tab order is that of its rows.
        for before, after in pairwise((self.list, *self._pages.values(), self.restore, self.done)):
            QWidget.setTabOrder(before, after)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "done"):
            self._dress()

    def _dress(self) -> None:
        for number, name in enumerate(self._pages):
            self.list.item(number).setIcon(icons.icon(name, theme.colours().text))

    def _fit(self) -> None:
        """Leave room for the widest words, and for every page."""
        metrics = self.list.fontMetrics()
        widest = max(metrics.horizontalAdvance(page.accessibleName()) for page in self._pages.values())
        self.list.setFixedWidth(widest + 76)
        screen = (self.screen() or QGuiApplication.primaryScreen()).availableGeometry()
        least = self._side.minimumSizeHint().width() + max(page.minimumContentWidth() for page in self._pages.values())
        self.setMinimumSize(min(least, screen.width()), min(LEAST_HEIGHT, screen.height()))
        if not self.isVisible():
            self.resize(SIZE.expandedTo(self.minimumSize()).boundedTo(screen.size()))
