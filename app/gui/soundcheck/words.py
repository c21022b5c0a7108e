"""The sound check's findings in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.audio.check import Findings, Reason, Step, Trouble, Way

translate = QCoreApplication.translate


def step(now: Step) -> str:
    """What the check is doing, and what the user is to do."""
    return {
        Step.LISTENING: translate("SoundCheck", "Listening to the room: please be quiet for a moment…"),
        Step.PLAYING: translate("SoundCheck", "Playing the test sound…"),
        Step.WORKING: translate("SoundCheck", "Working it out…"),
    }[now]


def trouble(what: Trouble) -> str:
    """Why the check could not be done, and what helps."""
    return {
        Trouble.NO_MICROPHONE: translate(
            "SoundCheck", "No microphone is open: plug one in or choose another one above."
        ),
        Trouble.NO_SPEAKER: translate("SoundCheck", "No speaker is open: plug one in or choose another one above."),
        Trouble.MUTED: translate(
            "SoundCheck", "The answers are muted: unmute them or turn the volume up, then check again."
        ),
        Trouble.NO_SAMPLES: translate(
            "SoundCheck",
            "The microphone delivers nothing: close other programs that use it, and let Banter use it in the "
            "privacy settings of your system.",
        ),
        Trouble.ALL_ZERO: translate(
            "SoundCheck",
            "The microphone gives no sound at all: check that it is not muted, at the device or in your system, and "
            "that Banter may use it.",
        ),
        Trouble.CUT_OFF: translate("SoundCheck", "The test sound was cut off: check again and let it play to its end."),
    }[what]


def headline(way: Way) -> str:
    """The way of talking, in a few words."""
    return {
        Way.FULL_DUPLEX: translate("SoundCheck", "Open microphone, also during answers"),
        Way.HALF_DUPLEX: translate("SoundCheck", "Open microphone, but not during answers"),
        Way.PUSH_TO_TALK: translate("SoundCheck", "Talk button"),
    }[way]


def reason(why: Reason, found: Findings) -> str:
    """Why it suits, in two sentences at most."""
    text = {
        Reason.NO_ECHO: translate(
            "SoundCheck",
            "Your microphone does not hear the speaker, as with headphones, so you can just speak, even over an "
            "answer. If you did not hear the test sound, turn the volume up or choose another speaker, and check "
            "again.",
        ),
        Reason.ECHO_GONE: translate(
            "SoundCheck",
            "Your microphone hears the speaker, but that echo can be taken out. So you can just speak, even over an "
            "answer.",
        ),
        Reason.ECHO_LEFT: translate(
            "SoundCheck",
            "Too much of the speaker stays in your microphone, and Banter would interrupt itself. So you just speak, "
            "but it does not listen during its answers; press Esc to stop one.",
        ),
        Reason.NO_CANCELLER: translate(
            "SoundCheck",
            "Your microphone hears the speaker, and the echo canceller does not run on this computer. So you just "
            "speak, but Banter does not listen during its answers; press Esc to stop one.",
        ),
        Reason.NOISE: translate(
            "SoundCheck",
            "It is so loud around you ({noise}) that Banter could not tell when you have finished. With the button, "
            "you tell it.",
        ),
        Reason.VOICES: translate(
            "SoundCheck", "Others can be heard around you, and Banter would answer them. With the button, it does not."
        ),
    }[why]
    return text.format(noise=_level(found.noise_db))


def facts(found: Findings) -> list[tuple[str, str]]:
    """What was measured: names and values."""
    rows = [(translate("SoundCheck", "Noise in the room"), _and(_level(found.noise_db), _noise(found.noise_db)))]
    if found.delay_s is None or found.echo_db is None:
        return [*rows, (translate("SoundCheck", "Echo of the speaker"), translate("SoundCheck", "none"))]
    rows.append(
        (
            translate("SoundCheck", "From the speaker to the microphone"),
            translate("SoundCheck", "{ms} ms").format(ms=round(1000 * found.delay_s)),
        )
    )
    rows.append((translate("SoundCheck", "Echo of the speaker"), _level(found.echo_db)))
    if found.left_db is None:
        left = translate("SoundCheck", "the canceller does not run")
    else:
        taken = translate("SoundCheck", "{level} dB taken out").format(level=max(0, round(found.taken_out_db or 0.0)))
        left = _and(_level(found.left_db), taken)
    return [*rows, (translate("SoundCheck", "Left after the echo canceller"), left)]


def _and(level: str, words: str) -> str:
    return translate("SoundCheck", "{level} ({words})").format(level=level, words=words)


def _level(decibels: float) -> str:
    return translate("SoundCheck", "{level} dB").format(level=f"{decibels:.0f}".replace("-", "−"))


def _noise(decibels: float) -> str:
    if decibels < -60.0:
        return translate("SoundCheck", "very quiet")
    return (
        translate("SoundCheck", "quiet")
        if decibels < -48.0
        else translate("SoundCheck", "audible")
        if decibels < -38.0
        else translate("SoundCheck", "loud")
    )
