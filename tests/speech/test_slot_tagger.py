"""The values of a question: a tagger that learns a few of them, and the calls that are written with it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from app.speech.errors import DamagedModelError
from app.speech.interfaces import Composed, KnownQuestion
from app.speech.known_calls import CallWriter, KnownCall, place_pattern
from app.speech.known_questions import LIST, KnownQuestions
from app.speech.known_questions import WEIGHTS as KNOWN_WEIGHTS
from app.speech.sentence_encoder import SentenceEncoder
from app.speech.slot_tagger import WEIGHTS, SlotTagger, Tagged, piece_states, presence
from app.speech.weights import save_weights
from tests.support.sentences import random_encoder

NAMES = ("seconds", "word")
#: Texts, and the tags of their pieces between those for the beginning and the end.
LEARNT = {
    "time is what now": [0, 0, 3, 4],
    "what is it": [0, 0, 3],
    "is it now": [0, 0, 0],
    "time what now is": [0, 3, 4, 0],
}


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return random_encoder()


@pytest.fixture(scope="module")
def tagger(encoder: SentenceEncoder) -> SlotTagger:
    torch.manual_seed(1)
    made = SlotTagger(NAMES)
    optimiser = torch.optim.Adam(made.parameters(), 3e-3)
    states, mask, _ = piece_states(encoder, list(LEARNT))
    wanted = torch.zeros(mask.shape, dtype=torch.int64)
    for row, found in enumerate(LEARNT.values()):
        wanted[row, 1 : 1 + len(found)] = torch.tensor(found)
    wanted[~mask] = -100
    for _ in range(80):
        loss = F.cross_entropy(made(states).flatten(0, 1), wanted.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return made.eval().requires_grad_(False)


def test_what_was_learnt_is_found(encoder: SentenceEncoder, tagger: SlotTagger) -> None:
    assert tagger.tag(encoder, "Time is  what now").find(NAMES) == {"word": "what now"}
    assert tagger.tag(encoder, "what is it").find(NAMES) == {"word": "it"}
    assert tagger.tag(encoder, "is it now").find(NAMES) == {}
    assert tagger.tag(encoder, "what is it").find(["seconds"]) == {}
    assert tagger.tag(encoder, "what is it").find(["no such name"]) == {}


def test_no_words_have_no_values(encoder: SentenceEncoder, tagger: SlotTagger) -> None:
    assert tagger.tag(encoder, "").find(NAMES) == {}


def test_it_is_the_same_after_saving(encoder: SentenceEncoder, tagger: SlotTagger, tmp_path: Path) -> None:
    save_weights(tagger.state_dict(), tmp_path / WEIGHTS, "float32")
    again = SlotTagger.load(tmp_path, NAMES)
    states, _, _ = piece_states(encoder, list(LEARNT))
    assert torch.allclose(again(states), tagger(states))


def test_names_that_do_not_fit_are_refused(tagger: SlotTagger, tmp_path: Path) -> None:
    save_weights(tagger.state_dict(), tmp_path / WEIGHTS, "float32")
    with pytest.raises(DamagedModelError, match=WEIGHTS):
        SlotTagger.load(tmp_path, ["only one"])
    with pytest.raises(DamagedModelError, match="two slots of one name"):
        SlotTagger.load(tmp_path, ["twice", "twice"])


def test_a_known_question_becomes_a_call(encoder: SentenceEncoder, tagger: SlotTagger, tmp_path: Path) -> None:
    texts = list(LEARNT)
    vectors = encoder.vectors(texts)
    vectors = F.normalize(vectors - vectors.mean(0), dim=-1)
    save_weights({"weight": vectors, "bias": torch.zeros(len(texts))}, tmp_path / KNOWN_WEIGHTS)
    save_weights(tagger.state_dict(), tmp_path / WEIGHTS)
    listing = {
        "questions": [KnownQuestion("I cannot do that")._asdict(), KnownQuestion("I do not know")._asdict()],
        "classes": [0] * len(texts),
        "after": [[], [], [], ["Which {word}?"]],
        "calls": {
            "0": {"tool": "define_word", "arguments": {"word": "{word}"}},
            "1": {"says": "You said {word}."},
            "3": {"tool": "define_word", "arguments": {"word": "{word}"}},
        },
        "slots": NAMES,
        "unheard": 0, "doubtful": 1, "certainty": 0.1, "follow_up": 3.0, "call_certainty": 0.0,
    }  # fmt: skip
    (tmp_path / LIST).write_text(json.dumps(listing), encoding="utf-8")
    known = KnownQuestions.load(tmp_path, encoder)

    def meant(text: str, *turns: tuple[str, str]) -> object:
        return known.meant(text, turns)

    assert meant(texts[0]) == Composed(call='{"name":"define_word","arguments":{"word":"what now"}}')
    assert meant(texts[1]) == Composed(answer="You said it.")
    assert meant(texts[2]) == KnownQuestion("I cannot do that")
    assert meant(texts[3], ("?", "Which now?")) == Composed(
        call='{"name":"define_word","arguments":{"word":"what now"}}'
    )


def test_what_is_left_out_was_said_before(encoder: SentenceEncoder, tagger: SlotTagger) -> None:
    writer = CallWriter(tagger, encoder)
    known = KnownCall("define_word", {"word": "{word}"})
    tagged = writer.tag("is it now")
    assert writer.values(known, tagged) == {}
    assert writer.values(known, tagged, "what is it") == {"word": "it"}
    assert writer.values(known, tagged, "what is it", {"word": "time", "other": "x"}) == {"word": "time"}
    assert writer.values(known, writer.tag("what is it"), "", {"word": "time"}) == {"word": "it"}
    assert writer.compose(known, "is it now", {}) == Composed(call='{"name":"define_word","arguments":{}}')
    assert writer.compose(KnownCall(says="It is {word}."), "is it now", {}) is None
    # Calls are ASCII.
    assert writer.compose(known, "", {"word": " \u2018Z\u00fcrich\u2019s, "}) == Composed(
        call='{"name":"define_word","arguments":{"word":"\'Zurich\'s"}}'
    )


def test_how_likely_a_value_is_there(encoder: SentenceEncoder, tagger: SlotTagger) -> None:
    there = presence(tagger.tag(encoder, "what is it").logits)
    missing = presence(tagger.tag(encoder, "is it now").logits)
    assert there.shape == (len(NAMES),)
    word = NAMES.index("word")
    assert there[word] > 0.9 > 0.1 > missing[word]


def test_the_pattern_of_a_template() -> None:
    pattern = place_pattern("How long (about) does the {label} need, {label}?")
    match = pattern.fullmatch("how long (about) does the red rice need, red rice?")
    assert match and match.groupdict() == {"label": "red rice"}
    assert pattern.fullmatch("How long (about) does the rice need, tea?") is None


@pytest.mark.parametrize(
    ("text", "tags", "found"),
    [
        ("three hundred and fifty three minus forty three", "01220030",
         {"a": "three hundred and fifty three", "b": "forty three"}),
        ("add three and twenty one", "01030", {"a": "three", "b": "twenty one"}),
        ("roll two twenty sided ones", "01300", {"a": "two", "b": "twenty"}),
        ("add 12.5 to one hundred", "01003", {"a": "12.5", "b": "one hundred"}),
        ("call it red tea now", "00100", {"a": "red"}),
    ],
)  # fmt: skip
def test_a_number_is_taken_as_a_whole(text: str, tags: str, found: dict[str, str]) -> None:
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    logits = torch.full((len(spans), 5), -5.0)
    logits[range(len(spans)), [int(tag) for tag in tags]] = 5.0
    assert Tagged(text, logits, spans, ("a", "b")).find(("a", "b")) == found
