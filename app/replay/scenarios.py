"""Small conversations that try the turn-taking: what the user does, and what the room does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.conversation.ports import Samples
from app.omni.turn import INPUT_RATE
from app.replay.microphone import Echo
from app.replay.speech import Synthesiser
from app.replay.user import Line, Script

TASKS = PAUSE, SMOOTH, INTERRUPTION, BACKCHANNEL, NOISE, ECHO, DOUBLE_TALK = (
    "pause",
    "end of turn",
    "interruption",
    "backchannel",
    "noise",
    "echo",
    "interruption in echo",
)

_START_S = 0.6
_HALVES = (
    ("I would really like to know", "how I can get more sleep."),
    ("Could you please tell me", "what the fastest animal is?"),
)
_PAUSES_S = (0.5, 1.0, 1.5, 2.0)
_QUESTIONS = (
    "Tell me a joke.",
    "What can you do?",
    "What is the fastest animal?",
    "How do I get more sleep?",
    "I am feeling a bit homesick.",
    "Why are the leaves of my plant turning yellow?",
)
_INTERRUPTIONS = (
    "Wait, please stop, I have another question.",
    "No, that is not what I meant.",
    "Hold on, what is the capital of France?",
    "Sorry, can you tell me a riddle instead?",
)
_BACKCHANNELS = ("mm-hmm", "uh-huh", "okay", "right")
_INTO_REPLY_S = 0.6
_ROOMS = (Echo(-30.0, 0.06), Echo(-20.0, 0.12), Echo(-6.0, 0.04), Echo(-6.0, 0.2))


@dataclass(frozen=True)
class Scenario:
    """One conversation. `question` ends the user's turn; in it a pause begins at sample `pause`, if there is one.

    `event` is what comes into the reply: an interruption, a sign of listening, a noise. `question` None: nobody
    asks anything.
    """

    name: str
    task: str
    script: Script
    question: Line | None
    event: Line | None = None
    pause: int | None = None
    echo: Echo | None = None


def scenarios(synthesiser: Synthesiser) -> Iterator[Scenario]:
    """All of them, always the same ones. Raises SynthesisError."""
    say = synthesiser.say
    for number, (first_half, second_half) in enumerate(_HALVES):
        for pause_s in _PAUSES_S:
            first = Line(say(first_half, number), _START_S)
            second_at = _START_S + len(first.samples) / INPUT_RATE + pause_s
            second = Line(say(second_half, number), second_at)
            script = Script([first, second])
            name = f"pause {pause_s:g} s, {number + 1}"
            yield Scenario(name, PAUSE, script, second, pause=first.last)
    for number, text in enumerate(_QUESTIONS):
        question = Line(say(text, number), _START_S)
        yield Scenario(f"end of turn {number + 1}", SMOOTH, Script([question]), question)
    for number, text in enumerate(_INTERRUPTIONS):
        question = Line(say(_QUESTIONS[number], number), _START_S)
        event = Line(say(text, number), _INTO_REPLY_S, reply=1)
        yield Scenario(f"interruption {number + 1}", INTERRUPTION, Script([question, event]), question, event)
    for number, text in enumerate(_BACKCHANNELS):
        question = Line(say(_QUESTIONS[number], number), _START_S)
        event = Line(say(text, number), _INTO_REPLY_S, reply=1)
        yield Scenario(f"backchannel {text}", BACKCHANNEL, Script([question, event]), question, event)
    yield from _noises(synthesiser)
    for number, room in enumerate(_ROOMS):
        question = Line(say(_QUESTIONS[number], number), _START_S)
        yield Scenario(_in(room), ECHO, Script([question]), question, echo=room)
    for number, room in enumerate(_ROOMS[2:]):
        question = Line(say(_QUESTIONS[number], number), _START_S)
        event = Line(say(_INTERRUPTIONS[number], number), _INTO_REPLY_S, reply=1)
        name = f"interruption in {_in(room)}"
        yield Scenario(name, DOUBLE_TALK, Script([question, event]), question, event, echo=room)


def _in(room: Echo) -> str:
    return f"echo {room.gain_db:.0f} dB {room.delay_s * 1000:.0f} ms"


def _noises(synthesiser: Synthesiser) -> Iterator[Scenario]:
    """Noise under a whole conversation, noises into a reply, and noise with nobody there."""
    rng = np.random.default_rng(5)
    into = {
        "bursts of noise": _bursts(rng, 4, 0.25, -25.0),
        "clicks": _bursts(rng, 12, 0.004, -15.0),
        "babble 10 dB below": _babble(synthesiser, 3.0, -33.0),
    }
    for number, (name, sound) in enumerate(into.items()):
        question = Line(synthesiser.say(_QUESTIONS[number], number), _START_S)
        event = Line(sound, 0.2, reply=1)
        yield Scenario(name, NOISE, Script([question, event]), question, event)
    question = Line(synthesiser.say(_QUESTIONS[3], 3), _START_S)
    under = Line(_pink(rng, 8.0, -43.0), 0.0)
    yield Scenario("steady noise 20 dB below", NOISE, Script([under, question]), question)
    yield Scenario("noise and nobody there", NOISE, Script([Line(_pink(rng, 6.0, -30.0), 0.0)]), None)


def _pink(rng: np.random.Generator, seconds: float, decibels: float) -> Samples:
    """Noise that falls by 3 dB an octave."""
    count = round(seconds * INPUT_RATE)
    spectrum = np.fft.rfft(rng.standard_normal(count))
    spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), 1.0))
    return _at_level(np.fft.irfft(spectrum, count), decibels)


def _bursts(rng: np.random.Generator, count: int, length_s: float, decibels: float) -> Samples:
    """`count` bursts of white noise, 150 ms apart, each of which dies away."""
    length = round(length_s * INPUT_RATE)
    gap = np.zeros(round(0.15 * INPUT_RATE), np.float32)
    fall = np.exp(-np.linspace(0.0, 4.0, length))
    return np.concatenate(
        [np.append(_at_level(rng.standard_normal(length) * fall, decibels), gap) for _ in range(count)]
    )


def _babble(synthesiser: Synthesiser, seconds: float, decibels: float) -> Samples:
    """Several people at once, somewhere else in the room."""
    mix = np.zeros(round(seconds * INPUT_RATE))
    for number, text in enumerate((*_INTERRUPTIONS, *_QUESTIONS)):
        voice = synthesiser.say(text, number + 1)
        mix += np.resize(voice, len(mix))
    return _at_level(mix, decibels)


def _at_level(samples: np.ndarray, decibels: float) -> Samples:
    gain = 10 ** (decibels / 20) / float(np.sqrt(np.mean(np.square(samples))))
    return np.asarray(np.clip(samples * gain, -1.0, 1.0), np.float32)
