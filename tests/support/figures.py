"""What the engines of the tests say of a turn that is over."""

from __future__ import annotations

from app.omni.turn import StopReason, TurnStats


def figures(heard: str, reply: str, voice: str, cancelled: bool, frames: int) -> TurnStats:
    """Plausible ones, faster than real time."""
    return TurnStats(
        heard=heard,
        reply=reply,
        voice=voice,
        stop_reason=StopReason.CANCELLED if cancelled else StopReason.EOS,
        seed=1,
        frames=frames,
        audio_seconds=frames * 0.08,
        encode_ms=1.0,
        prefill_ms=1.0,
        first_audio_ms=1.0,
        step_ms_median=10.0,
        step_ms_p95=10.0,
        rtf=0.1,
    )
