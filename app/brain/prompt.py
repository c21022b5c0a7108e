"""What a larger model is told before the question."""

from __future__ import annotations

from collections.abc import Iterable

from app.omni.turn import Exchange

_ROLE = (
    "You answer for Banter, a voice assistant: everything you write is read aloud. Answer in one to three short spoken "
    "sentences. Write plain words, with no lists, headings, tables, links, code or emoji. If you do not know the "
    "answer, or would have to look it up, say so in one sentence."
)
_ENGLISH = " Always answer in English."


def messages(question: str, history: Iterable[Exchange], *, english: bool = True) -> list[dict[str, str]]:
    """The conversation as the protocol wants it; of answers in `history` only what was heard is there.

    `english`: the voice that speaks the answer knows no other language.
    """
    found = [{"role": "system", "content": _ROLE + (_ENGLISH if english else "")}]
    for one in history:
        found += [{"role": "user", "content": one.q}, {"role": "assistant", "content": one.a}]
    return [*found, {"role": "user", "content": question}]
