"""Colours, type and the style sheet of the window, in a light and a dark dress. Spacing is a grid of 8."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyleFactory, QWidget

GRID = 8
COLUMN_WIDTH = 760
RADIUS = 16
# Chinese characters have other shapes in Japan, and a system that is not Chinese may take those.
CHINESE = (
    "PingFang SC",
    "Microsoft YaHei UI",
    "Microsoft YaHei",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
)
_FACTOR, _WEIGHT = "banterTextSize", "banterTextWeight"


@dataclass(frozen=True)
class Colours:
    """One dress. Text on its ground keeps a contrast of at least 4.5 to 1."""

    ground: str
    surface: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    on_accent: str
    mine: str
    mine_text: str
    danger: str
    danger_ground: str
    dark: bool


LIGHT = Colours(
    ground="#f5f4f0",
    surface="#ffffff",
    raised="#ebeae4",
    border="#dcdad2",
    text="#1d2328",
    muted="#5a636b",
    accent="#0f766e",
    accent_hover="#0c645d",
    on_accent="#ffffff",
    mine="#d5ebe6",
    mine_text="#12332f",
    danger="#b3401f",
    danger_ground="#fbe9e2",
    dark=False,
)

DARK = Colours(
    ground="#14181b",
    surface="#1e2428",
    raised="#2a3137",
    border="#343d44",
    text="#e9edef",
    muted="#a0abb3",
    accent="#4cc2b1",
    accent_hover="#6bd3c4",
    on_accent="#06231f",
    mine="#1d4a45",
    mine_text="#e3f5f1",
    danger="#ff9a7b",
    danger_ground="#3d241c",
    dark=True,
)


class Events(QObject):
    """Tells whoever lays something out by the size of its text.

    Signals: `dressed()` after `apply`, once all widgets have their colours and fonts.
    """

    dressed = Signal()


events = Events()
_now = LIGHT
_less_motion = False
# The system's font, before it was made larger or smaller.
_font: QFont | None = None
_text_scale = 1.0


def colours() -> Colours:
    """The dress in use."""
    return _now


def apply(app: QApplication, scheme: Qt.ColorScheme | None = None) -> Colours:
    """Dress `app` for `scheme`, by default the system's. Widgets that paint themselves repaint through it."""
    global _now
    wanted = scheme if scheme is not None else QGuiApplication.styleHints().colorScheme()
    _now = DARK if wanted == Qt.ColorScheme.Dark else LIGHT
    if app.style().name().lower() != "fusion":
        app.setStyle(QStyleFactory.create("Fusion"))
    app.setPalette(_palette(_now))
    app.setStyleSheet(_style_sheet(_now))
    # With a new sheet, Qt gives each widget back the font that it had under its first one.
    for widget in app.allWidgets():
        factor = widget.property(_FACTOR)
        if factor is not None:
            widget.setFont(sized(app.font(), factor, widget.property(_WEIGHT)))
    events.dressed.emit()
    return _now


def set_text_scale(app: QApplication, scale: float) -> None:
    """Make all text `scale` times as large as the system has it; takes full effect with the next `apply`."""
    global _font, _text_scale
    if scale == _text_scale:
        return
    if _font is None:
        _font = QFont(app.font())
    _text_scale = scale
    app.setFont(sized(_font, scale))


def prefer_chinese(app: QGuiApplication) -> None:
    """Take Chinese characters, where the system's font has none, from a font with those of the mainland."""
    font, there = app.font(), QFontDatabase.families()
    before = font.families()
    font.setFamilies([*before, *(name for name in CHINESE if name in there and name not in before)])
    app.setFont(font)


def text_scale() -> float:
    """How large text is, compared with the system's."""
    return _text_scale


def set_size(widget: QWidget, factor: float, weight: QFont.Weight = QFont.Weight.Normal) -> None:
    """Write on `widget` `factor` times as large as elsewhere, whatever size the user chooses meanwhile."""
    widget.setProperty(_FACTOR, factor)
    widget.setProperty(_WEIGHT, weight)
    widget.setFont(sized(QApplication.font(), factor, weight))


