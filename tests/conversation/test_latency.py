"""Where the time from a question to its answer goes, on the virtual clock: all parts add up to what was waited."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.conversation.events import Mode
from app.conversation.latency import Latency, Part, Start, Stopwatch
from app.conversation.timing import Timing
from app.engine import protocol
from app.omni.turn import FRAME_SAMPLES
from tests.conversation.fakes import Rig, stats

CHUNK_MS = 32.0
#: Chunks of quiet until the model is asked, and from then on until the end is certain.
TRIED = Timing().speculative_chunks
REST = Timing().endpoint_chunks - TRIED
STATS = replace(stats(), encode_ms=20.0, prefill_ms=50.0, first_audio_ms=100.0)


def watched(mode: Mode = Mode.OPEN_MIC) -> tuple[Rig, Stopwatch]:
    rig, stopwatch = Rig(mode), Stopwatch()
    rig.conversation.watch = stopwatch
    return rig, stopwatch


def parts(latency: Latency | None) -> dict[Part, float]:
    assert latency is not None
    return dict(latency.parts)


def test_an_answer_made_after_the_end_of_the_question() -> None:
    rig, stopwatch = watched()
    rig.hear(0.9, 30)
    spoken_until = rig.now
    rig.hear(0.05, TRIED + REST)
    rig.now += 0.05
    rig.frames(2)
    stopwatch.stats(1, STATS)
    heard_from = rig.now + 0.04
    latency = stopwatch.latency(1, heard_from)
    assert latency is not None and latency.start == Start.VOICE and latency.heard
    assert latency.total_ms == pytest.approx(1000 * (heard_from - spoken_until))
    # The model was asked after some quiet chunks, and was at work when the end was certain.
    assert parts(latency) == pytest.approx(
        {
            Part.ENDPOINT: TRIED * CHUNK_MS,
            Part.ENCODE: 20.0,
            Part.PREFILL: 50.0,
            Part.FIRST_FRAME: 30.0,
            Part.HANDOVER: REST * CHUNK_MS + 50.0 - 100.0,
            Part.DEVICE: 40.0,
        }
    )
    assert latency.overlap_ms == pytest.approx(REST * CHUNK_MS)


def test_an_answer_made_ahead_waits_for_the_end_of_the_question() -> None:
    rig, stopwatch = watched()
    rig.hear(0.9, 30)
    spoken_until = rig.now
    rig.hear(0.05, TRIED)
    rig.now += 0.1
    # Two frames of silence come before the first sound.
    for level in (0.0, 0.0, 0.1):
        samples = np.full(FRAME_SAMPLES, level, np.float32).tobytes()
        rig.conversation.engine_event(protocol.AudioFrame(rig.engine.number, 0, samples))
        rig.now += 0.01
    rig.hear(0.05, REST)
    stopwatch.stats(1, STATS)
    heard_from = rig.now + 0.03
    latency = stopwatch.latency(1, heard_from)
    assert latency is not None
    assert latency.total_ms == pytest.approx(1000 * (heard_from - spoken_until))
    # 20 ms after the first frame came the one with sound, and 10 ms and the other quiet chunks later it was let out.
    assert parts(latency)[Part.HANDOVER] == pytest.approx(20.0)
    assert parts(latency)[Part.ENDPOINT] == pytest.approx((TRIED + REST) * CHUNK_MS + 10.0)
    assert latency.overlap_ms == pytest.approx(120.0)


def test_a_typed_question_has_no_endpoint() -> None:
    rig, stopwatch = watched()
    rig.conversation.submit_text("hello")
    asked = rig.now
    rig.now += 0.3
    rig.frames(1)
    latency = stopwatch.latency(1, rig.now + 0.05)
    assert latency is not None and latency.start == Start.TYPED
    assert parts(latency) == pytest.approx({Part.MODEL: 300.0, Part.DEVICE: 50.0})
    assert latency.total_ms == pytest.approx(1000 * (rig.now + 0.05 - asked))


def test_with_the_button_time_counts_from_letting_it_go() -> None:
    rig, stopwatch = watched(Mode.PUSH_TO_TALK)
    rig.conversation.talk_pressed()
    rig.hear(0.9, 30)
    rig.hear(0.05, 60)
    rig.conversation.talk_released()
    released = rig.now
    rig.hear(0.05, 6)
    rig.now += 0.2
    rig.frames(1)
    latency = stopwatch.latency(1, None)
    assert latency is not None and latency.start == Start.BUTTON and not latency.heard
    assert latency.total_ms == pytest.approx(1000 * (rig.now - released))


def test_figures_that_cannot_be_true_are_not_shown() -> None:
    rig, stopwatch = watched()
    rig.conversation.submit_text("hello")
    rig.now += 0.05
    rig.frames(1)
    stopwatch.stats(1, STATS)
    assert parts(stopwatch.latency(1, None)) == pytest.approx({Part.MODEL: 50.0})


def test_what_was_never_answered_or_only_said_again_took_no_time() -> None:
    rig, stopwatch = watched()
    rig.ask()
    assert stopwatch.latency(1, None) is None
    rig.conversation.stop()
    rig.conversation.say_again(np.full(48_000, 0.1, np.float32))
    assert stopwatch.latency(2, rig.now) is None
