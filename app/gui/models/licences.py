"""Who made a model and its parts, and under which licences they may be used."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFont
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from app.gui import icons, theme
from app.gui.tall_dialog import TallDialog
from app.hub.catalogue import Package

WIDTH = 520


class LicencesDialog(TallDialog):
    """The packages of a model. A licence opens in the user's browser; Banter itself fetches nothing for it."""

    def __init__(self, model: str, packages: Sequence[Package], parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self.setWindowTitle(self.tr("Licences of {model}").format(model=model))
        self.setModal(True)
        title = QLabel(self.tr("Licences of {model}").format(model=model))
        title.setWordWrap(True)
        theme.set_size(title, 1.35, QFont.Weight.DemiBold)
        self.column.addWidget(title)
        self.links: list[QPushButton] = []
        for package in reversed(packages):
            self.column.addWidget(self._card(package))
        self.column.addStretch(1)
        self.leave = QPushButton(self.tr("Close"))
        self.leave.clicked.connect(self.accept)
        self.foot.addStretch(1)
        self.foot.addWidget(self.leave)
        self._dress()
        self.fit()
        self.leave.setFocus()

    def _card(self, package: Package) -> QFrame:
        card = QFrame()
        card.setObjectName("card")
        column = QVBoxLayout(card)
        column.setContentsMargins(20, 14, 20, 14)
        column.setSpacing(4)
        name = QLabel(package.title)
        theme.set_size(name, 1.0, QFont.Weight.DemiBold)
        by = QLabel(package.attribution)
        by.setWordWrap(True)
        by.setProperty("muted", True)
        link = QPushButton(package.licence.name)
        link.setProperty("kind", "foot")
        link.setAutoDefault(False)
        link.setIconSize(QSize(16, 16))
        link.setToolTip(package.licence.url)
        link.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(package.licence.url)))
        link.setAccessibleName(
            self.tr("Licence of {part}: {licence}").format(part=package.title, licence=package.licence.name)
        )
        self.links.append(link)
        column.addWidget(name)
        column.addWidget(by)
        column.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "leave"):
            self._dress()

    def _dress(self) -> None:
        for link in self.links:
            link.setIcon(icons.icon("launch", theme.colours().muted, 16))
