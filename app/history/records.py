"""What is kept of a conversation, as plain data. Times are seconds since 1970."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

TITLE_LENGTH = 60
PICTURE_MOST_BYTES = 200_000
"""No larger picture is kept."""


class Side(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class ToolUse:
    """A tool that was used: its name, how it ended ("done", "failed", "cancelled", "asked", "running") and one line."""

    tool: str
    state: str
    summary: str = ""


@dataclass(frozen=True)
class Message:
    """One message. `key` is its own for ever, and made by whoever writes it first.

    `heard` is set where an answer was cut short: how many characters of `text` were spoken before the cut. `tools` are
    those that were used for a question. `picture` is what the question is about as a small JPEG file, b"" for nothing.
    """

    key: str
    side: Side
    text: str
    time: float
    heard: int | None = None
    voice: str = ""
    sound: bool = False
    tools: tuple[ToolUse, ...] = ()
    picture: bytes = b""

    @property
    def interrupted(self) -> bool:
        """Whether the user cut the answer short."""
        return self.heard is not None

    @property
    def spoken(self) -> str:
        """The part of `text` that reached the other side's ears."""
        return self.text if self.heard is None else self.text[: self.heard].rstrip()

    @property
    def unheard(self) -> str:
        """The rest of `text`."""
        return "" if self.heard is None else self.text[self.heard :].strip()


@dataclass(frozen=True)
class Summary:
    """One conversation in the list. `found` is the piece of a message that a search has found, each match
    between `\\x02` and `\\x03`.
    """

    id: str
    title: str
    begun: float
    changed: float
    found: str = ""


def title_from(question: str) -> str:
    """A title of at most `TITLE_LENGTH` characters, cut between words where there are any."""
    line = " ".join(question.split())
    if len(line) <= TITLE_LENGTH:
        return line
    cut = line[: TITLE_LENGTH - 1]
    space = cut.rfind(" ")
    return cut[: space if space > TITLE_LENGTH // 2 else len(cut)].rstrip(" ,;:.-") + "…"
