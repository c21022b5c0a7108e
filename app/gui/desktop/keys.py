"""The keys that a global hotkey may have, in the words of each system."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence


class Modifier(StrEnum):
    """A modifier, by the name that Qt gives it."""

    CTRL = "Ctrl"
    ALT = "Alt"
    SHIFT = "Shift"
    META = "Meta"


@dataclass(frozen=True)
class Key:
    """A key with its modifiers. `name` and `keysym` are those of X11, `hook` that of pynput: a character or a name."""

    text: str
    modifiers: frozenset[Modifier]
    name: str
    keysym: int
    hook: str


_QT_MODIFIERS = {
    Qt.KeyboardModifier.ControlModifier: Modifier.CTRL,
    Qt.KeyboardModifier.AltModifier: Modifier.ALT,
    Qt.KeyboardModifier.ShiftModifier: Modifier.SHIFT,
    Qt.KeyboardModifier.MetaModifier: Modifier.META,
}
# Name and number in X11, name in pynput ("": it has none).
_SPECIAL = {
    Qt.Key.Key_Space: ("space", 0x20, "space"),
    Qt.Key.Key_Pause: ("Pause", 0xFF13, "pause"),
    Qt.Key.Key_ScrollLock: ("Scroll_Lock", 0xFF14, "scroll_lock"),
    Qt.Key.Key_Insert: ("Insert", 0xFF63, "insert"),
    Qt.Key.Key_Menu: ("Menu", 0xFF67, "menu"),
    Qt.Key.Key_Home: ("Home", 0xFF50, "home"),
    Qt.Key.Key_End: ("End", 0xFF57, "end"),
    Qt.Key.Key_PageUp: ("Prior", 0xFF55, "page_up"),
    Qt.Key.Key_PageDown: ("Next", 0xFF56, "page_down"),
}
# Nobody types with these, so they may be taken without a modifier.
_ALONE = (Qt.Key.Key_Pause, Qt.Key.Key_ScrollLock, Qt.Key.Key_Insert, Qt.Key.Key_Menu)
_FUNCTION_KEYS = range(1, 25)
_F1_KEYSYM = 0xFFBE


def parse(text: str) -> Key | None:
    """The key of a portable text such as "Ctrl+Alt+Space"; None where it cannot be a global hotkey."""
    sequence = QKeySequence.fromString(text, QKeySequence.SequenceFormat.PortableText)
    # The stubs do not know that it can be indexed.
    return of(sequence[0]) if sequence.count() == 1 else None  # type: ignore[index]


def of(combination: QKeyCombination) -> Key | None:
    """What was pressed, as a hotkey; None where it cannot be one."""
    key = Qt.Key(combination.key())
    held = combination.keyboardModifiers()
    modifiers = frozenset(ours for theirs, ours in _QT_MODIFIERS.items() if held & theirs)
    named = _named(key)
    if named is None:
        return None
    types = key not in _ALONE and not _is_function(key)
    if types and not modifiers - {Modifier.SHIFT}:
        return None
    plain = QKeyCombination(held & ~Qt.KeyboardModifier.KeypadModifier, key)
    text = QKeySequence(plain).toString(QKeySequence.SequenceFormat.PortableText)
    return Key(text, modifiers, *named)


def shown(text: str) -> str:
    """`text` as this system writes keys."""
    sequence = QKeySequence.fromString(text, QKeySequence.SequenceFormat.PortableText)
    return sequence.toString(QKeySequence.SequenceFormat.NativeText)


def _is_function(key: Qt.Key) -> bool:
    return Qt.Key.Key_F1 <= key < Qt.Key.Key_F1 + len(_FUNCTION_KEYS)


def _named(key: Qt.Key) -> tuple[str, int, str] | None:
    if _is_function(key):
        number = key - Qt.Key.Key_F1
        return f"F{number + 1}", _F1_KEYSYM + number, f"f{number + 1}"
    if key in _SPECIAL:
        return _SPECIAL[key]
    # Qt's number of a letter or a digit is that of its capital in ASCII.
    if Qt.Key.Key_A <= key <= Qt.Key.Key_Z or Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
        character = chr(key).lower()
        return character, ord(character), character
    return None
