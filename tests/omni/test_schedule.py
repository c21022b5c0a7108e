"""The loop's schedule against the conformance vectors, and our own deviations, with a scripted network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from app.omni.config import OmniConfig
from app.omni.generate import Generation, GenerationConfig, GenerationStep, TextControl
from app.omni.prompt import Prompt, build_prompt
from app.omni.sampler import SamplerError, TalkerConfig
from app.omni.stepper import Logits
from app.omni.turn import StopReason
from tests.omni.synthetic import goldens

CONFIG = OmniConfig()
CONTROL = TextControl.of(CONFIG, 234)
NEVER = 10**9


class Script:
    """Text: `first`, then EOS at forward `eos`. Codebook i: the stop from forward `stop + i` on."""

    def __init__(
        self, eos: int, stop: int, first: tuple[int, ...] = (), vary: bool = True, stop_lead: float = 50.0
    ) -> None:
        self.eos, self.stop, self.first, self.vary, self.stop_lead = eos, stop, first, vary, stop_lead
        self.forward = -1
        self.fed: list[tuple[int, list[int]]] = []
        self.text_wanted: list[bool] = []

    def prefill(self, prompt: Prompt, capacity: int, cancelled: Callable[[], bool]) -> Logits:
        return self._logits(True, True)

    def step(self, text_id: int, codes: NDArray[np.int64], *, need_text: bool, need_audio: bool) -> Logits:
        self.fed.append((text_id, codes.tolist()))
        return self._logits(need_text, need_audio)

    def _logits(self, need_text: bool, need_audio: bool) -> Logits:
        self.forward += 1
        self.text_wanted.append(need_text)
        text = np.zeros(CONFIG.vocab_size, dtype=np.float32)
        if self.forward < len(self.first):
            text[self.first[self.forward]] = 100
        else:
            text[CONFIG.eos_token_id if self.forward == self.eos else 1000] = 100
        audio = np.zeros((8, CONFIG.audio_vocab_size), dtype=np.float32)
        for codebook in range(8):
            code = (self.forward * 7 + codebook) % 2000 if self.vary else 5
            audio[codebook, code] = 100
            if self.forward >= self.stop + codebook:
                audio[codebook, CONFIG.audio_stop_token] = 100 + self.stop_lead
        return Logits(text if need_text else None, audio if need_audio else None)


def run(script: Script, config: GenerationConfig, **options: Any) -> tuple[Generation, list[GenerationStep]]:
    prompt = build_prompt(CONFIG, [1000] * 20)
    generation = Generation(script, prompt, config, CONFIG, CONTROL, seed=7, **options)
    return generation, list(generation)


@pytest.mark.parametrize("name", ["S1", "S2", "S3", "S4", "S5"])
def test_schedule_goldens(name: str) -> None:
    case = next(v for k, v in goldens()["schedule"].items() if k.split()[0] == name)
    thinking = name in ("S3", "S4")
    first = (500, 501, 26, 234, 234) if name == "S3" else ()
    config = GenerationConfig.parity(
        max_new_tokens=case.get("max_new_tokens", 512),
        open_thinking=thinking,
        temperature=0.0,
        talker=TalkerConfig.parity(do_sample=False),
    )
    generation, steps = run(Script(case["eos"], case.get("stop", NEVER), first), config)
    frames = [step.index for step in steps if step.frame is not None]
    assert generation.forwards == case["forwards"]
    assert len(steps) == case["yields"]
    assert len(frames) == case["frames"]
    if frames:
        assert frames[0] == case["first_frame_yield"]
        assert frames[-1] == case["last_frame_yield"]


def test_text_ends_with_one_line_break_and_padding() -> None:
    ours, parity = GenerationConfig(temperature=0.0), GenerationConfig.parity(temperature=0.0)
    for config, enter in ((ours, 234), (parity, 201)):
        script = Script(eos=4, stop=20)
        _, steps = run(script, config)
        assert [text for text, _ in script.fed[:8]] == [1000] * 4 + [2, enter, 0, 0]
        assert [s.text_id for s in steps[:6]] == [1000] * 4 + [2, None]


def test_text_logits_are_not_asked_for_after_the_text() -> None:
    script = Script(eos=4, stop=20)
    run(script, GenerationConfig(temperature=0.0))
    assert script.text_wanted[:7] == [True] * 5 + [False] * 2


def test_codebooks_start_and_stop_one_after_another() -> None:
    script = Script(eos=3, stop=15)
    generation, steps = run(script, GenerationConfig(temperature=0.0))
    columns = np.array([codes for _, codes in script.fed])
    # Row s is fed behind forward s. Codebook i speaks from forward 1 + i on, stops at 15 + i; there
    # is no forward behind the last frame, so the last stops are never drawn.
    for codebook in range(8):
        row = columns[:, codebook]
        stop = 15 + codebook
        assert np.flatnonzero(row < 2048).tolist() == list(range(1 + codebook, min(stop, len(row))))
        assert row[stop : stop + 1].tolist() in ([], [CONFIG.audio_stop_token])
        assert set(row[stop + 1 :].tolist()) <= {CONFIG.audio_pad_token}
    assert sum(s.frame is not None for s in steps) == 14
    assert steps[-1].frame is not None
    assert generation.stop_reason is StopReason.EOS


def test_frames_hold_the_codes_of_their_own_time() -> None:
    _, steps = run(Script(eos=3, stop=15), GenerationConfig(temperature=0.0))
    frames = [s.frame for s in steps if s.frame is not None]
    for index, frame in enumerate(frames):
        assert frame.tolist() == [((1 + index + i) * 7 + i) % 2000 for i in range(8)]


def test_speech_cannot_stop_before_the_text() -> None:
    generation, steps = run(Script(eos=25, stop=12), GenerationConfig(temperature=0.0))
    assert sum(s.frame is not None for s in steps) == 25
    assert generation.stop_reason is StopReason.EOS


def test_step_limit() -> None:
    generation, steps = run(Script(eos=3, stop=NEVER), GenerationConfig(temperature=0.0, max_new_tokens=40))
    assert len(steps) == 40 and generation.stop_reason is StopReason.MAX_FRAMES


def test_frame_limit_still_flushes_the_last_frame() -> None:
    config = GenerationConfig(temperature=0.0, talker=TalkerConfig(max_frames=10))
    generation, steps = run(Script(eos=3, stop=NEVER), config)
    assert sum(s.frame is not None for s in steps) == 10
    assert generation.stop_reason is StopReason.MAX_FRAMES


def test_text_ratio_cap() -> None:
    generation, steps = run(Script(eos=1, stop=NEVER), GenerationConfig(temperature=0.0))
    assert generation.stop_reason is StopReason.TEXT_RATIO_CAP
    assert sum(s.frame is not None for s in steps) == 25 + 16 * 2


def test_soft_stop_bonus_ends_overlong_speech() -> None:
    # The stop is always five logits short; a bonus of a quarter per frame closes that after the soft budget.
    script = Script(eos=7, stop=0, stop_lead=-5.0)
    generation, steps = run(script, GenerationConfig(temperature=0.0, talker=TalkerConfig(do_sample=False)))
    frames = sum(s.frame is not None for s in steps)
    assert 75 < frames < 75 + 30
    assert generation.stop_reason is StopReason.EOS


def test_stuck_code_is_noticed_and_silence_is_not() -> None:
    generation, steps = run(Script(eos=3, stop=60, vary=False), GenerationConfig(temperature=0.0))
    assert generation.stop_reason is StopReason.REPETITION_WATCHDOG
    assert len(steps) == 13
    talker = TalkerConfig(silence_ban_frames=0)
    generation, _ = run(
        Script(eos=3, stop=60, vary=False), GenerationConfig(temperature=0.0, talker=talker), silence=(5,)
    )
    assert generation.stop_reason is StopReason.EOS


def test_cancel_is_checked_at_every_step() -> None:
    calls = 0

    def cancelled() -> bool:
        nonlocal calls
        calls += 1
        return calls > 11

    generation, steps = run(Script(eos=3, stop=60), GenerationConfig(temperature=0.0), cancelled=cancelled)
    assert len(steps) == 11 and generation.stop_reason is StopReason.CANCELLED


def test_thoughts_cannot_end_the_reply_and_are_cut() -> None:
    config = GenerationConfig(temperature=0.0, open_thinking=True, max_thinking_tokens=9)
    generation, steps = run(Script(eos=4, stop=40), config)
    assert generation.text_ids[9:12] == [26, 234, 234]
    assert 2 not in generation.text_ids[:12]
    assert [s.thinking for s in steps[:13]] == [True] * 12 + [False]


def test_same_seed_same_codes_whatever_happens_around() -> None:
    config = GenerationConfig(max_new_tokens=60, talker=TalkerConfig(temperature=60.0), length_guards=False)

    def frames(seed: int) -> list[list[int]]:
        prompt = build_prompt(CONFIG, [1000] * 20)
        steps = Generation(Script(5, 30), prompt, config, CONFIG, CONTROL, seed=seed)
        return [s.frame.tolist() for s in steps if s.frame is not None]

    expected = frames(3)
    np.random.seed(0)
    torch.manual_seed(0)
    assert frames(3) == expected
    assert frames(4) != expected


def test_a_full_context_is_refused() -> None:
    small = OmniConfig(max_position_embeddings=20)
    with pytest.raises(ValueError, match="no room"):
        Generation(Script(1, 2), build_prompt(small, [5] * 20), GenerationConfig(), small, CONTROL)


def test_settings_from_json() -> None:
    config = GenerationConfig.from_dict({"temperature": 0.1, "talker": {"top_k": 3}})
    assert config.temperature == 0.1 and config.talker.top_k == 3
    with pytest.raises(SamplerError, match=r"talker\.topk"):
        GenerationConfig.from_dict({"talker": {"topk": 3}})
    with pytest.raises(SamplerError, match="max_new_tokens"):
        GenerationConfig.from_dict({"max_new_tokens": 0})


def test_given_words_are_fed_as_if_they_had_been_drawn() -> None:
    drawn_from = Script(eos=4, stop=20, first=(7, 8, 9, 10))
    drawn, expected = run(drawn_from, GenerationConfig(temperature=0.0))
    script = Script(eos=2, stop=20)
    given, steps = run(script, GenerationConfig(max_new_tokens=5), say=[7, 8, 9, 10])
    assert script.fed == drawn_from.fed
    assert [(s.text_id, s.index) for s in steps] == [(s.text_id, s.index) for s in expected]
    assert not any(script.text_wanted[1:]), "nobody reads what the network would have said"
    assert given.stop_reason is drawn.stop_reason is StopReason.EOS
