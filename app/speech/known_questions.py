"""The questions that a small model knows, and which of them somebody means.

A Thinker of a few million weights knows its answers by heart, but hardly recognises a question in words that it has not
met. A sentence encoder does: on its vectors one linear layer tells the known questions apart. What was heard or typed
reaches the Thinker in the wording of the known question that is meant, after the earlier turns that belong to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from app.speech.errors import DamagedModelError
from app.speech.interfaces import KnownQuestion
from app.speech.weights import read_json, read_tensors

WEIGHTS, LIST = "known.safetensors", "known.json"
#: Inverse of the temperature of the classes' probabilities.
SHARPNESS = 20.0
#: Characters of an interrupted answer by which it is still recognised.
_LEAST_HEARD = 12


class KnownQuestions:
    """Tells which known question a sentence stands for."""

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor,
        questions: Sequence[KnownQuestion],
        classes: Sequence[int],
        after: Sequence[str],
        *,
        unheard: int,
        doubtful: int,
        certainty: float,
        follow_up: float,
    ) -> None:
        """`weight` [C, D] and `bias` [C] of the linear layer. Class c stands for `questions[classes[c]]`, and where
        `after[c]` is not empty it is meant only when that, or its beginning, was the last answer, and then `follow_up`
        (in logits) more likely. `unheard`: the question in place of no words at all; `doubtful`: in place of one whose
        probability is below `certainty`.
        """
        self._weight, self._bias = SHARPNESS * weight, SHARPNESS * bias
        self._questions, self._classes = list(questions), list(classes)
        self._after = list(map(_plain, after))
        self._free = torch.tensor([not one for one in self._after])
        self._unheard, self._doubtful = unheard, doubtful
        self._certainty, self._follow_up = certainty, follow_up

    @classmethod
    def load(cls, folder: Path) -> KnownQuestions:
        """Read `known.safetensors` and `known.json` of a model folder. Raises DamagedModelError."""
        tensors, listing = read_tensors(folder / WEIGHTS), read_json(folder / LIST)
        try:
            questions = [
                KnownQuestion(str(one["question"]), tuple((str(q), str(a)) for q, a in one["turns"]))
                for one in listing["questions"]
            ]
            classes, after = [int(one) for one in listing["classes"]], [str(one) for one in listing["after"]]
            weight, bias = tensors["weight"].float(), tensors["bias"].float()
            if not len(weight) == len(bias) == len(classes) == len(after) or not set(classes) <= {
                *range(len(questions))
            }:
                raise ValueError("its parts do not belong together")
            return cls(
                weight, bias, questions, classes, after,
                unheard=int(listing["unheard"]), doubtful=int(listing["doubtful"]),
                certainty=float(listing["certainty"]), follow_up=float(listing["follow_up"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedModelError(f"{folder / LIST} lacks or garbles a field: {error}.") from error

    def meant(self, text: str, vector: Tensor, last_answer: str) -> KnownQuestion | None:
        """The known question that `text`, whose vector [D] of unit length is given, stands for after `last_answer`.

        None for one that the network knows best as it is asked.
        """
        if not any(character.isalnum() for character in text):
            return self._questions[self._unheard]
        logits = self._weight @ vector + self._bias
        last = _plain(last_answer)
        fits = self._free if not last else self._free | torch.tensor([_is_part(last, one) for one in self._after])
        logits = torch.where(fits, logits + self._follow_up * ~self._free, -torch.inf)
        best = int(logits.argmax())
        if float(torch.softmax(logits, 0)[best]) < self._certainty:
            return self._questions[self._doubtful]
        found = self._questions[self._classes[best]]
        return found if found.question else None


def _is_part(heard: str, answer: str) -> bool:
    """Whether `heard` is the answer, or so much of it as was heard before an interruption."""
    return heard == answer or (len(heard) >= _LEAST_HEARD and answer.startswith(heard.rstrip(".,!? ")))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
