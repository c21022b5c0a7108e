"""What counts as a sign of listening."""

from __future__ import annotations

import pytest

from app.conversation.backchannel import is_backchannel


@pytest.mark.parametrize("text", ["mm-hm", "Uh huh.", "yeah", "Right.", "okay", "oh really", "I see", "", "...", "嗯"])
def test_signs_of_listening(text: str) -> None:
    assert is_backchannel(text)


@pytest.mark.parametrize(
    "text", ["Stop!", "wait", "No.", "hold on", "What?", "but why", "tell me a joke", "that is wrong", "not like that"]
)
def test_interruptions(text: str) -> None:
    assert not is_backchannel(text)
