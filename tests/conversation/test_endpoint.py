"""What has been said so far decides how long the assistant waits for more."""

from __future__ import annotations

import random

import pytest

from app.conversation.endpoint import reads_complete, reads_unfinished, wait_chunks
from app.conversation.timing import Timing
from app.training.corpus import load_intents

COMPLETE = [
    "Could you tell me what the difference is?",
    "When I get home, I feel tired.",
    "How tall is Mount Fuji?",
    "Play something quiet.",
    "Good evening!",
    "Where did you go yesterday?",
    "Who is she?",
    "How late are they?",
    "Is it ready?",
    "When is the longest day of the year?",
    "What do you recommend?",
    "Show me the latest news.",
    "What is air made of?",
    "What does that big canal in Panama do?",
    "Well, can you sing.",
    "I like rain. Do you?",
    "Yes, I can.",
    "Thanks a lot.",
    "今天天气怎么样\N{FULLWIDTH QUESTION MARK}",
]
# Whole, and yet what they are about may still follow.
STATEMENTS = [
    "Show me the way.",
    "I have a cat at home.",
    "My brother is coming next week.",
    "She told me about it yesterday.",
    "What are these for?",
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
    "When I get home from work?",
    "If you go there tomorrow.",
    "Although it was late.",
    "To be honest.",
    "So yesterday.",
    "Last summer.",
    "The thing is.",
    "Please let me know.",
    "Could you recommend?",
    "I would like.",
    "Well, I guess.",
    "It was very.",
    "Can you tell me what is.",
    "The best thing is.",
    "What do you think about?",
    "How many planets are in our?",
    "Set a timer for.",
]
NEITHER = ["", "   ", "how tall is it", "three", "?!"]


@pytest.mark.parametrize("text", COMPLETE)
def test_complete(text: str) -> None:
    assert reads_complete(text) and not reads_unfinished(text)
    assert wait_chunks(text, Timing()) == Timing().complete_chunks


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(text: str) -> None:
    assert reads_complete(text) and not reads_unfinished(text)
    assert wait_chunks(text, Timing()) == Timing().statement_chunks


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
    assert timing.speculative_chunks < timing.complete_chunks < timing.statement_chunks
    assert timing.statement_chunks < timing.endpoint_chunks < timing.unfinished_chunks
    # A question that goes on after an unfinished part is one question, however it is reached.
    assert timing.unfinished_chunks < timing.resume_chunks


def test_held_out_questions_are_rarely_waited_for_and_their_beginnings_mostly() -> None:
    """Wordings that nothing was learnt from, as a recogniser writes them; each cut once where chance has it."""
    rng = random.Random(0)
    questions = [q for intent in load_intents() for q in intent.dev_questions if " " in q]
    begun = [" ".join(q.split()[: rng.randrange(1, len(q.split()))]) for q in questions]
    late = sum(reads_unfinished(f"{q.rstrip('.?!')}.") for q in questions)
    found = sum(reads_unfinished(f"{q.rstrip('.?!,')}.") for q in begun)
    assert late < 0.06 * len(questions)
    assert found > 0.5 * len(begun)
