"""What the user sees instead of a tool's name, and its icon."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

_KNOWN = {
    "current_time": (QT_TRANSLATE_NOOP("Tools", "Time"), "clock"),
    "current_date": (QT_TRANSLATE_NOOP("Tools", "Date"), "calendar"),
    "day_of_week_for": (QT_TRANSLATE_NOOP("Tools", "Day of the week"), "calendar"),
    "set_timer": (QT_TRANSLATE_NOOP("Tools", "Timer"), "timer"),
    "list_timers": (QT_TRANSLATE_NOOP("Tools", "Your timers"), "timer"),
    "cancel_timer": (QT_TRANSLATE_NOOP("Tools", "Cancel a timer"), "timer"),
    "set_alarm": (QT_TRANSLATE_NOOP("Tools", "Alarm"), "bell"),
    "add_reminder": (QT_TRANSLATE_NOOP("Tools", "Reminder"), "bell"),
    "list_reminders": (QT_TRANSLATE_NOOP("Tools", "Your reminders"), "bell"),
    "take_note": (QT_TRANSLATE_NOOP("Tools", "Note"), "note"),
    "read_notes": (QT_TRANSLATE_NOOP("Tools", "Your notes"), "note"),
    "calculate": (QT_TRANSLATE_NOOP("Tools", "Sum"), "sum"),
    "convert_units": (QT_TRANSLATE_NOOP("Tools", "Units"), "swap"),
    "flip_coin": (QT_TRANSLATE_NOOP("Tools", "Coin"), "dice"),
    "roll_dice": (QT_TRANSLATE_NOOP("Tools", "Dice"), "dice"),
    "pick_random_number": (QT_TRANSLATE_NOOP("Tools", "Random number"), "dice"),
    "get_weather": (QT_TRANSLATE_NOOP("Tools", "Weather"), "cloud"),
    "set_volume": (QT_TRANSLATE_NOOP("Tools", "Volume"), "volume"),
    "media_control": (QT_TRANSLATE_NOOP("Tools", "Player"), "play"),
    "open_application": (QT_TRANSLATE_NOOP("Tools", "Open an application"), "launch"),
    "system_status": (QT_TRANSLATE_NOOP("Tools", "This computer"), "gauge"),
    "change_voice": (QT_TRANSLATE_NOOP("Tools", "Voice"), "waves"),
    "larger_model": (QT_TRANSLATE_NOOP("Tools", "Larger model"), "bulb"),
    "define_word": (QT_TRANSLATE_NOOP("Tools", "Dictionary"), "book"),
}
_STATES = {
    "running": (QT_TRANSLATE_NOOP("Tools", "Working…"), "wait"),
    "done": (QT_TRANSLATE_NOOP("Tools", "Done"), "done"),
    "failed": (QT_TRANSLATE_NOOP("Tools", "Did not work"), "fair"),
    "cancelled": (QT_TRANSLATE_NOOP("Tools", "Stopped"), "close"),
    "asked": (QT_TRANSLATE_NOOP("Tools", "Asked back"), "talk"),
}


def tool_name(tool: str) -> str:
    """The tool in plain words."""
    words, _ = _KNOWN.get(tool, (tool.replace("_", " "), ""))
    return QCoreApplication.translate("Tools", str(words))


def tool_icon(tool: str) -> str:
    """The name of its icon."""
    return _KNOWN.get(tool, ("", "settings"))[1]


def state_name(state: str) -> str:
    """How far it is, in plain words."""
    return QCoreApplication.translate("Tools", str(_STATES.get(state, _STATES["cancelled"])[0]))


def state_icon(state: str) -> str:
    """The name of the icon that says so too."""
    return _STATES.get(state, _STATES["cancelled"])[1]
