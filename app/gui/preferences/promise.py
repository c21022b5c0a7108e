"""What leaves this computer, in a headline and in a sentence or two."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.brain.address import BrainError, read_address
from app.settings import Settings

translate = QCoreApplication.translate


def promise(settings: Settings) -> tuple[str, str]:
    """The headline and more, as true as the settings make it."""
    host, model = _larger_model(settings)
    headline = translate("Promise", "Nothing leaves this computer")
    more = translate(
        "Promise",
        "Your voice is understood, answered and kept here. The network is used only for models that you download.",
    )
    if host:
        headline = translate("Promise", "Your words may leave this computer")
        more = translate(
            "Promise",
            "Your voice is understood and kept here, but questions, and what was said before them, go to {host} as "
            "text.",
        ).format(host=host)
    elif settings.weather and not settings.offline:
        headline = translate("Promise", "Your voice stays on this computer")
        more = translate("Promise", "It is understood, answered and kept here.")
    elif model:
        more = translate("Promise", "Your voice is understood, answered and kept here.")
    if model and not host:
        about = translate("Promise", "Questions go to {model} too, which runs on this computer.").format(model=model)
        more = _both(more, about)
    if settings.weather and not settings.offline:
        about = translate("Promise", "Only when you ask for the weather, the name of the place goes to open-meteo.com.")
        more = _both(more, about)
    return headline, more


def _both(first: str, second: str) -> str:
    return translate("Promise", "{first} {second}").format(first=first, second=second)


def _larger_model(settings: Settings) -> tuple[str, str]:
    """The computer where the larger model is, "" for this one, and its name; both "" where none is asked."""
    if not settings.brain or not settings.brain_model:
        return "", ""
    try:
        address = read_address(settings.brain_address)
    except BrainError:
        return "", ""
    if address.is_here:
        return "", settings.brain_model
    return (address.host, settings.brain_model) if settings.brain_anywhere and not settings.offline else ("", "")
