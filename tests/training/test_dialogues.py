"""The dialogue files themselves: whose question is whose, and what training must never see."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from app.training.corpus import DATA, FILES, load_intents

HELD_OUT = DATA / "held_out_unknown.jsonl"
MORE = sorted((DATA / "more").glob("*.jsonl"))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def plain(question: str) -> str:
    """The words alone: no case, no punctuation."""
    return " ".join(re.findall(r"[a-z0-9{}_]+", question.lower().replace("'", "")))


@pytest.fixture(scope="module")
def intents() -> dict[str, dict[str, Any]]:
    """Every row of the main files by its id."""
    return {row["id"]: row for name in (*FILES, "tools") for row in rows(DATA / f"{name}.jsonl")}


def test_no_two_intents_own_a_question(intents: dict[str, dict[str, Any]]) -> None:
    """A single word may answer different questions of the assistant, so there the context counts as well."""
    owners: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in (*intents.values(), *(row for path in (*MORE, HELD_OUT) for row in rows(path))):
        context = json.dumps(intents[row["id"]].get("context"))
        for question in row["questions"]:
            words = plain(question)
            owners[words, "" if " " in words else context].add(row["id"])
    assert {question: ids for question, ids in owners.items() if len(ids) > 1} == {}


def test_further_wordings_belong_to_an_intent_and_keep_to_the_schema(intents: dict[str, dict[str, Any]]) -> None:
    for path in (*MORE, HELD_OUT):
        for row in rows(path):
            slots = set(intents[row["id"]].get("slots", {}))
            for question in row["questions"]:
                assert question.isascii(), (path.name, question)
                assert len(question.split()) <= 16, (path.name, question)
                assert set(re.findall(r"{(\w+)}", question)) == slots, (path.name, question)


def test_held_out_unknown_questions_are_never_trained_on(intents: dict[str, dict[str, Any]]) -> None:
    held = {plain(question) for row in rows(HELD_OUT) for question in row["questions"]}
    assert {row["id"] for row in rows(HELD_OUT)} == {i for i, row in intents.items() if row["domain"] == "fallback"}
    taught = {
        plain(question) for intent in load_intents() for question in (*intent.train_questions, *intent.dev_questions)
    }
    assert not held & taught
