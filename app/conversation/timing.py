"""How long things take before the conversation acts on them."""

from __future__ import annotations

from dataclasses import dataclass

CHUNK_S = 0.032


@dataclass(frozen=True)
class Timing:
    """Lengths in chunks of 32 ms, or in seconds (`_s`)."""

    open_probability: float = 0.5
    close_probability: float = 0.35
    open_chunks: int = 3
    barge_in_chunks: int = 7
    settling_chunks: int = 12
    duck_chunks: int = 2
    interruption_chunks: int = 26
    aside_gap_chunks: int = 8
    words_s: float = 0.8
    deaf_s: float = 1.0
    run_gap_chunks: int = 5
    echo_costs_chunks: int = 2
    preroll_chunks: int = 10
    speculative_chunks: int = 3
    complete_chunks: int = 11
    statement_chunks: int = 18
    endpoint_chunks: int = 20
    unfinished_chunks: int = 50
    longest_chunks: int = 70
    least_voiced_chunks: int = 6
    most_chunks: int = 1_860
    resume_chunks: int = 57
    reaction_chunks: int = 9
    release_grace_s: float = 0.15
    silent_microphone_s: float = 3.0
    silent_model_s: float = 60.0
    playback_grace_s: float = 5.0
    hold_s: float = 0.3
    still_s: float = 2.0
    late_s: float = 15.0