def set_less_motion(less: bool) -> None:
    """Whether the person asked Banter for less animation; takes effect with the next `apply`."""
    global _less_motion
    _less_motion = less


def reduced_motion() -> bool:
    """Whether the person asked for less animation, here or in the system."""
    if _less_motion:
        return True
    hints = getattr(QGuiApplication.styleHints(), "accessibility", None)
    motion = getattr(hints(), "motionPreference", None) if hints else None
    if motion is not None and motion().name == "ReducedMotion":
        return True
    style = QApplication.style()
    return style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0


def sized(font: QFont, factor: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """`font` scaled by `factor`, which keeps to the size that the person has chosen in the system."""
    result = QFont(font)
    if font.pointSizeF() > 0:
        result.setPointSizeF(font.pointSizeF() * factor)
    else:
        result.setPixelSize(round(font.pixelSize() * factor))
    result.setWeight(weight)
    return result


def _palette(c: Colours) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for where, colour in {
        role.Window: c.ground,
        role.WindowText: c.text,
        role.Base: c.surface,
        role.AlternateBase: c.raised,
        role.Text: c.text,
        role.PlaceholderText: c.muted,
        role.Button: c.surface,
        role.ButtonText: c.text,
        role.BrightText: c.danger,
        role.ToolTipBase: c.surface,
        role.ToolTipText: c.text,
        role.Highlight: c.accent,
        role.HighlightedText: c.on_accent,
        role.Link: c.accent,
        role.Light: c.raised,
        role.Mid: c.border,
        role.Dark: c.border,
    }.items():
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(c.muted))
    return palette


