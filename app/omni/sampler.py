"""Drawing speech codes and text ids from logits. NumPy only; no global state, no torch generator.

Randomness is counter-based: the uniform number for (seed, stream, step, codebook) is a Philox block at that
counter, so a draw depends on nothing that was drawn, cancelled or batched before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.omni.config import CODEBOOKS, OmniConfig

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TEXT_STREAM, _AUDIO_STREAM = 0, 1
_HEAD = 256


class SamplerError(Exception):
    """A sampler setting or its input is unusable; the message names the field or the codebook."""


def uniforms(seed: int, stream: int, step: int, count: int) -> Floats:
    """`count` float64 numbers in [0, 1) that depend on (seed, stream, step, index) alone."""
    generator = np.random.Philox(key=seed & (2**64 - 1), counter=[0, step, stream, 0])
    bits: NDArray[np.uint64] = generator.random_raw(count) >> np.uint64(11)
    return bits.astype(np.float64) * 2.0**-53


def penalise(logits: Floats, ids: Iterable[int], penalty: float) -> None:
    """Lower (penalty > 1) the logits [A] of `ids`, each once, in place; ids out of range are ignored.

    Negative logits are multiplied, others divided. Raises SamplerError for a penalty that is not positive.
    """
    if penalty == 1.0:
        return
    if not penalty > 0:
        raise SamplerError(f"repetition_penalty must be positive, not {penalty}.")
    chosen = np.unique([i for i in ids if 0 <= i < logits.shape[0]]).astype(np.int64)
    values = logits[chosen]
    logits[chosen] = np.where(values < 0, values * penalty, values / penalty)


def ranked_weights(logits: Floats, temperature: float, top_k: int, top_p: float) -> tuple[Ints, Floats]:
    """Candidates of each row of logits [R, A], best first: ids [R, k] and unnormalised weights, 0 where
    dropped.

    Exactly `top_k` candidates (0: all), ties to the lower id; then the shortest prefix whose renormalised
    mass reaches `top_p`.
    """
    width = logits.shape[1]
    count = width if top_k <= 0 else min(top_k, width)
    total: Floats | None = None
    if count == width > _HEAD and 0 < top_p < 1:
        # A nucleus is nearly always among the best few, which spares sorting the others.
        mass = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperature)
        total = mass.sum(axis=1, keepdims=True)
        best = np.partition(mass, width - _HEAD, axis=1)[:, width - _HEAD :]
        if (best.sum(axis=1, keepdims=True) > top_p * total).all():
            count = _HEAD
    if count < width:
        ids = np.sort(np.argpartition(-logits, count - 1, axis=1)[:, :count], axis=1)
    else:
        ids = np.broadcast_to(np.arange(width), logits.shape)
    values = np.take_along_axis(logits, ids, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    ids, values = np.take_along_axis(ids, order, axis=1), np.take_along_axis(values, order, axis=1)
    weights = np.exp((values - values[:, :1]) / temperature)
    if 0 < top_p < 1:
        shares = weights / (weights.sum(axis=1, keepdims=True) if total is None else total)
        before = np.cumsum(shares, axis=1) - shares
        weights = np.where(before < top_p, weights, 0.0)
        weights[:, 0] = 1.0
    return ids, weights


def pick(ids: Ints, weights: Floats, u: Floats) -> Ints:
    """Inverse CDF per row: ids and weights [R, k], u [R] in [0, 1) → ids [R]."""
    mass = np.cumsum(weights, axis=1)
    column = (mass <= (u * mass[:, -1])[:, None]).sum(axis=1)
    # Rounding may point behind the last candidate that has weight.
    column = np.minimum(column, (weights > 0).sum(axis=1) - 1)
    return np.take_along_axis(ids, column[:, None], axis=1)[:, 0]


def _check_number(name: str, value: float, low: float, high: float = math.inf, open_low: bool = False) -> None:
    good = isinstance(value, int | float) and math.isfinite(value) and low <= value <= high
    if not good or (open_low and value == low):
        relation = "above" if open_low else "at least"
        limit = "" if math.isinf(high) else f" and at most {high}"
        raise SamplerError(f"{name} must be a number {relation} {low}{limit}, not {value!r}.")


def _check_count(name: str, value: int, low: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise SamplerError(f"{name} must be a whole number of at least {low}, not {value!r}.")


@dataclass(frozen=True)
class TalkerConfig:
    """How speech codes are drawn. Frames are 80 ms.

    The last three fields are parity switches: `TalkerConfig.parity()` is the public MiniMind-O sampler, in
    which any codebook may draw any id, an id above the codes stops that codebook, and the penalty falls on
    the last `penalty_window` entries one by one, pads and repeats included, after the temperature.
    """

    do_sample: bool = True
    temperature: float = 0.2
    top_k: int = 50
    top_p: float = 1.0
    repetition_penalty: float = 1.05
    penalty_window: int = 25
    penalty_exempt_silence: bool = True
    min_frames: int = 2
    max_frames: int = 1024
    silence_ban_frames: int | None = None
    residual_greedy: bool = False
    mask_specials: bool = True
    stop_from_first: bool = True
    legacy_penalty: bool = False

    def __post_init__(self) -> None:
        if self.do_sample:
            _check_number("temperature", self.temperature, 0, open_low=True)
        _check_count("top_k", self.top_k, 0)
        _check_number("top_p", self.top_p, 0, 1, open_low=True)
        _check_number("repetition_penalty", self.repetition_penalty, 0, open_low=True)
        for name in ("penalty_window", "min_frames"):
            _check_count(name, getattr(self, name), 0)
        _check_count("max_frames", self.max_frames, 1)
        if self.silence_ban_frames is not None:
            _check_count("silence_ban_frames", self.silence_ban_frames, 0)

    @classmethod
    def parity(cls, do_sample: bool = True) -> TalkerConfig:
        """The public MiniMind-O sampler: 0.2, top 50, 1.05 over the last three entries, nothing masked."""
        return cls(
            do_sample=do_sample,
            penalty_window=3,
            penalty_exempt_silence=False,
            min_frames=0,
            silence_ban_frames=0,
            mask_specials=False,
            stop_from_first=False,
            legacy_penalty=True,
        )


@dataclass(frozen=True)
class CodeLayout:
    """Ids of one codebook: codes `0 … codes-1`, then reserved ids, among them pad and stop."""

    vocab: int
    codes: int
    pad: int
    stop: int

    @classmethod
    def of(cls, config: OmniConfig) -> CodeLayout:
        """The layout a model's config describes."""
        return cls(config.audio_vocab_size, config.code_count, config.audio_pad_token, config.audio_stop_token)


