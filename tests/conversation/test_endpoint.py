"""What has been said so far decides how long the assistant waits for more."""

from __future__ import annotations

import pytest

from app.conversation.endpoint import reads_complete, reads_unfinished, wait_chunks
from app.conversation.timing import Timing

COMPLETE = [
    "How tall is Mount Fuji?",
    "Play something quiet.",
    "Good evening!",
    "Where did you come from?",
    "What are these for?",
    "Who is she?",
    "How late are they?",
    "What's it like?",
    "Explain what it is.",
    "Yes, I can.",
    "I think so.",
    "Is that so?",
    "Show me the way.",
    'She said "no."',
    "Tell me a story about it.",
    "今天天气怎么样\N{FULLWIDTH QUESTION MARK}",
]
UNFINISHED = [
    "How do I get from the",
    "How do I get from the.",
    "I went to the market and",
    "Do you know, um",
    "Do you know um.",
    "What is the name of?",
    "I was looking for.",
    "So I said to my.",
    "Could you tell me...",
    "Could you tell me?",
    "I wanted to ask.",
    "First of all,",
    "My favourite colour is.",
    "Remind me to.",
    "It rained, so.",
    "If",
    "How often do I have to?",
    "I heard that they.",
    "I'm not sure whether.",
    "Let me -",
]
NEITHER = ["", "   ", "how tall is it", "three", "?!"]


@pytest.mark.parametrize("text", COMPLETE)
def test_complete(text: str) -> None:
    assert reads_complete(text) and not reads_unfinished(text)
    assert wait_chunks(text, Timing()) == Timing().complete_chunks


@pytest.mark.parametrize("text", UNFINISHED)
def test_unfinished(text: str) -> None:
    assert reads_unfinished(text) and not reads_complete(text)
    assert wait_chunks(text, Timing()) == Timing().unfinished_chunks


@pytest.mark.parametrize("text", NEITHER)
def test_neither(text: str) -> None:
    assert not reads_unfinished(text) and not reads_complete(text)
    assert wait_chunks(text, Timing()) == Timing().endpoint_chunks


def test_without_words_the_wait_is_the_usual_one_and_the_others_lie_around_it() -> None:
    timing = Timing()
    assert wait_chunks(None, timing) == timing.endpoint_chunks
    assert timing.speculative_chunks < timing.complete_chunks < timing.endpoint_chunks < timing.unfinished_chunks
    # A question that goes on after an unfinished part is one question, however it is reached.
    assert timing.unfinished_chunks < timing.resume_chunks
