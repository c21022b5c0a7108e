"""A loaded model that answers turns: ears, Thinker, Talker and codec put together."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError

from app.omni.chat import ChatTemplate, Message, history_messages
from app.omni.checkpoint import load_model
from app.omni.config import ConfigError, OmniConfig
from app.omni.errors import DamagedModelError, TurnTooLongError
from app.omni.generate import Generation, GenerationConfig, TextControl
from app.omni.prompt import Prompt, build_prompt
from app.omni.sampler import SamplerError
from app.omni.silence import is_quiet, silence_codes, soft_limit
from app.omni.stepper import StepNetwork, Stepper
from app.omni.tokenizer import OmniTokenizer
from app.omni.turn import (
    FRAMES_PER_SECOND,
    INPUT_RATE,
    AudioPiece,
    Exchange,
    Heard,
    ModelInfo,
    StopReason,
    TextPiece,
    TurnPiece,
    TurnRequest,
    TurnStats,
)
from app.omni.voice import Voice, VoiceFileError, load_voices
from app.omni.voice_book import VoiceBook
from app.speech import registry
from app.speech.interfaces import AudioEncoder, SpeakerEncoder, SpeechCodec
from app.speech.matrix import int8_is_fast
from app.voices import file as voice_file
from app.voices.choose import CHOSEN_S
from app.voices.file import OwnVoice

log = logging.getLogger(__name__)

DEFAULT_VOICE = "default"
_QUIET_FRAMES_LIMIT = 20
_ANSWER_ROOM = 128
_WARM_UP_STEPS = 4
_TRIAL_STEPS = 8
#: More threads must be this much faster: they keep cores from the rest of the program.
_THREADS_PAY = 0.9
# Only there to be long: a voice's reference codes need as many prompt positions as they have frames.
_FILLER = "You are a friendly voice assistant. Answer the question clearly, briefly and helpfully. "

# What the loaders of the parts raise for missing, damaged or foreign files.
_UNUSABLE = (
    ConfigError,
    SamplerError,
    VoiceFileError,
    SafetensorError,
    OSError,
    ValueError,
    KeyError,
    RuntimeError,
)

ProgressCallback = Callable[[str, float], None]


@dataclass(frozen=True)
class EngineParts:
    """What an engine is made of."""

    config: OmniConfig
    network: StepNetwork
    tokenizer: OmniTokenizer
    encoder: AudioEncoder
    codec: SpeechCodec
    voices: dict[str, Voice]
    generation: GenerationConfig
    info: ModelInfo
    speaker: SpeakerEncoder | None = None
    #: How many earlier exchanges the model has learnt to live with; more confuse it. None: as many as fit.
    history_turns: int | None = None


class OmniEngine:
    """Answers one turn at a time; not safe to share between threads."""

    def __init__(self, parts: EngineParts) -> None:
        self.info = parts.info
        self._parts = parts
        self.voices = VoiceBook(parts.voices, parts.config, parts.speaker, parts.codec)
        self._chat = ChatTemplate(parts.tokenizer, parts.config)
        self._control = TextControl.of(parts.config, parts.tokenizer.newline_id)
        self._silence = silence_codes(parts.codec)

    @classmethod
    def load(cls, folder: str | Path, *, threads: int, progress: ProgressCallback | None = None) -> OmniEngine:
        """Load a model folder and warm it up.

        `threads` bounds torch's threads, which are set for the whole process (see `choose_threads`). `progress` gets
        a short phrase and a fraction 0…1. Raises DamagedModelError with one clear sentence.
        """
        tell = progress or (lambda stage, fraction: None)
        folder = Path(folder)
        torch.set_num_threads(max(threads, 1))
        try:
            tell("Reading the model", 0.0)
            config = OmniConfig.load(folder)
            section = config.banter
            generation = GenerationConfig.from_dict(section.get("generation", {}))
            tokenizer = OmniTokenizer.load(folder)
            voices = _folder_voices(folder, config)
            model = load_model(folder, config)
            tell("Preparing the network", 0.4)
            int8 = section.get("weights") == "int8" and int8_is_fast()
            parameters = sum(p.numel() for p in model.parameters())
            network = Stepper(model, int8=int8)
            del model
            tell("Loading the ears", 0.6)
            encoder = registry.load_encoder(section.get("encoder", "sensevoice"), folder)
            tell("Loading the voice", 0.75)
            codec = registry.load_codec(section.get("codec", "mimi"), folder, int8=int8)
            kind = str(section.get("speaker", ""))
            speaker = registry.load_speaker_encoder(kind, folder) if kind else None
        except _UNUSABLE as error:
            raise DamagedModelError(f"The model folder {folder} cannot be used: {error}") from error
        info = ModelInfo(
            name=str(section.get("name", folder.name)),
            folder=str(folder),
            voices=tuple(voices),
            parameters=parameters,
            languages=tuple(section.get("languages", ("en",))),
            clip_s=float(section.get("speaker_clip_s", CHOSEN_S)) if speaker else 0.0,
            speaker=kind,
            speaker_size=config.spk_emb_size,
        )
        turns = section.get("history_turns")
        engine = cls(EngineParts(config, network, tokenizer, encoder, codec, voices, generation, info, speaker, turns))
        tell("Warming up", 0.9)
        engine.warm_up()
        engine.choose_threads(threads)
        tell("Ready", 1.0)
        return engine

    def warm_up(self) -> None:
        """Run every part once, so that the first turn is as fast as the others."""
        audio = np.zeros(INPUT_RATE // 2, dtype=np.float32)
        for _piece in self.run(TurnRequest(audio=audio, seed=0), _after(_WARM_UP_STEPS)):
            pass
        self._parts.codec.stream().step(torch.zeros(8, dtype=torch.int64))

    def choose_threads(self, most: int) -> None:
        """Set torch's threads to one or `most`, whichever makes the faster steps here.

        The products of a small network are so short that waking a second thread costs more than it saves.
        """
        if most <= 1:
            return
        times = {}
        for threads in (most, 1):
            torch.set_num_threads(threads)
            *_, stats = self.run(TurnRequest(text="hello", seed=0), _after(_TRIAL_STEPS))
            assert isinstance(stats, TurnStats)
            times[threads] = stats.step_ms_median
        torch.set_num_threads(most if times[most] < _THREADS_PAY * times[1] else 1)
        log.info("steps take %s ms by number of threads", times)

    def run(self, request: TurnRequest, cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        """Answer a turn piece by piece, `TurnStats` last. `cancelled` is asked at every step.

        Raises UnknownVoiceError, TurnTooLongError, and ValueError unless exactly one of
        audio and text is given.
        """
        if (request.audio is None) == (request.text is None):
            raise ValueError("A turn needs either audio or text.")
        started = time.perf_counter()
        voice = self.voices.get(request.voice)
        features, heard, encode_ms = None, request.text or "", 0.0
        if request.audio is not None:
            features, heard = self._parts.encoder.encode(request.audio)
            encode_ms = (time.perf_counter() - started) * 1e3
            yield Heard(heard)
        question = Message("user", request.text or "", audio_rows=0 if features is None else len(features))
        prompt = build_prompt(self._parts.config, self._prompt_ids(question, request.history, voice), voice, features)
        parts = self._parts
        if request.temperature is not None:
            parts = replace(parts, generation=replace(parts.generation, temperature=request.temperature))
        turn = _Turn(parts, voice, self._control, self._silence, prompt, request.seed, cancelled)
        yield from turn.pieces(started)
        yield turn.stats(heard, voice.name, encode_ms)

    def recognise(self, audio: NDArray[np.float32]) -> str:
        """The words in float32 mono speech at 16 kHz, "" where there are none."""
        return self._parts.encoder.encode(audio).text

    def read_own_voices(self, folder: Path) -> None:
        """Speak with the user's voices in `folder` too, those that fit; `info` then lists them."""
        self.voices.read_own(folder)
        self._list_voices()

    def use_voice_file(self, path: Path) -> str:
        """Speak with the voice in this file too; returns its name. Raises VoiceError, VoiceFileError."""
        name = self.voices.add_file(voice_file.read(path))
        self._list_voices()
        return name

    def make_voice(self, audio: NDArray[np.float32]) -> OwnVoice:
        """The voice of float32 mono speech at 24 kHz, still without a name; see `VoiceBook.make`."""
        voice = self.voices.make(audio)
        assert voice.spk_emb is not None
        codes = None if voice.ref_codes is None else voice.ref_codes.numpy()
        return OwnVoice(voice.name, voice.spk_emb.numpy(), codes, self.info.name, self.info.speaker)

    def _list_voices(self) -> None:
        self.info = replace(self.info, voices=self.voices.names, own_voices=self.voices.own_names)

    def _prompt_ids(self, question: Message, history: Sequence[Exchange], voice: Voice) -> list[int]:
        """Ids of the prompt; of the exchanges the newest that the model and its context can hold."""
        config, generation = self._parts.config, self._parts.generation
        room = config.max_position_embeddings - min(_ANSWER_ROOM, config.max_position_embeddings // 2)
        turns = self._parts.history_turns
        kept = list(history if turns is None else history[max(len(history) - turns, 0) :])
        while True:
            messages = [*history_messages(kept), question]
            ids = self._chat.encode(messages, open_thinking=generation.open_thinking)
            if len(ids) <= room:
                break
            if not kept:
                raise TurnTooLongError(
                    f"The question is too long for this model ({len(ids)} of at most {room} positions): "
                    "ask it in fewer words."
                )
            kept.pop(0)
        if generation.fit_reference and voice.ref_codes is not None:
            ids = self._lengthen(ids, messages, voice.ref_codes.shape[1] + 1, room)
        return ids

    def _lengthen(self, ids: list[int], messages: list[Message], wanted: int, room: int) -> list[int]:
        """Put system text in front until the prompt has `wanted` positions, as far as `room` allows."""
        text = ""
        while len(ids) < wanted:
            text += _FILLER
            longer = self._chat.encode(
                [Message("system", text.strip()), *messages],
                open_thinking=self._parts.generation.open_thinking,
            )
            if len(longer) > room:
                break
            ids = longer
        return ids


def _after(calls: int) -> Callable[[], bool]:
    """A `cancelled` that says yes after some calls."""
    count = 0

    def cancelled() -> bool:
        nonlocal count
        count += 1
        return count > calls

    return cancelled


def _folder_voices(folder: Path, config: OmniConfig) -> dict[str, Voice]:
    """The voices of a model folder; without a voice file, one that leaves the voice to the model."""
    for name in ("voices.safetensors", "voices.pt"):
        if (folder / name).is_file():
            voices = load_voices(folder / name, config)
            if voices:
                return voices
    return {DEFAULT_VOICE: Voice(DEFAULT_VOICE)}


class _Turn:
    """One reply being generated and decoded, with its clock."""

    def __init__(
        self,
        parts: EngineParts,
        voice: Voice,
        control: TextControl,
        silence: frozenset[int],
        prompt: Prompt,
        seed: int | None,
        cancelled: Callable[[], bool],
    ) -> None:
        has_reference = bool((prompt.audio_ids[0] < parts.config.code_count).any())
        self._parts = parts
        self._speaker = voice.spk_emb
        self._generation = Generation(
            parts.network,
            prompt,
            parts.generation,
            parts.config,
            control,
            seed=seed,
            silence=silence,
            has_reference=has_reference,
            cancelled=cancelled,
        )
        self._eos = control.eos
        self._watchdog = False
        self._reply: list[str] = []
        self._step_ms: list[float] = []
        self._compute = 0.0
        self._frames = 0
        self._first_audio_ms = 0.0

    def pieces(self, started: float) -> Iterator[TurnPiece]:
        """Text and audio pieces; `started` is when the turn began, for the time to the first audio."""
        text = self._parts.tokenizer.stream()
        decoder = self._parts.codec.stream(self._speaker)
        quiet = 0
        ended = False
        for step in self._generation:
            self._compute += step.seconds
            if step.index:
                self._step_ms.append(step.seconds * 1e3)
            if step.text_id is not None and not step.thinking:
                ended = step.text_id == self._eos
                new = text.finish() if ended else text.push(step.text_id)
                if new:
                    self._reply.append(new)
                    yield TextPiece(new)
            if step.frame is None:
                continue
            begun = time.perf_counter()
            samples: NDArray[np.float32] = soft_limit(decoder.step(torch.from_numpy(step.frame)))
            self._compute += time.perf_counter() - begun
            if self._frames == 0:
                self._first_audio_ms = (time.perf_counter() - started) * 1e3
            self._frames += 1
            yield AudioPiece(self._frames - 1, samples)
            quiet = quiet + 1 if is_quiet(samples) else 0
            if self._parts.generation.length_guards and quiet >= _QUIET_FRAMES_LIMIT:
                self._watchdog = True
                break
        rest = "" if ended else text.finish()
        if rest:
            self._reply.append(rest)
            yield TextPiece(rest)

    def stats(self, heard: str, voice: str, encode_ms: float) -> TurnStats:
        """Figures of the finished turn."""
        seconds = self._frames / FRAMES_PER_SECOND
        steps = np.array(self._step_ms or [0.0])
        reason = StopReason.SILENCE_WATCHDOG if self._watchdog else self._generation.stop_reason
        if self._frames == 0 and reason is not StopReason.CANCELLED:
            log.warning("the turn gave no speech (%s)", reason)
            reason = StopReason.ERROR
        return TurnStats(
            heard=heard,
            reply="".join(self._reply).strip(),
            voice=voice,
            stop_reason=reason,
            seed=self._generation.seed,
            frames=self._frames,
            audio_seconds=seconds,
            encode_ms=encode_ms,
            prefill_ms=self._generation.prefill_seconds * 1e3,
            first_audio_ms=self._first_audio_ms,
            step_ms_median=float(np.median(steps)),
            step_ms_p95=float(np.percentile(steps, 95)),
            rtf=self._compute / seconds if seconds else 0.0,
        )
