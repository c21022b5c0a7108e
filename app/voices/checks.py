"""The coach: what is good and what is not about a clip, each in one sentence that says what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.voices.clip import Clip
from app.voices.speakers import two_speakers

LEAST_SPEECH_S = 1.8
WANTED_SPEECH_S = 3.0
MOST_SPEECH_S = 10.0

_QUIET_DB, _FAINT_DB = -42.0, -34.0
_NOISY_DB, _CLEAN_DB = 10.0, 20.0
_CLIPPED_FRAMES = 4
_CLIPPED_SHARE = 0.06
_SPEECH_SHARE = 0.5

CONTEXT = "VoiceCoach"


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Marks `text` for Qt's translation tool, which knows this name; the window translates it."""
    return text


class Aspect(StrEnum):
    """What is looked at."""

    LENGTH = "length"
    LEVEL = "level"
    CLIPPING = "clipping"
    NOISE = "noise"
    SILENCE = "silence"
    SPEAKERS = "speakers"


class Verdict(StrEnum):
    """How it is: good, usable though not good, or bad."""

    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"


@dataclass(frozen=True)
class Check:
    """One aspect of a clip. `template` is an English sentence with the places `{value}`, `{least}`."""

    aspect: Aspect
    verdict: Verdict
    template: str
    value: float = 0.0

    def sentence(self, template: str = "") -> str:
        """The advice, in the words of `template` where given (a translation of its own)."""
        words = template or self.template
        return words.format(value=f"{self.value:.1f}", whole=round(self.value), least=round(WANTED_SPEECH_S))


def check(clip: Clip) -> tuple[Check, ...]:
    """All aspects of a clip, in the order of `Aspect`."""
    return (_length(clip), _level(clip), _clipping(clip), _noise(clip), _silence(clip), _speakers(clip))


def usable(checks: tuple[Check, ...]) -> bool:
    """Whether a voice can be made at all: there is enough speech."""
    return all(one.verdict != Verdict.BAD for one in checks if one.aspect == Aspect.LENGTH)


def _length(clip: Clip) -> Check:
    found = clip.speech_s
    if found < LEAST_SPEECH_S:
        text = QT_TRANSLATE_NOOP(
            "VoiceCoach", "Only {value} s of speech were found: speak for at least {least} seconds."
        )
        return Check(Aspect.LENGTH, Verdict.BAD, text, found)
    if found < WANTED_SPEECH_S:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "{value} s of speech can do, but {least} seconds or more sound better.")
        return Check(Aspect.LENGTH, Verdict.FAIR, text, found)
    if found > MOST_SPEECH_S:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "{whole} s of speech are plenty: only the best part is used.")
        return Check(Aspect.LENGTH, Verdict.GOOD, text, found)
    text = QT_TRANSLATE_NOOP("VoiceCoach", "{value} s of speech: long enough.")
    return Check(Aspect.LENGTH, Verdict.GOOD, text, found)


def _level(clip: Clip) -> Check:
    level = clip.speech_level_db
    if level < _QUIET_DB:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "Too quiet: speak closer to the microphone, or turn its level up.")
        return Check(Aspect.LEVEL, Verdict.BAD, text, level)
    if level < _FAINT_DB:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "Rather quiet: a little closer to the microphone would be better.")
        return Check(Aspect.LEVEL, Verdict.FAIR, text, level)
    return Check(Aspect.LEVEL, Verdict.GOOD, QT_TRANSLATE_NOOP("VoiceCoach", "Loud enough."), level)


def _clipping(clip: Clip) -> Check:
    frames = int((clip.clipped & clip.speech).sum())
    share = frames / max(1, int(clip.speech.sum()))
    if frames >= _CLIPPED_FRAMES and share >= _CLIPPED_SHARE:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "Overdriven: move away from the microphone, or turn its level down.")
        return Check(Aspect.CLIPPING, Verdict.BAD, text, share)
    if frames >= _CLIPPED_FRAMES:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "Some peaks seem cut off: speak a little more softly, or step back.")
        return Check(Aspect.CLIPPING, Verdict.FAIR, text, share)
    return Check(Aspect.CLIPPING, Verdict.GOOD, QT_TRANSLATE_NOOP("VoiceCoach", "No peaks are cut off."), share)


def _noise(clip: Clip) -> Check:
    apart = clip.speech_level_db - clip.noise_level_db if clip.speech.any() else 0.0
    if apart < _NOISY_DB:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "Very noisy: choose a quiet room, and switch off fans and music.")
        return Check(Aspect.NOISE, Verdict.BAD, text, apart)
    if apart < _CLEAN_DB:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "Some noise behind the voice: a quieter place would be better.")
        return Check(Aspect.NOISE, Verdict.FAIR, text, apart)
    return Check(Aspect.NOISE, Verdict.GOOD, QT_TRANSLATE_NOOP("VoiceCoach", "Quiet behind the voice."), apart)


def _silence(clip: Clip) -> Check:
    share = float(np.mean(clip.speech)) if len(clip.speech) else 0.0
    if not clip.speech.any():
        text = QT_TRANSLATE_NOOP("VoiceCoach", "No speech was heard: choose a clip in which somebody speaks.")
        return Check(Aspect.SILENCE, Verdict.BAD, text, share)
    if share < _SPEECH_SHARE:
        text = QT_TRANSLATE_NOOP("VoiceCoach", "Long silences: speak without a break, such as by reading aloud.")
        return Check(Aspect.SILENCE, Verdict.FAIR, text, share)
    return Check(Aspect.SILENCE, Verdict.GOOD, QT_TRANSLATE_NOOP("VoiceCoach", "No long silences."), share)


def _speakers(clip: Clip) -> Check:
    if two_speakers(clip):
        text = QT_TRANSLATE_NOOP("VoiceCoach", "There seem to be two voices: use a clip of one person alone.")
        return Check(Aspect.SPEAKERS, Verdict.FAIR, text)
    return Check(Aspect.SPEAKERS, Verdict.GOOD, QT_TRANSLATE_NOOP("VoiceCoach", "One voice, as far as can be told."))
