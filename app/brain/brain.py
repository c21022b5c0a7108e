"""Asks a larger model, each question on a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.brain.address import Address, BrainError
from app.brain.prompt import messages
from app.brain.request import USUAL, Bounds, CutError, Request
from app.brain.sentences import Sentences
from app.omni.turn import Exchange

# An answer that is listened to; what comes after it is left out.
MOST_CHARACTERS = 1_200
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Brain:
    """`conversation.ports.Brain`: `model` at `address`, within `bounds`. `english`: as in `Sentences`."""

    address: Address
    model: str
    on_sentence: Callable[[int, str], None]
    on_end: Callable[[int, str], None]
    english: bool = True
    bounds: Bounds = USUAL

    @property
    def source(self) -> str:
        """Where its words come from, for the transcript."""
        if self.address.is_here:
            return f"From {self.model} on this computer"
        return f"From {self.model} at {self.address.host}"

    def ask(self, number: int, question: str, history: Iterable[Exchange]) -> Callable[[], None]:
        """Ask `question` after `history`; returns at once, with what gives it up.

        On another thread `on_sentence(number, sentence)` is called for each sentence as soon as it is complete, and
        `on_end(number, problem)` at the end, `problem` being "" or one sentence. Neither is, once it is given up.
        """
        asking = _Asking(self, number, messages(question, history, english=self.english))
        threading.Thread(target=asking.run, name="brain", daemon=True).start()
        return asking.give_up


class _Asking:
    def __init__(self, brain: Brain, number: int, said: list[dict[str, str]]) -> None:
        self._brain = brain
        self._number = number
        self._said = said
        self._request = Request(brain.address, brain.bounds)
        self._given_up = threading.Event()

    def give_up(self) -> None:
        self._given_up.set()
        self._request.cut()

    def run(self) -> None:
        problem = ""
        try:
            for sentence in spoken_answer(self._request, self._brain.model, self._said, self._brain.english):
                if self._given_up.is_set():
                    return
                self._brain.on_sentence(self._number, sentence)
        except CutError:
            return
        except BrainError as error:
            problem = str(error)
        except Exception:
            _log.exception("asking %s", self._brain.model)
            problem = f"Something went wrong while {self._brain.model} answered: ask again."
        if not self._given_up.is_set():
            self._brain.on_end(self._number, problem)


def spoken_answer(request: Request, model: str, said: list[dict[str, str]], english: bool = True) -> Iterable[str]:
    """The sentences of the answer of `model` to the messages `said`, each as soon as it is complete.

    Raises BrainError, with the sentences given so far being all there is, and CutError.
    """
    sentences, length = Sentences(english=english), 0
    for piece in request.words(model, said):
        for sentence in sentences.take(piece):
            length += len(sentence)
            yield sentence
            if length >= MOST_CHARACTERS:
                request.cut()
                return
    for sentence in sentences.finish():
        length += len(sentence)
        yield sentence
    if not length:
        raise BrainError(f"{model} answered nothing that can be said: ask again, or choose another model.")