def _style_sheet(c: Colours) -> str:
    return f"""
QToolTip {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.border}; padding: 4px 8px; }}
QWidget#header, QWidget#transcriptBody {{ background: {c.ground}; border: none; }}
QScrollArea#transcript {{ background: {c.ground}; border: 2px solid transparent; border-radius: 8px; }}
QScrollArea#transcript[ring="true"] {{ border-color: {c.accent}; }}
QLabel#title {{ font-weight: 600; }}
QLabel[muted="true"] {{ color: {c.muted}; }}
QLabel[bad="true"] {{ color: {c.danger}; }}

QFrame#dock {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: {RADIUS + 4}px; }}
QFrame#panel {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 0; }}
QWidget#voiceList, QScrollArea#voiceScroll {{ background: {c.surface}; border: none; }}
QFrame#rule {{ background: {c.border}; border: none; }}
QFrame#banner {{ background: {c.danger_ground}; border: none; border-radius: 12px; }}
QFrame#banner QLabel {{ color: {c.text}; background: transparent; }}

QFrame[bubble="mine"] {{ background: {c.mine}; border: none; border-radius: {RADIUS}px;
    border-bottom-right-radius: 4px; }}
QFrame[bubble][chosen="true"] {{ border: 2px solid {c.accent}; }}
QFrame[bubble="mine"] QLabel {{ color: {c.mine_text}; background: transparent; }}
QFrame[bubble="theirs"] {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: {RADIUS}px;
    border-bottom-left-radius: 4px; }}
QFrame[bubble="theirs"] QLabel {{ color: {c.text}; background: transparent; }}
QFrame[bubble] QLabel[muted="true"] {{ color: {c.muted}; }}
QFrame[bubble="mine"] QLabel[muted="true"] {{ color: {c.mine_text}; }}

QFrame#tool {{ background: {c.ground}; border: 1px solid {c.border}; border-radius: 12px; }}
QFrame#tool QLabel {{ background: transparent; }}
QListWidget#notes {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 12px; outline: none;
    padding: 6px; }}
QListWidget#notes:focus {{ border: 2px solid {c.accent}; padding: 5px; }}
QListWidget#notes::item {{ padding: 8px 10px; border-radius: 10px; color: {c.text}; border: 1px solid transparent; }}
QListWidget#notes::item:hover {{ background: {c.raised}; }}
QListWidget#notes::item:selected {{ background: {c.mine}; color: {c.mine_text}; }}
QListWidget#notes:focus::item:focus {{ border-color: {c.accent}; }}
QFrame#ring {{ background: {c.mine}; border: 1px solid {c.accent}; border-radius: {RADIUS}px; }}
QFrame#ring QLabel {{ background: transparent; color: {c.mine_text}; }}
QFrame#chip {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 17px; }}
QFrame#chip QLabel {{ background: transparent; }}

QPushButton {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.border}; border-radius: 12px;
    padding: 0 16px; min-height: 40px; }}
QPushButton:hover {{ background: {c.raised}; }}
QPushButton:pressed {{ background: {c.border}; }}
QPushButton:focus, QComboBox:focus, QLineEdit:focus {{ border: 2px solid {c.accent}; }}
QPushButton:disabled {{ color: {c.muted}; background: {c.surface}; }}
QPushButton:checked {{ background: {c.mine}; color: {c.mine_text}; border-color: {c.accent}; }}
QPushButton[warns="true"]:checked {{ background: {c.danger_ground}; border-color: {c.danger}; }}
QPushButton[kind="danger"] {{ color: {c.danger}; border-color: {c.danger}; }}
QPushButton[kind="danger"]:hover {{ background: {c.danger_ground}; }}
QPushButton[kind="danger"]:focus {{ border: 2px solid {c.danger}; }}
QPushButton[kind="primary"] {{ background: {c.accent}; color: {c.on_accent}; border: 2px solid {c.accent};
    font-weight: 600; }}
QPushButton[kind="primary"]:hover {{ background: {c.accent_hover}; border-color: {c.accent_hover}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {c.text}; }}
QPushButton[kind="primary"]:disabled {{ background: {c.raised}; color: {c.muted}; border-color: {c.raised}; }}
QPushButton[kind="primary"][held="true"] {{ background: {c.danger}; border-color: {c.danger};
    color: {c.surface}; }}
QPushButton[kind="square"] {{ padding: 0; min-width: 42px; max-width: 42px; }}
QPushButton[kind="chip"] {{ background: {c.surface}; border-radius: 17px; min-height: 32px;
    padding: 0 16px; }}
QPushButton[kind="chip"]:hover {{ border-color: {c.accent}; background: {c.mine}; color: {c.mine_text}; }}
QPushButton[kind="chip"]:focus {{ border: 2px solid {c.accent}; }}
QPushButton[kind="bare"] {{ background: transparent; border: 1px solid transparent; padding: 0;
    min-width: 32px; max-width: 32px; min-height: 32px; }}
QPushButton[kind="bare"]:hover {{ background: {c.raised}; }}
QPushButton[kind="bare"]:focus {{ border: 2px solid {c.accent}; }}
QPushButton[kind="small"] {{ background: transparent; border: none; border-radius: 8px; padding: 0;
    min-width: 30px; max-width: 30px; min-height: 30px; }}
QPushButton[kind="small"]:hover {{ background: {c.raised}; }}
QPushButton[kind="foot"] {{ background: transparent; border: 1px solid transparent; border-radius: 6px;
    color: {c.muted}; text-align: left; padding: 0 1px 0 0; min-height: 20px; }}
QPushButton[kind="foot"]:hover, QPushButton[kind="foot"]:checked {{ background: transparent; color: {c.text}; }}
QPushButton[kind="foot"]:focus {{ border: 1px solid {c.accent}; }}
QPushButton[kind="quiet"] {{ background: transparent; border: 1px solid transparent; border-radius: 10px;
    color: {c.muted}; text-align: left; padding: 0 10px; min-height: 32px; }}
QPushButton[row="true"] {{ color: {c.text}; }}
QPushButton[row="true"]:checked {{ background: {c.mine}; color: {c.mine_text}; border-color: transparent; }}
QPushButton[row="true"]:checked:focus {{ border: 2px solid {c.accent}; }}
QPushButton[kind="menu"] {{ text-align: left; padding: 0 32px 0 14px; min-height: 32px; }}
QPushButton[kind="quiet"]:hover {{ background: {c.raised}; color: {c.text}; }}
QPushButton[kind="quiet"]:focus {{ border: 2px solid {c.accent}; }}
QPushButton[kind="quiet"]::menu-indicator {{ image: none; width: 0; }}

QFrame#sidebar {{ background: {c.surface}; border: none; border-right: 1px solid {c.border}; }}
QListView#conversations {{ background: transparent; border: none; outline: none; }}
QLineEdit#search {{ min-height: 34px; padding: 0 8px; }}
QLineEdit#rename {{ min-height: 0; padding: 0 7px; background: {c.surface}; border: 2px solid {c.accent}; }}
QFrame#undo {{ background: {c.raised}; border: none; border-radius: 12px; }}
QMenu {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.border}; padding: 4px; }}
QMenu::item {{ padding: 6px 20px 6px 12px; border-radius: 6px; }}
QMenu::item:selected {{ background: {c.mine}; color: {c.mine_text}; }}
QMenu::item:disabled {{ color: {c.muted}; }}
QMenu::separator {{ height: 1px; background: {c.border}; margin: 4px 8px; }}

QWidget#preferences, QScrollArea#page, QWidget#pageBody {{ background: {c.ground}; border: none; }}
QFrame#card {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: {RADIUS}px; }}
QFrame#card QLabel {{ background: transparent; }}
QFrame#segments {{ background: {c.ground}; border: 1px solid {c.border}; border-radius: 12px; }}
QListWidget#pages {{ background: transparent; border: none; outline: none; }}
QListWidget#pages::item {{ min-height: 38px; padding: 0 10px; border-radius: 10px; color: {c.text};
    border: 2px solid transparent; }}
QListWidget#pages::item:hover {{ background: {c.raised}; }}
QListWidget#pages::item:selected {{ background: {c.mine}; color: {c.mine_text}; }}
QListWidget#pages::item:selected:focus {{ border-color: {c.accent}; }}
QSpinBox {{ background: {c.ground}; color: {c.text}; border: 1px solid {c.border}; border-radius: 12px;
    min-height: 36px; selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
QSpinBox QLineEdit {{ background: transparent; border: none; padding: 0 12px; min-height: 0; }}
QSpinBox::up-button, QSpinBox::down-button {{ width: 0; border: none; }}
QSpinBox:focus {{ border: 2px solid {c.accent}; }}

QLineEdit {{ background: {c.ground}; color: {c.text}; border: 1px solid {c.border}; border-radius: 12px;
    padding: 0 14px; min-height: 40px; selection-background-color: {c.accent};
    selection-color: {c.on_accent}; placeholder-text-color: {c.muted}; }}
QPlainTextEdit {{ background: {c.ground}; color: {c.text}; border: 1px solid {c.border}; border-radius: 12px;
    padding: 6px 10px; selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
QPlainTextEdit:focus {{ border: 2px solid {c.accent}; padding: 5px 9px; }}
QLineEdit:disabled {{ color: {c.muted}; }}

QComboBox {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.border}; border-radius: 12px;
    padding: 0 8px 0 14px; min-height: 32px; }}
QComboBox:hover {{ background: {c.raised}; }}
QComboBox:disabled {{ color: {c.muted}; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox QAbstractItemView {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.border};
    selection-background-color: {c.mine}; selection-color: {c.mine_text}; outline: none; padding: 4px; }}
QComboBox QAbstractItemView::item {{ min-height: 32px; padding: 0 8px; }}

QSlider::groove:horizontal {{ height: 4px; background: {c.raised}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {c.accent}; border-radius: 2px; }}
QSlider::handle:horizontal {{ background: {c.accent}; width: 14px; height: 14px; margin: -5px 0;
    border-radius: 7px; }}
QSlider::handle:horizontal:focus {{ background: {c.surface}; border: 4px solid {c.text}; width: 10px; height: 10px;
    margin: -7px 0; border-radius: 9px; }}

QProgressBar {{ background: {c.raised}; border: none; border-radius: 2px; max-height: 4px; }}
QProgressBar::chunk {{ background: {c.accent}; border-radius: 2px; }}

QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {c.border}; border-radius: 4px; min-height: 32px; margin: 2px; }}
QScrollBar::handle:vertical:hover {{ background: {c.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: transparent; height: 0; }}
"""
