"""Masks, penalties, filters and draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.omni.sampler import (
    CodeLayout,
    SamplerError,
    TalkerConfig,
    TalkerSampler,
    TextSampler,
    penalise,
    pick,
    ranked_weights,
    uniforms,
)

LAYOUT = CodeLayout(vocab=1030, codes=6, pad=1027, stop=1028)


def sampler(config: TalkerConfig, layout: CodeLayout = LAYOUT, **options: Any) -> TalkerSampler:
    return TalkerSampler(config, layout, options.pop("seed", 1), capacity=200, **options)


def table_logits() -> np.ndarray:
    row = np.zeros(1030, dtype=np.float32)
    row[[0, 1, 5, 6, 1028]] = [2.0, -1.0, 0.5, 9.0, 4.0]
    return np.tile(row, (8, 1))


@pytest.mark.parametrize("step", [0, 2])
def test_processor_table(step: int) -> None:
    """Reserved ids, minimum length and penalty of the published table."""
    talker = sampler(TalkerConfig(repetition_penalty=1.0, min_frames=2))
    talker.step = step
    row = talker.process(table_logits(), text_finished=True)[0]
    assert (row[0], row[1]) == (2.0, -1.0)
    penalise(row, [0, 1, 0, -3, 99999], 2.0)
    assert (row[0], row[1], row[5], row[6]) == (1.0, -2.0, 0.5, -np.inf)
    assert row[1028] == (-np.inf if step == 0 else 4.0)


def test_penalty_of_one_changes_nothing_and_others_must_be_positive() -> None:
    row = table_logits()[0].astype(np.float64)
    penalise(row, [0, 1], 1.0)
    assert (row[0], row[1]) == (2.0, -1.0)
    for penalty in (0.0, -1.0):
        with pytest.raises(SamplerError, match="must be positive"):
            penalise(row, [0, 1], penalty)


def test_wrong_shape_and_non_finite_logits_are_errors() -> None:
    talker = sampler(TalkerConfig())
    with pytest.raises(SamplerError, match="shape"):
        talker.draw(table_logits()[:, :1029], text_finished=True)
    broken = table_logits()
    broken[3, 7] = np.nan
    with pytest.raises(SamplerError, match="codebook 3"):
        talker.draw(broken, text_finished=True)


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p", "kept"),
    [(1, 0, 0.9, 3), (1, 2, 0.7, 1), (0.5, 0, 0.9, 2), (1, 2, 1, 2)],
)
def test_top_k_comes_before_top_p(temperature: float, top_k: int, top_p: float, kept: int) -> None:
    ids, weights = ranked_weights(np.array([[-1.0, 2.0, 0.0, 1.0]]), temperature, top_k, top_p)
    assert int((weights > 0).sum()) == kept
    assert ids[0, :kept].tolist() == [1, 3, 2, 0][:kept]


def test_ties_go_to_the_lower_id() -> None:
    ids, _ = ranked_weights(np.array([[1.0, 3.0, 3.0, 1.0]]), 1.0, 3, 1.0)
    assert ids[0, :2].tolist() == [1, 2]


def test_pick_follows_the_weights() -> None:
    ids = np.array([[7, 3, 5]])
    weights = np.array([[0.5, 0.3, 0.2]])
    for u, expected in ((0.0, 7), (0.49, 7), (0.5, 3), (0.79, 3), (0.81, 5), (1 - 2**-53, 5)):
        assert pick(ids, weights, np.array([u]))[0] == expected
    assert pick(ids, np.array([[1.0, 0.0, 0.0]]), np.array([1 - 2**-53]))[0] == 7


def test_uniforms_depend_on_their_counter_alone() -> None:
    first = uniforms(5, 1, 3, 8)
    uniforms(5, 1, 4, 8)
    assert np.array_equal(first, uniforms(5, 1, 3, 8))
    assert np.array_equal(first[:1], uniforms(5, 1, 3, 1))
    others = [uniforms(6, 1, 3, 8), uniforms(5, 0, 3, 8), uniforms(5, 1, 2, 8)]
    assert all(not np.intersect1d(first, other).size for other in others)
    many = np.concatenate([uniforms(9, 1, s, 8) for s in range(2000)])
    assert many.min() >= 0 and many.max() < 1 and abs(many.mean() - 0.5) < 0.01


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", 0.0),
        ("temperature", float("nan")),
        ("top_k", -1),
        ("top_k", 1.5),
        ("top_p", 0.0),
        ("top_p", 1.1),
        ("repetition_penalty", 0.0),
        ("repetition_penalty", float("inf")),
        ("penalty_window", -1),
        ("min_frames", -1),
        ("max_frames", 0),
        ("silence_ban_frames", -2),
    ],
)
def test_bad_settings_name_the_field(field: str, value: float) -> None:
    changes: dict[str, Any] = {field: value}
    with pytest.raises(SamplerError, match=field):
        TalkerConfig(**changes)


SMALL = CodeLayout(vocab=40, codes=30, pad=31, stop=32)


def flat() -> np.ndarray:
    return np.zeros((8, 40), dtype=np.float32)


def test_only_codes_are_drawn() -> None:
    talker = sampler(TalkerConfig(temperature=1.0, top_k=0), SMALL)
    for _ in range(100):
        drawn = talker.draw(flat(), text_finished=False)
        started = np.arange(8) < talker.step
        assert (drawn[started] < 30).all() and (drawn[~started] == 31).all()


def test_stop_belongs_to_codebook_0_after_the_text() -> None:
    talker = sampler(TalkerConfig(do_sample=False), SMALL)
    eager = flat()
    eager[:, 32] = 9.0
    for _ in range(5):
        assert (talker.draw(eager, text_finished=False)[:5] < 32).all()
    assert talker.stops == [None] * 8
    for offset in range(8):
        drawn = talker.draw(eager, text_finished=True)
        assert drawn[:offset].tolist() == [31] * offset
        assert drawn[offset] == 32
    assert talker.all_stopped and talker.stops == list(range(5, 13))


def test_minimum_length_and_forced_stop() -> None:
    eager = flat()
    eager[:, 32] = 9.0
    talker = sampler(TalkerConfig(do_sample=False, min_frames=3), SMALL)
    assert [talker.draw(eager, text_finished=True)[0] == 32 for _ in range(4)] == [False] * 3 + [True]
    talker = sampler(TalkerConfig(do_sample=False), SMALL)
    assert talker.draw(flat(), text_finished=True, force_stop=True)[0] == 32


def test_silence_ban_holds_for_the_first_frames_of_codebook_0() -> None:
    quiet = flat()
    quiet[:, 4] = 9.0
    config = TalkerConfig(do_sample=False, repetition_penalty=1.0)
    talker = sampler(config, SMALL, silence=(4,))
    draws = np.array([talker.draw(quiet, text_finished=False) for _ in range(5)])
    assert [code == 4 for code in draws[:, 0]] == [False] * 3 + [True] * 2
    assert draws[1, 1] == 4
    with_codes = sampler(config, SMALL, silence=(4,), has_reference=True)
    assert with_codes.draw(quiet, text_finished=False)[0] == 4


def test_penalty_window_counts_each_code_once_and_spares_silence() -> None:
    config = TalkerConfig(do_sample=False, repetition_penalty=2.0, penalty_window=2, silence_ban_frames=0)
    talker = sampler(config, SMALL, silence=(4,))
    for code in (7, 7, 9, 4):
        logits = flat()
        logits[:, code] = 99.0
        talker.draw(logits, text_finished=False)
    ones = np.ones((8, 40), dtype=np.float32)
    work = talker.process(ones, text_finished=False)
    # Codebook 0's window is 9, 4: silence is spared. Codebook 1 started a step later, its window is the same.
    assert (work[0, 9], work[0, 4], work[0, 7]) == (0.5, 1.0, 1.0)
    assert (work[1, 9], work[1, 4], work[1, 7]) == (0.5, 0.5, 1.0)


def test_parity_penalty_repeats_and_counts_padding() -> None:
    talker = sampler(TalkerConfig.parity(do_sample=False), SMALL)
    talker.skip()
    for code in (7, 7):
        logits = flat()
        logits[:, code] = 99.0
        talker.draw(logits, text_finished=False)
    close = flat()
    close[0, 7], close[0, 8] = 1.0, 0.93
    close[0, 31] = 0.94
    # 7 is divided by 1.05 twice (0.907), padding once (0.895).
    assert talker.draw(close, text_finished=False)[0] == 8


def test_parity_lets_any_codebook_stop() -> None:
    talker = sampler(TalkerConfig.parity(do_sample=False), SMALL)
    odd = flat()
    odd[3, 35] = 9.0
    for _ in range(5):
        talker.draw(odd, text_finished=False)
    assert talker.stops[3] == 3 and talker.stops[0] is None


def test_greedy_residuals_leave_the_first_draw_alone() -> None:
    rng = np.random.default_rng(0)
    logits = [rng.standard_normal((8, 40)).astype(np.float32) for _ in range(20)]
    firsts = []
    for greedy in (False, True):
        config = TalkerConfig(temperature=1.0, residual_greedy=greedy, repetition_penalty=1.0)
        talker = sampler(config, SMALL, seed=5)
        firsts.append([int(talker.draw(x, text_finished=False)[0]) for x in logits])
    assert firsts[0] == firsts[1]


def test_draws_match_probabilities() -> None:
    logits = flat()
    logits[:, :4] = np.log([8.0, 4.0, 2.0, 1.0])
    logits[:, 4:] = -50
    talker = TalkerSampler(
        TalkerConfig(temperature=1.0, repetition_penalty=1.0), SMALL, 3, capacity=3000, has_reference=True
    )
    draws = np.array([talker.draw(logits, text_finished=False) for _ in range(3000)])[8:]
    shares = np.bincount(draws.ravel(), minlength=4)[:4] / draws.size
    assert shares == pytest.approx(np.array([8, 4, 2, 1]) / 15, abs=0.015)


def text_sampler(**options: Any) -> TextSampler:
    settings: dict[str, Any] = {"temperature": 1.0, "top_p": 1.0, "repetition_penalty": 1.0, "seen": ()} | options
    return TextSampler(settings.pop("seed", 1), **settings)


def test_text_greedy_penalty_and_ban() -> None:
    logits = np.array([1.0, 2.0, 1.9, -1.0], dtype=np.float32)
    assert text_sampler(temperature=0.0).draw(logits, 0) == 1
    assert text_sampler(temperature=0.0).draw(logits, 0, banned=(1,)) == 2
    penalised = text_sampler(temperature=0.0, repetition_penalty=1.5, seen=(1,))
    assert [penalised.draw(logits, s) for s in range(2)] == [2, 1]


def test_text_nucleus_drops_the_tail() -> None:
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05], dtype=np.float32))
    sampler_ = text_sampler(top_p=0.7)
    assert {sampler_.draw(logits, s) for s in range(200)} == {0, 1}


@pytest.mark.parametrize("spread", [0.01, 1.0, 6.0])
def test_nucleus_of_many_candidates_is_that_of_a_full_sort(spread: float) -> None:
    logits = np.random.default_rng(0).standard_normal((2, 5000)) * spread
    ids, weights = ranked_weights(logits, 0.7, 0, 0.9)
    order = np.argsort(-logits, axis=1)
    mass = np.exp(np.take_along_axis(logits, order, axis=1) / 0.7)
    shares = mass / mass.sum(axis=1, keepdims=True)
    kept = (np.cumsum(shares, axis=1) - shares < 0.9).sum(axis=1)
    for row, count in enumerate(kept):
        assert (weights[row] > 0).sum() == count
        assert ids[row, :count].tolist() == order[row, :count].tolist()