class TalkerSampler:
    """Draws the eight codes of each step of one utterance.

    Step `a` counts from 0 at the first code of codebook 0; codebook i starts i steps later, and a frame f is
    complete at step f + 7. With `stop_from_first` only codebook 0 may draw the stop (never before the text
    has ended), and the others stop one step after another behind it.
    """

    def __init__(
        self,
        config: TalkerConfig,
        layout: CodeLayout,
        seed: int,
        *,
        capacity: int,
        silence: Iterable[int] = (),
        has_reference: bool = False,
    ) -> None:
        """`capacity` bounds the steps; `silence` are codes of codebook 0 that sound like silence."""
        self.config = config
        self.layout = layout
        self.seed = seed
        self._silence = np.array(sorted(set(silence)), dtype=np.int64)
        self._exempt = self._silence if config.penalty_exempt_silence else self._silence[:0]
        ban = config.silence_ban_frames
        self.silence_ban = (0 if has_reference else 3) if ban is None else ban
        self._entries = np.full((CODEBOOKS, capacity), layout.pad, dtype=np.int64)
        self._written = 0
        self._reserved = np.arange(layout.vocab) >= layout.codes
        self._reserved_not_stop = self._reserved & (np.arange(layout.vocab) != layout.stop)
        self.step = 0
        self.stops: list[int | None] = [None] * CODEBOOKS
        self.repeats = 0

    @property
    def all_stopped(self) -> bool:
        """Every codebook has drawn its stop."""
        return all(stop is not None for stop in self.stops)

    def skip(self) -> None:
        """A step before the speech starts: all codebooks hold padding."""
        self._written += 1

    def frame(self) -> Ints | None:
        """The frame int64 [8] completed by the newest draw; None while there is none."""
        first = self.step - CODEBOOKS
        if first < 0 or any(s is not None and first + i >= s for i, s in enumerate(self.stops)):
            return None
        columns = self._written - CODEBOOKS + np.arange(CODEBOOKS)
        return self._entries[np.arange(CODEBOOKS), columns]

    def process(self, logits: NDArray[np.float32], *, text_finished: bool, stop_bonus: float = 0.0) -> Floats:
        """Masked and penalised float64 copy of a step's logits [8, A]. Raises SamplerError."""
        config, layout = self.config, self.layout
        if logits.shape != (CODEBOOKS, layout.vocab):
            raise SamplerError(f"logits must have the shape {(CODEBOOKS, layout.vocab)}, not {logits.shape}.")
        work = logits.astype(np.float64)
        finite = np.isfinite(work).all(axis=1)
        if not finite.all():
            raise SamplerError(f"codebook {int(finite.argmin())} has logits that are not finite.")
        if config.mask_specials:
            work[:, self._reserved_not_stop] = -np.inf
        work[0, layout.stop] += stop_bonus
        if config.stop_from_first:
            work[1:, layout.stop] = -np.inf
            if self.step < config.min_frames or not text_finished:
                work[0, layout.stop] = -np.inf
        if self.step < self.silence_ban and self._silence.size:
            work[0, self._silence] = -np.inf
        if not config.legacy_penalty and config.repetition_penalty != 1.0:
            self._penalise(work)
        if not np.isfinite(work.max(axis=1)).all():
            raise SamplerError("every id of a codebook is forbidden: lower silence_ban_frames.")
        return work

    def _penalise(self, work: Floats) -> None:
        """`penalise` for all codebooks, each with its own window, which has no padding before its first code."""
        window, penalty = self.config.penalty_window, self.config.repetition_penalty
        count = min(self.step, window) if window else self.step
        recent = self._entries[:, self._written - count : self._written]
        ages = np.arange(count, 0, -1)
        counted = ages <= self.step - np.arange(CODEBOOKS)[:, None]
        if self._exempt.size:
            counted[0] &= ~np.isin(recent[0], self._exempt)
        codebooks, places = np.nonzero(counted)
        codes = recent[codebooks, places]
        values = work[codebooks, codes]
        # A code that is there twice gets the same value twice.
        work[codebooks, codes] = np.where(values < 0, values * penalty, values / penalty)

    def draw(
        self,
        logits: NDArray[np.float32],
        *,
        text_finished: bool,
        stop_bonus: float = 0.0,
        force_stop: bool = False,
    ) -> Ints:
        """Draw one step from logits [8, A]; ids int64 [8], padding where a codebook has not started or has
        ended.

        `stop_bonus` is added to codebook 0's stop logit; `force_stop` makes codebook 0 stop now.
        """
        work = self.process(logits, text_finished=text_finished, stop_bonus=stop_bonus)
        drawn = self._choose(work)
        step, layout = self.step, self.layout
        if self.config.stop_from_first:
            if force_stop and self.stops[0] is None:
                drawn[0] = layout.stop
            begun = self.stops[0] if self.stops[0] is not None else step if drawn[0] == layout.stop else None
            if begun is not None:
                due = begun + np.arange(CODEBOOKS)
                drawn = np.where(due == step, layout.stop, np.where(due < step, layout.pad, drawn))
        drawn = np.where(np.arange(CODEBOOKS) > step, layout.pad, drawn)
        for codebook in range(min(step + 1, CODEBOOKS)):
            if self.stops[codebook] is None and drawn[codebook] >= layout.codes:
                self.stops[codebook] = step
        self._count_repeats(int(drawn[0]))
        self._entries[:, self._written] = drawn
        self._written += 1
        self.step += 1
        return drawn

    def _choose(self, work: Floats) -> Ints:
        config = self.config
        if config.legacy_penalty:
            work = work / config.temperature
            for entry in range(max(self._written - config.penalty_window, 0), self._written):
                column = self._entries[:, entry, None]
                values = np.take_along_axis(work, column, axis=1)
                p = config.repetition_penalty
                np.put_along_axis(work, column, np.where(values > 0, values / p, values * p), axis=1)
        greedy = work.argmax(axis=1)
        if not config.do_sample:
            return greedy
        temperature = 1.0 if config.legacy_penalty else config.temperature
        ids, weights = ranked_weights(work, temperature, config.top_k, config.top_p)
        drawn = pick(ids, weights, uniforms(self.seed, _AUDIO_STREAM, self.step, CODEBOOKS))
        if config.residual_greedy:
            drawn[1:] = greedy[1:]
        return drawn

    def _count_repeats(self, code: int) -> None:
        """`repeats`: how often codebook 0 has drawn the same code in a row, silence left out."""
        previous = int(self._entries[0, self._written - 1]) if self.step else -1
        if code >= self.layout.codes or np.isin(code, self._silence):
            self.repeats = 0
        else:
            self.repeats = self.repeats + 1 if code == previous else 1


