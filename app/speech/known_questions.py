"""The questions that a small model knows, and which of them somebody means.

A Thinker of a few million weights knows its answers by heart, but hardly recognises a question in words that it has not
met. A sentence encoder does: on its vectors one linear layer tells the known questions apart. What was heard or typed
reaches the Thinker in the wording of the known question that is meant, after the earlier turns that belong to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from app.speech.errors import DamagedModelError
from app.speech.heard_words import as_said
from app.speech.interfaces import Composed, KnownQuestion
from app.speech.known_calls import CallWriter, KnownCall, place_pattern
from app.speech.sentence_encoder import SentenceEncoder
from app.speech.slot_tagger import SlotTagger, Tagged, presence
from app.speech.weights import read_json, read_tensors
from app.tools.words.said import yes_or_no

WEIGHTS, LIST = "known.safetensors", "known.json"
#: Inverse of the temperature of the classes' probabilities.
SHARPNESS = 20.0
#: How much a value counts beside a vector of unit length.
PRESENCE = 0.3
#: Classes of one tool that are tried for one all of whose values are there, and how likely one has to be for that,
#: beside the likeliest.
_TRIED, _LEAST = 4, 0.1
#: Words without which nobody means these days.
_DAYS = {"today": ("today", "tonight"), "tomorrow": ("tomorrow",)}
#: Characters of an interrupted answer by which it is still recognised.
_LEAST_HEARD = 12


class KnownQuestions:
    """Tells which known question a sentence stands for."""

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor,
        encoder: SentenceEncoder,
        questions: Sequence[KnownQuestion],
        classes: Sequence[int],
        after: Sequence[Sequence[str]],
        *,
        unheard: int,
        doubtful: int,
        certainty: float,
        follow_up: float,
        calls: Mapping[int, KnownCall] | None = None,
        call_certainty: float = 0.0,
        writer: CallWriter | None = None,
    ) -> None:
        """`weight` [C, D] and `bias` [C] of the linear layer on the vectors of `encoder`.

        Class c stands for `questions[classes[c]]`, and where `after[c]` is not empty it is meant only when one of
        those, or its beginning, was the last answer, and then `follow_up` (in logits) more likely; they may be
        templates. `unheard`: the question in place of no words at all; `doubtful`: in place of one whose probability is
        below `certainty`. What stands in `calls` by class is written by `writer`; it takes a probability of
        `call_certainty`.
        """
        self._weight, self._bias = SHARPNESS * weight, SHARPNESS * bias
        self._encoder = encoder
        self._questions, self._classes = list(questions), list(classes)
        self._after = {number: [Earlier(one) for one in some] for number, some in enumerate(after) if some}
        self._free = torch.tensor([not some for some in after])
        self._unheard, self._doubtful = unheard, doubtful
        self._certainty, self._follow_up = certainty, follow_up
        self._calls, self._call_certainty, self._writer = dict(calls or {}), call_certainty, writer
        self._written = torch.tensor([number in self._calls for number in range(len(self._classes))])

    @classmethod
    def load(cls, folder: Path, encoder: SentenceEncoder) -> KnownQuestions:
        """Read `known.safetensors` and `known.json` of a model folder, and where calls are in it `slots.safetensors`.

        Raises DamagedModelError.
        """
        tensors, listing = read_tensors(folder / WEIGHTS), read_json(folder / LIST)
        try:
            questions = [
                KnownQuestion(str(one["question"]), tuple((str(q), str(a)) for q, a in one["turns"]))
                for one in listing["questions"]
            ]
            classes = [int(one) for one in listing["classes"]]
            after = [[str(one) for one in some] for some in listing["after"]]
            if any(isinstance(some, str) for some in listing["after"]):
                raise ValueError("after holds lists")
            weight, bias = tensors["weight"].float(), tensors["bias"].float()
            if not len(weight) == len(bias) == len(classes) == len(after) or not set(classes) <= {
                *range(len(questions))
            }:
                raise ValueError("its parts do not belong together")
            calls = {int(key): KnownCall.from_dict(one) for key, one in listing.get("calls", {}).items()}
            writer = None
            if calls:
                writer = CallWriter(SlotTagger.load(folder, [str(one) for one in listing["slots"]]), encoder)
            return cls(
                weight, bias, encoder, questions, classes, after,
                unheard=int(listing["unheard"]), doubtful=int(listing["doubtful"]),
                certainty=float(listing["certainty"]), follow_up=float(listing["follow_up"]),
                calls=calls, call_certainty=float(listing.get("call_certainty", 0.0)), writer=writer,
            )  # fmt: skip
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DamagedModelError(f"{folder / LIST} lacks or garbles a field: {error}.") from error

    def meant(self, text: str, turns: Sequence[tuple[str, str]]) -> KnownQuestion | Composed | None:
        """The known question that `text` stands for after earlier turns (question, answer), or what it comes to.

        None for one that the network knows best as it is asked.
        """
        if self._writer is None:
            return self.choose(text, self._encoder.vectors([text])[0], turns)
        # Where the ears set a mark is a guess: "at five. Past eleven".
        (vector, tagged), *bare = self._writer.read(list(dict.fromkeys((text, as_said(text)))))
        return self.choose(text, vector, turns, tagged, bare[0] if bare else None)

    def choose(
        self,
        text: str,
        vector: Tensor,
        turns: Sequence[tuple[str, str]],
        tagged: Tagged | None = None,
        bare: tuple[Tensor, Tagged] | None = None,
    ) -> KnownQuestion | Composed | None:
        """The same for a text whose vector [D] of unit length, and what values it may hold, are given; and where they
        differ, both for the text without marks."""
        if not any(character.isalnum() for character in text):
            return self._questions[self._unheard]
        repeated = self._repeated(turns[-1][1] if turns else "")
        logits = self._logits(vector, tagged)
        if bare is not None:
            # Marks help to tell questions from each other, but calls are told by their values.
            tagged = bare[1]
            logits = torch.where(self._written, self._logits(*bare), logits)
        chances = self._chances(logits, repeated)
        best = self._settled(int(chances.argmax()), chances, text)
        if best in self._calls and tagged is not None:
            composed = self._composed(text, best, chances, tagged, turns[-1][0] if turns else "", repeated)
            if composed is not None:
                return composed
        if float(chances[best]) < self._certainty:
            return self._questions[self._doubtful]
        found = self._questions[self._classes[best]]
        return found if found.question else None

    def _settled(self, best: int, chances: Tensor, text: str) -> int:
        """`best`, or the class beside it that one word of the text decides for."""
        call = self._calls.get(best)
        if call is None:
            return best
        others: list[int] = []
        day = call.arguments.get("day")
        if day in _DAYS and not any(word in text.lower() for word in _DAYS[day]):
            rest = {key: value for key, value in call.arguments.items() if key != "day"}
            others = [n for n, one in self._calls.items() if one.tool == call.tool and one.arguments == rest]
        elif best in self._after and (agreed := yes_or_no(text)) is not None and bool(call.tool) is not agreed:
            # Of two that follow the same question one does what it asks for, and the other says that it is left.
            after = {one.text for one in self._after[best]}
            others = [n for n in self._calls if after == {one.text for one in self._after.get(n, ())} and n != best]
        return max(others, key=lambda n: float(chances[n]), default=best)

    def _repeated(self, last_answer: str) -> dict[int, dict[str, str]]:
        """The classes that may follow the last answer, and the words of their slots in it."""
        heard = plain(last_answer)
        matches = {
            number: next((words for one in some if (words := one.repeated(heard)) is not None), None)
            for number, some in self._after.items()
            if heard
        }
        return {number: words for number, words in matches.items() if words is not None}

    def _logits(self, vector: Tensor, tagged: Tagged | None) -> Tensor:
        """Logits [C] of the classes, whatever the last answer."""
        if tagged is not None and self._weight.shape[1] > len(vector):
            vector = features(vector, presence(tagged.logits))
        return self._weight @ vector + self._bias

    def _chances(self, logits: Tensor, follows: Iterable[int]) -> Tensor:
        """Probabilities [C] of the classes, of those after an answer only if they may follow the last one."""
        fits = self._free.clone()
        fits[list(follows)] = True
        logits = logits + self._follow_up * ~self._free
        return torch.softmax(torch.where(fits, logits, -torch.inf), 0)

    def _composed(
        self,
        text: str,
        best: int,
        chances: Tensor,
        tagged: Tagged,
        before: str,
        repeated: Mapping[int, Mapping[str, str]],
    ) -> Composed | None:
        """What the class `best` comes to; another one that calls the same tool if only that finds all of its values."""
        assert self._writer is not None
        tool = self._calls[best].tool
        same = [number for number, one in self._calls.items() if one.tool == tool] if tool else [best]
        if float(chances[same].sum()) < self._call_certainty:
            return None
        found: dict[int, dict[str, str]] = {}
        for number in sorted(same, key=lambda one: (one != best, -float(chances[one])))[:_TRIED]:
            known = self._calls[number]
            earlier = before if number in self._after else ""
            found[number] = self._writer.values(known, tagged, earlier, repeated.get(number, {}))
            if len(found[number]) == len(known.slots) and float(chances[number]) >= _LEAST * float(chances[best]):
                return self._writer.compose(known, text, found[number])
        words = self._writer.doubtful_values(self._calls[best], tagged, found[best])
        return self._writer.compose(self._calls[best], text, words)


def features(vectors: Tensor, present: Tensor) -> Tensor:
    """What the layer reads [..., D + N]: the vectors of sentences, and how likely each slot has a value in them."""
    return torch.cat([vectors, PRESENCE * present], -1)


class Earlier:
    """An answer that a question may follow, or a template of it."""

    def __init__(self, answer: str) -> None:
        self.text = plain(answer)
        self._pattern = place_pattern(self.text) if "{" in answer else None

    def repeated(self, heard: str) -> dict[str, str] | None:
        """The words of the slots if `heard`, plainly written, is this answer, or so much of it as was heard before an
        interruption; else None."""
        if self._pattern is not None:
            match = self._pattern.fullmatch(heard)
            return match.groupdict() if match else None
        begun = len(heard) >= _LEAST_HEARD and self.text.startswith(heard.rstrip(".,!? "))
        return {} if heard == self.text or begun else None


def plain(text: str) -> str:
    return " ".join(text.split()).casefold()
