"""One reply being generated and decoded, with its clock: the model's own words, a call of a tool, or given words."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from app.omni.decoding import FrameDecoding
from app.omni.generate import Generation, TextControl
from app.omni.parts import EngineParts
from app.omni.prompt import Prompt, extend_prompt
from app.omni.sampler import Ints
from app.omni.silence import is_quiet, soft_limit
from app.omni.turn import (
    FRAME_SAMPLES,
    FRAMES_PER_SECOND,
    AudioPiece,
    StopReason,
    TextPiece,
    ToolCallPiece,
    TurnPiece,
    TurnStats,
)
from app.omni.voice import Voice
from app.speech.phrases import Phrase
from app.speech.text_reader import SpokenWord

log = logging.getLogger(__name__)

_QUIET_FRAMES_LIMIT = 20


class Reply:
    """The reply to one prompt. Call `drawn` or `say`, once; `stats` afterwards."""

    def __init__(
        self,
        parts: EngineParts,
        voice: Voice,
        control: TextControl,
        silence: frozenset[int],
        prompt: Prompt,
        seed: int | None,
        cancelled: Callable[[], bool],
        started: float,
    ) -> None:
        """`silence`: codes of codebook 0 that sound like it; `started`: when the turn began, in `perf_counter` time."""
        self._parts = parts
        self._voice = voice
        self._control = control
        self._silence = silence
        self._prompt = prompt
        self._seed = secrets.randbits(63) if seed is None else seed
        self._cancelled = cancelled
        self._started = started
        self._reason = StopReason.EOS
        self._reply: list[str] = []
        self._blank = ""
        self._step_ms: list[float] = []
        self._prefill_ms: float | None = None
        self._compute = 0.0
        self._frames = 0
        self._quiet = 0
        self._first_audio_ms = 0.0

    def drawn(self) -> Iterator[TurnPiece]:
        """What the model answers."""
        generation = self._generation(self._prompt)
        yield from self._speak(generation)
        if generation.call_follows and self._reason is not StopReason.CANCELLED:
            assert self._control.call is not None
            said = [*generation.text_ids[:-1], self._control.call[0]]
            prompt = extend_prompt(self._prompt, self._parts.config, said)
            if prompt.length < self._parts.config.max_position_embeddings:
                generation = self._generation(prompt, calling=True)
                yield from self._speak(generation)
        if generation.call is not None and self._reason is StopReason.TOOL_CALL:
            yield ToolCallPiece(self._parts.tokenizer.decode(generation.call.ids), generation.call.closed)

    def call(self, text: str) -> Iterator[TurnPiece]:
        """A call of a tool that is written already; nothing is said."""
        self._reason = StopReason.TOOL_CALL
        yield ToolCallPiece(text, closed=True)

    def say(self, phrases: Sequence[Phrase]) -> Iterator[TurnPiece]:
        """Given words, phrase by phrase: each is a reply of its own to the same prompt, with a pause behind it.

        The end of the text may follow the last word at once: it does not end the speech, which the Talker does itself.
        """
        for number, phrase in enumerate(phrases):
            if number:
                yield from self._pause(phrases[number - 1].pause_s)
                self._blank = " "
            if self._parts.reader is None:
                yield from self._speak(self._generation(self._prompt, say=self._dealt(phrase.text)))
            else:
                begun = time.perf_counter()
                words = self._parts.reader.read(phrase.text)
                self._compute += time.perf_counter() - begun
                yield from self._read(words)
            if self._reason is StopReason.CANCELLED:
                return

    def _read(self, words: Sequence[SpokenWord]) -> Iterator[TextPiece | AudioPiece]:
        """Words that were read aloud at once, each shown when it begins."""
        self._quiet = 0
        decoder = self._parts.codec.stream(self._voice.spk_emb)
        with FrameDecoding(decoder, beside=self._parts.spare_core) as frames:
            for word in words:
                yield from self._show(word.text)
                for frame in word.codes.T.contiguous().numpy():
                    if self._cancelled():
                        self._reason = StopReason.CANCELLED
                        return
                    yield from self._decoded(frames, frame, wait=self._frames == 0)
            yield from self._decoded(frames, None, wait=True)

    def _dealt(self, text: str) -> list[int]:
        """The ids of a given text as they are fed."""
        tokenizer, pace = self._parts.tokenizer, self._parts.generation.pace
        ids = tokenizer.encode(text)
        if pace is None:
            return ids
        return pace.deal(ids, lambda one: tokenizer.decode([one]), self._parts.config.pad_token_id)

    def stats(self, heard: str, encode_ms: float) -> TurnStats:
        """Figures of the finished reply."""
        seconds = self._frames / FRAMES_PER_SECOND
        steps = np.array(self._step_ms or [0.0])
        reason = self._reason
        if self._frames == 0 and reason not in (StopReason.CANCELLED, StopReason.TOOL_CALL):
            log.warning("the turn gave no speech (%s)", reason)
            reason = StopReason.ERROR
        return TurnStats(
            heard=heard,
            reply="".join(self._reply).strip(),
            voice=self._voice.name,
            stop_reason=reason,
            seed=self._seed,
            frames=self._frames,
            audio_seconds=seconds,
            encode_ms=encode_ms,
            prefill_ms=self._prefill_ms or 0.0,
            first_audio_ms=self._first_audio_ms,
            step_ms_median=float(np.median(steps)),
            step_ms_p95=float(np.percentile(steps, 95)),
            rtf=self._compute / seconds if seconds else 0.0,
        )

    def _generation(self, prompt: Prompt, *, say: Sequence[int] | None = None, calling: bool = False) -> Generation:
        parts = self._parts
        return Generation(
            parts.network,
            prompt,
            parts.generation,
            parts.config,
            self._control,
            seed=self._seed,
            silence=self._silence,
            has_reference=bool((prompt.audio_ids[0] < parts.config.code_count).any()),
            say=say,
            calling=calling,
            cancelled=self._cancelled,
        )

    def _speak(self, generation: Generation) -> Iterator[TextPiece | AudioPiece]:
        """The pieces of one generation."""
        text = self._parts.tokenizer.stream()
        decoder = self._parts.codec.stream(self._voice.spk_emb)
        self._quiet = 0
        ended = False
        with FrameDecoding(decoder, beside=self._parts.spare_core) as frames:
            for step in generation:
                self._compute += step.seconds
                if step.index:
                    self._step_ms.append(step.seconds * 1e3)
                if step.text_id is not None and not step.thinking and not step.calling:
                    ended = step.text_id == self._control.eos
                    yield from self._show(text.finish() if ended else text.push(step.text_id))
                if step.frame is not None:
                    # The first one is waited for.
                    yield from self._decoded(frames, step.frame, wait=self._frames == 0)
                    if self._hangs:
                        break
            if generation.stop_reason is not StopReason.CANCELLED or self._hangs:
                yield from self._decoded(frames, None, wait=True)
        watchdog = self._hangs
        if not ended:
            yield from self._show(text.finish())
        if self._prefill_ms is None:
            self._prefill_ms = generation.prefill_seconds * 1e3
        reason = StopReason.SILENCE_WATCHDOG if watchdog else generation.stop_reason
        # A phrase that went wrong is not made good by the next one.
        if self._reason is StopReason.EOS or reason in (StopReason.CANCELLED, StopReason.TOOL_CALL):
            self._reason = reason

    @property
    def _hangs(self) -> bool:
        """Whether nothing has been heard for so long that nothing will."""
        return self._parts.generation.length_guards and self._quiet >= _QUIET_FRAMES_LIMIT

    def _decoded(self, frames: FrameDecoding, frame: Ints | None, *, wait: bool) -> Iterator[AudioPiece]:
        """Hand `frame` in and give out what is ready."""
        begun = time.perf_counter()
        if frame is not None:
            frames.put(frame)
        ready = frames.take(wait=wait)
        self._compute += time.perf_counter() - begun
        for samples in ready:
            if self._frames == 0:
                self._first_audio_ms = (time.perf_counter() - self._started) * 1e3
            self._frames += 1
            self._quiet = self._quiet + 1 if is_quiet(samples) else 0
            yield AudioPiece(self._frames - 1, soft_limit(samples))

    def _show(self, new: str) -> Iterator[TextPiece]:
        """Text is shown from the first word on: before a call of a tool there may be nothing but a line break."""
        new, self._blank = self._blank + new, ""
        if not self._reply and not new.strip():
            self._blank = new
        elif new:
            self._reply.append(new)
            yield TextPiece(new)

    def _pause(self, seconds: float) -> Iterator[AudioPiece]:
        for _ in range(round(seconds * FRAMES_PER_SECOND)):
            self._frames += 1
            yield AudioPiece(self._frames - 1, np.zeros(FRAME_SAMPLES, np.float32))
