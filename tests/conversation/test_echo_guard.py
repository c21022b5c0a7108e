"""The loudness rule that keeps the assistant from hearing itself."""

from __future__ import annotations

import numpy as np

from app.conversation.echo_guard import EchoGuard


def test_headphones_let_a_normal_voice_pass_at_once() -> None:
    guard = EchoGuard()
    assert not guard.is_echo(-35.0, -20.0)
    for _ in range(200):
        guard.is_echo(-75.0, -20.0)
    assert not any(guard.is_echo(-40.0, -20.0) for _ in range(8))


def test_loudspeakers_are_learned_within_the_confirmation_time() -> None:
    rng = np.random.default_rng(1)
    guard = EchoGuard()
    passed = [not guard.is_echo(-30.0 + rng.normal(0, 3), -20.0) for _ in range(500)]
    assert max(_runs(passed)) < 8
    assert sum(passed[8:]) < 20
    assert not any(guard.is_echo(-18.0, -20.0) for _ in range(8))


def test_pauses_of_the_playback_echo_nothing() -> None:
    guard = EchoGuard()
    assert not guard.is_echo(-60.0, -80.0)


def _runs(flags: list[bool]) -> list[int]:
    lengths, current = [0], 0
    for flag in flags:
        current = current + 1 if flag else 0
        lengths.append(current)
    return lengths