class TextSampler:
    """Draws text ids: penalty on every id seen so far, temperature, nucleus. Temperature 0 is greedy."""

    def __init__(
        self, seed: int, *, temperature: float, top_p: float, repetition_penalty: float, seen: Iterable[int]
    ) -> None:
        """`seen` are the prompt's ids."""
        _check_number("temperature", temperature, 0)
        _check_number("top_p", top_p, 0, 1, open_low=True)
        _check_number("repetition_penalty", repetition_penalty, 0, open_low=True)
        self._seed = seed
        self._temperature = temperature
        self._top_p = top_p
        self._penalty = repetition_penalty
        self._seen = set(seen)

    def draw(self, logits: NDArray[np.float32], step: int, banned: Iterable[int] = ()) -> int:
        """Draw the id of forward `step` from logits [V]; `banned` ids cannot be drawn."""
        work = logits.astype(np.float64)
        if not np.isfinite(work).all():
            raise SamplerError("the text logits are not finite.")
        penalise(work, self._seen, self._penalty)
        work[list(banned)] = -np.inf
        if self._temperature == 0:
            chosen = int(work.argmax())
        else:
            ids, weights = ranked_weights(work[None], self._temperature, 0, self._top_p)
            chosen = int(pick(ids, weights, uniforms(self._seed, _TEXT_STREAM, step, 1))[0])
        self._seen.add(chosen)
        return chosen

    def note(self, text_id: int) -> None:
        """Count an id that was fed without being drawn."""
        self._seen.add(text_id)
