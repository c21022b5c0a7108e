"""What was said so far, as the model is to remember it: answers only as far as they were heard."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from app.omni.turn import OUTPUT_RATE, Exchange

MODEL_EXCHANGES = 3
KEPT_EXCHANGES = 8
# Ordinary English speech. Only used for a reply cut off while it was still being generated, when nobody
# knows yet how long it would have become.
CHARACTERS_PER_SECOND = 15.0


@dataclass
class Reply:
    """One answer as it comes in: `text`, and `samples` of speech (24 kHz) generated so far."""

    text: str = ""
    samples: int = 0
    complete: bool = False

    def heard(self, played: int) -> str:
        """The part of the text that `played` samples at 24 kHz have spoken, in whole words.

        The model writes text faster than it speaks, so the place of a word in the event stream says little
        about when it sounds. Speech is taken to run evenly through the text: the share of the characters
        heard is the share of the samples played. While the reply is incomplete its length is estimated, never
        shorter than what exists.
        """
        total = float(self.samples)
        if not self.complete:
            total = max(total, len(self.text) / CHARACTERS_PER_SECOND * OUTPUT_RATE)
        if played <= 0 or total <= 0:
            return ""
        if played >= total:
            return self.text.strip()
        at = int(len(self.text) * played / total)
        if at < len(self.text) and not self.text[at].isspace():
            # A word that was cut in two was not heard. Languages without spaces are cut at the character.
            space = max((i for i, c in enumerate(self.text[:at]) if c.isspace()), default=-1)
            if any(c.isspace() for c in self.text.strip()):
                at = max(space, 0)
        return self.text[:at].strip()


class History:
    """The exchanges of the conversation that the model may see again."""

    def __init__(self, keep: int = KEPT_EXCHANGES) -> None:
        """Keep the last `keep` exchanges."""
        self._exchanges: deque[Exchange] = deque(maxlen=keep)

    def add(self, question: str, answer: str) -> None:
        """Remember an exchange; one without known words on either side teaches nothing and is left out."""
        question, answer = question.strip(), answer.strip()
        if question and answer:
            self._exchanges.append(Exchange(question, answer))

    def resume(self, exchanges: Iterable[tuple[str, str]]) -> None:
        """Remember these in place of what was said so far: questions and what was heard of their answers."""
        self._exchanges.clear()
        for question, answer in exchanges:
            self.add(question, answer)

    def for_model(self) -> tuple[Exchange, ...]:
        """The exchanges to give to the model, oldest first."""
        return self.all()[-MODEL_EXCHANGES:]

    def all(self) -> tuple[Exchange, ...]:
        """All that are remembered, oldest first: as many as a larger model can use."""
        return tuple(self._exchanges)

    def clear(self) -> None:
        """Forget everything."""
        self._exchanges.clear()
