"""The generation loop: text ids and speech frames, one 80 ms step at a time.

Schedule (minimind-o.md §6.4): forward 0 is the prompt and draws the first text id; codebook i draws its first
code i steps after codebook 0, which begins one step later (in thinking mode two steps after the end of the
thoughts). After the text's end one line break and then padding are fed until the speech has ended.

A call of a tool is text that is not spoken: behind its opening marker only text is drawn, the Talker's row is padding,
and the reply ends with the closing marker. Words before a call are spoken to their end, as if the text ended there.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from app.omni.config import CODEBOOKS, OmniConfig
from app.omni.pace import Pace
from app.omni.prompt import Prompt
from app.omni.sampler import CodeLayout, Ints, SamplerError, TalkerConfig, TalkerSampler, TextSampler
from app.omni.stepper import Cancelled, StepNetwork
from app.omni.turn import StopReason

_SOFT_BUDGET, _SOFT_PER_TOKEN, _SOFT_BONUS = 75, 6, 0.25
_HARD_BUDGET, _HARD_PER_TOKEN = 25, 16
_SAME_CODE_LIMIT = 12


@dataclass(frozen=True)
class GenerationConfig:
    """How a reply is generated. Steps are 80 ms and cover text and speech together.

    Recommended deviations from the public loop are on; each has its switch: `enter_id` (None is the
    tokenizer's line break), `length_guards` (soft stop bonus and hard cap by text length, watchdogs),
    `guard_thinking` (no end of text inside thoughts, thoughts cut at `max_thinking_tokens` or where half the room is
    used up, their end completed), `tool_calls` (a call of a tool is kept from text and speech, and cut at
    `max_call_tokens`) and those of `TalkerConfig`. `fit_reference` lets the engine lengthen the prompt until a voice's
    reference codes fit. `pace`: how a given text is dealt out, None where the model is used to get it at once.
    """

    max_new_tokens: int = 512
    temperature: float = 0.7
    top_p: float = 0.9
    repetition_penalty: float = 1.0
    enter_id: int | None = None
    open_thinking: bool = False
    guard_thinking: bool = True
    max_thinking_tokens: int = 256
    length_guards: bool = True
    tool_calls: bool = True
    max_call_tokens: int = 512
    fit_reference: bool = True
    pace: Pace | None = None
    talker: TalkerConfig = field(default_factory=TalkerConfig)

    def __post_init__(self) -> None:
        for name in ("max_new_tokens", "max_thinking_tokens", "max_call_tokens"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise SamplerError(f"{name} must be a whole number of at least 1, not {value!r}.")

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> GenerationConfig:
        """From JSON values; `talker` is an object with TalkerConfig's fields, `pace` one with Pace's, or null. Unknown
        names are refused."""
        values = dict(values)
        talker = _known(TalkerConfig, values.pop("talker", {}), "talker.")
        pace = values.pop("pace", None)
        try:
            dealt = None if pace is None else Pace.from_dict(pace)
        except ValueError as error:
            raise SamplerError(str(error)) from error
        return cls(**_known(cls, values, ""), talker=TalkerConfig(**talker), pace=dealt)

    @classmethod
    def parity(cls, **changes: Any) -> GenerationConfig:
        """The public MiniMind-O loop with its quirks, for conformance tests."""
        base: dict[str, Any] = {
            "enter_id": 201, "guard_thinking": False, "length_guards": False, "tool_calls": False,
            "fit_reference": False, "talker": TalkerConfig.parity(),
        }  # fmt: skip
        return cls(**base | changes)


def _known(kind: type, values: Any, prefix: str) -> dict[str, Any]:
    names = {f.name for f in fields(kind)}
    if not isinstance(values, dict):
        raise SamplerError(f"generation settings must be an object, not {values!r}.")
    for name in values:
        if name not in names:
            raise SamplerError(f"there is no generation setting '{prefix}{name}'.")
    return values


@dataclass(frozen=True)
class TextControl:
    """Text ids that steer the loop. `call`: the markers around a call of a tool, None where the tokenizer has none."""

    eos: int
    pad: int
    newline: int
    think_end: tuple[int, ...]
    call: tuple[int, int] | None = None

    @classmethod
    def of(cls, config: OmniConfig, newline: int, call: tuple[int, int] | None = None) -> TextControl:
        """From a model's config and its tokenizer's line break and call markers."""
        return cls(config.eos_token_id, config.pad_token_id, newline, config.think_end_ids, call)


@dataclass
class ToolCallIds:
    """A call of a tool as far as it has been written: the ids between its markers."""

    ids: list[int] = field(default_factory=list)
    closed: bool = False


@dataclass(frozen=True)
class GenerationStep:
    """What one step gave: a text id (None once the text has ended, and between the pieces of a given one) and a frame
    int64 [8] when complete.

    Ids of thoughts and of a call of a tool (`thinking`, `calling`) are not part of the answer. `seconds` is the time
    spent computing the step, without what the caller did in between.
    """

    index: int
    text_id: int | None
    thinking: bool
    frame: Ints | None
    seconds: float
    calling: bool = False


class Generation:
    """One reply. Iterate once; afterwards `stop_reason`, `forwards`, `text_ids` and `call` tell how it went, and
    `call_follows` that the model turned from words to a call, which another generation has to write.
    """

    def __init__(
        self,
        network: StepNetwork,
        prompt: Prompt,
        config: GenerationConfig,
        model: OmniConfig,
        control: TextControl,
        *,
        seed: int | None = None,
        silence: Iterable[int] = (),
        has_reference: bool = False,
        say: Sequence[int] | None = None,
        calling: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """`silence`: codes of codebook 0 that sound like silence; `has_reference`: the prompt holds codes; `say`: the
        ids of the text, and padding, fed as if they had been drawn; `calling`: the prompt ends with the opening marker
        of a call.

        Raises ValueError when the prompt fills the model's context.
        """
        self.seed = secrets.randbits(63) if seed is None else seed
        self.stop_reason = StopReason.MAX_FRAMES
        self.forwards = 0
        self.text_ids: list[int] = []
        self.call = ToolCallIds() if calling else None
        self.call_follows = False
        self.prefill_seconds = 0.0
        self._network = network
        self._prompt = prompt
        self._config = config
        self._control = control
        self._cancelled = cancelled
        # Given words are not cut off, however long it takes to say them.
        words = 0 if say is None else sum(one != control.pad for one in say)
        steps = 0 if say is None else max(len(say), _HARD_PER_TOKEN * (words + 1)) + _HARD_BUDGET
        self._limit = min(max(config.max_new_tokens, steps), model.max_position_embeddings - prompt.length)
        if self._limit < 1:
            raise ValueError(f"The prompt of {prompt.length} positions leaves no room for an answer.")
        self._text = TextSampler(
            self.seed,
            temperature=config.temperature,
            top_p=config.top_p,
            repetition_penalty=config.repetition_penalty,
            seen=prompt.text_ids.tolist(),
        )
        self._speech = TalkerSampler(
            config.talker,
            CodeLayout.of(model),
            self.seed,
            capacity=self._limit,
            silence=silence,
            has_reference=has_reference,
        )
        self._padding = np.full(CODEBOOKS, model.audio_pad_token, dtype=np.int64)
        self._begin: int | None = None if config.open_thinking else 1
        self._most_thinking = min(config.max_thinking_tokens, self._limit // 2)
        self._answer_at = 0
        self._say = None if say is None else [*say, control.eos]
        self._forced: list[int] = []
        self._finished = False
        self._entered = False
        self._spoken_tokens = 0
        self._ending: StopReason = StopReason.EOS

    def __iter__(self) -> Iterator[GenerationStep]:
        text_id, codes = 0, self._padding
        for index in range(self._limit):
            started = time.perf_counter()
            if self._cancelled():
                self.stop_reason = StopReason.CANCELLED
                return
            if index == 0:
                try:
                    logits = self._network.prefill(self._prompt, self._prompt.length + self._limit, self._cancelled)
                except Cancelled:
                    self.stop_reason = StopReason.CANCELLED
                    return
                self.prefill_seconds = time.perf_counter() - started
            else:
                drawing = not self._finished and self._say is None
                speaking = self._speaks(index)
                logits = self._network.step(text_id, codes, need_text=drawing, need_audio=speaking)
            self.forwards += 1
            thinking, calling = self._begin is None, self.call is not None
            text_id = self._next_text(logits.text, index)
            # With the opening marker of a call there is no more to speak.
            speaking = self._speaks(index)
            codes = self._next_codes(logits.audio) if speaking else self._no_codes()
            if self._finished and self._speech.all_stopped:
                self.stop_reason = self._ending
                return
            frame = self._speech.frame() if speaking else None
            given = None if self._finished or text_id == self._control.pad else text_id
            yield GenerationStep(index, given, thinking, frame, time.perf_counter() - started, self.call is not None)
            if calling and self._call_is_over(text_id):
                break
            if not self._finished and text_id == self._control.eos:
                self._finished = True
            if self._over():
                return
        if self.call is not None:
            self.stop_reason = StopReason.TOOL_CALL

    def _speaks(self, index: int) -> bool:
        return self.call is None and self._begin is not None and index >= self._begin

    def _next_text(self, logits: Any, index: int) -> int:
        """The id of this step: drawn, forced, or filler once the text has ended."""
        control, config = self._control, self._config
        if self._finished:
            enter = control.newline if config.enter_id is None else config.enter_id
            text_id = control.pad if self._entered else enter
            self._entered = True
            return text_id
        guarded = self._begin is None and config.guard_thinking
        if guarded and not self._forced and index == self._most_thinking:
            self._forced = list(control.think_end)
        if self._say:
            text_id = self._say.pop(0)
        elif self._forced:
            text_id = self._forced.pop(0)
            self._text.note(text_id)
        else:
            text_id = self._text.draw(logits, index, (control.eos,) if guarded else ())
            if guarded and text_id == control.think_end[0]:
                # Without what belongs behind it, the thoughts would not end.
                self._forced = list(control.think_end[1:])
            if self._opens_call(text_id):
                if any(earlier != control.newline for earlier in self.text_ids[self._answer_at :]):
                    self.call_follows = True
                    text_id = control.eos
                else:
                    self.call = ToolCallIds()
        if self._say is not None and text_id == control.pad:
            return text_id
        self.text_ids.append(text_id)
        if self._begin is not None:
            self._spoken_tokens += 1
        elif tuple(self.text_ids[-len(control.think_end) :]) == control.think_end:
            self._begin = index + 2
            self._answer_at = index + 1
        return text_id

    def _opens_call(self, text_id: int) -> bool:
        markers = self._control.call if self._config.tool_calls else None
        return markers is not None and text_id == markers[0] and self.call is None and self._begin is not None

    def _call_is_over(self, text_id: int) -> bool:
        """Keep an id of the call; did the call end with it?"""
        assert self.call is not None and self._control.call is not None
        self.call.closed = text_id == self._control.call[1]
        if self.call.closed or text_id == self._control.eos:
            return True
        self.call.ids.append(text_id)
        return len(self.call.ids) == self._config.max_call_tokens

    def _no_codes(self) -> Ints:
        self._speech.skip()
        return self._padding

    def _next_codes(self, logits: Any) -> Ints:
        """Draw this step's codes, with the length guards."""
        frames, bonus, force = self._speech.step, 0.0, False
        if self._config.length_guards:
            late = frames - max(_SOFT_BUDGET, _SOFT_PER_TOKEN * self._spoken_tokens)
            bonus = _SOFT_BONUS * max(late, 0)
            if self._finished and frames >= _HARD_BUDGET + _HARD_PER_TOKEN * self._spoken_tokens:
                force = self._force(StopReason.TEXT_RATIO_CAP)
        if frames >= self._config.talker.max_frames:
            force = self._force(StopReason.MAX_FRAMES)
        return self._speech.draw(logits, text_finished=self._finished, stop_bonus=bonus, force_stop=force)

    def _force(self, reason: StopReason) -> bool:
        if self._speech.stops[0] is None:
            self._ending = reason
        return True

    def _over(self) -> bool:
        """After a step was given out: has the last frame been, or does the speech hang on one code?"""
        speech, talker = self._speech, self._config.talker
        if self._config.length_guards and speech.repeats >= _SAME_CODE_LIMIT:
            self.stop_reason = StopReason.REPETITION_WATCHDOG
            return True
        first = speech.stops[0]
        if talker.stop_from_first and first is not None and speech.step >= first + CODEBOOKS - 1:
            self.stop_reason = self._ending
            return True
        return False
