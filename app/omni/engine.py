"""A loaded model that answers turns: ears, Thinker, Talker and codec put together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError

from app.omni.chat import CALL_MARKERS, READ_ALOUD, ChatTemplate, Message, history_messages
from app.omni.checkpoint import load_config, load_model
from app.omni.choosing import choose
from app.omni.config import ConfigError, OmniConfig
from app.omni.devices import best_device
from app.omni.errors import DamagedModelError, SayError, TurnTooLongError
from app.omni.eyes import Eyes, load_eyes
from app.omni.generate import GenerationConfig, TextControl
from app.omni.hearing import Hearing
from app.omni.parts import EngineParts
from app.omni.prompt import build_prompt
from app.omni.published import CODEC, ENCODER, PUBLISHED_VOICES, with_published_parts
from app.omni.refusals import refusals
from app.omni.reply import Reply
from app.omni.sampler import SamplerError
from app.omni.silence import silence_codes
from app.omni.stepper import Stepper
from app.omni.tokenizer import OmniTokenizer
from app.omni.turn import INPUT_RATE, Exchange, ModelInfo, TurnPiece, TurnRequest
from app.omni.voice import Voice, VoiceFileError, load_voices
from app.omni.voice_book import VoiceBook
from app.speech import registry
from app.speech.interfaces import CodeFinder, Composed, KnownQuestion, QuestionReader, Transcriber
from app.speech.matrix import int8_is_fast
from app.speech.phrases import Phrase, split_phrases
from app.speech.speakable import speakable
from app.speech.text_reader import TextReader
from app.voices import file as voice_file
from app.voices.choose import CHOSEN_S
from app.voices.file import OwnVoice

DEFAULT_VOICE = "default"
MAX_SAY = 5_000
"""Characters of a text that is spoken in one turn."""
_ANSWER_ROOM = 128
#: Hums of four synthetic voices taken for three words or more: -0.4 and below, clear short phrases: above.
_CERTAIN = -0.4
_WARM_UP_STEPS = 4
#: The products of a network with fewer parameters are so short that waking a second thread costs more than it saves.
_SMALL = 60_000_000
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


class OmniEngine:
    """Answers one turn at a time; not safe to share between threads."""

    def __init__(self, parts: EngineParts) -> None:
        self.info = parts.info
        self._parts = parts
        self.voices = VoiceBook(parts.voices, parts.config, parts.speaker, parts.codec)
        self._chat = ChatTemplate(parts.tokenizer, parts.config)
        self._control = TextControl.of(parts.config, parts.tokenizer.newline_id, _call_markers(parts.tokenizer))
        self._silence = silence_codes(parts.codec)
        self._eyes = Eyes(parts.eyes, parts.info.name, bool(parts.config.image_ids))

    @classmethod
    def load(
        cls, folder: str | Path, *, threads: int, progress: ProgressCallback | None = None, device: str = "auto"
    ) -> OmniEngine:
        """Load a model folder and warm it up.

        `threads` bounds what is used of the processor: torch's threads, for the whole process, or one for a small
        network and another one for the codec. `device`: where a large network computes, as torch calls it; "auto" takes
        a graphics processor where there is one. `progress` gets a short phrase and a fraction 0…1. Raises
        DamagedModelError with one clear sentence.
        """
        tell = progress or (lambda stage, fraction: None)
        folder = Path(folder)
        torch.set_num_threads(max(threads, 1))
        try:
            tell("Reading the model", 0.0)
            config = with_published_parts(load_config(folder), folder)
            section = config.banter
            generation = GenerationConfig.from_dict(section.get("generation", {}))
            tokenizer = OmniTokenizer.load(folder)
            voices = _folder_voices(folder, config)
            model = load_model(folder, config)
            tell("Preparing the network", 0.4)
            int8 = section.get("weights") == "int8" and int8_is_fast()
            parameters = sum(p.numel() for p in model.parameters())
            if parameters < _SMALL:
                torch.set_num_threads(1)
                network = Stepper(model, form="int8-exact" if int8 else "float32")
            else:
                # One is the codec's.
                torch.set_num_threads(max(threads - 1, 1))
                place = best_device() if device == "auto" else torch.device(device)
                network = choose(model) if place.type == "cpu" else Stepper(model, device=place)
                # What is quicker for the network is so for the codec.
                int8 = network.form == "int8"
            del model
            tell("Loading the ears", 0.6)
            encoder = registry.load_encoder(section.get("encoder", ENCODER), folder, int8=int8)
            tell("Loading the voice", 0.75)
            codec = registry.load_codec(section.get("codec", CODEC), folder, int8=int8)
            kind = str(section.get("speaker", ""))
            speaker = registry.load_speaker_encoder(kind, folder) if kind else None
            reader = TextReader.load(folder, codec.nearest) if isinstance(codec, CodeFinder) else None
            eyes = load_eyes(folder, config)
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
            **refusals(folder)._asdict(),
            sees=eyes is not None,
        )
        turns = section.get("history_turns")
        parts = EngineParts(config, network, tokenizer, encoder, codec, voices, generation, info, speaker, eyes)
        engine = cls(replace(parts, history_turns=turns, spare_core=threads > 1, reader=reader))
        tell("Warming up", 0.9)
        engine.warm_up()
        tell("Ready", 1.0)
        return engine

    def warm_up(self) -> None:
        """Run every part once, so that the first turn is as fast as the others."""
        audio = np.zeros(INPUT_RATE // 2, dtype=np.float32)
        for _piece in self.run(TurnRequest(audio=audio, seed=0), _after(_WARM_UP_STEPS)):
            pass
        self._parts.codec.stream().step(torch.zeros(8, dtype=torch.int64))

    @property
    def generation(self) -> GenerationConfig:
        """How replies are generated; may be set between turns."""
        return self._parts.generation

    @generation.setter
    def generation(self, generation: GenerationConfig) -> None:
        self._parts = replace(self._parts, generation=generation)

    def by_talker(self) -> OmniEngine:
        """The same model, whose given words are all read by its Talker."""
        made = OmniEngine(replace(self._parts, reader=None))
        made.info, made.voices = self.info, self.voices
        return made

    def run(self, request: TurnRequest, cancelled: Callable[[], bool]) -> Iterator[TurnPiece]:
        """Answer a turn piece by piece, `TurnStats` last. `cancelled` is asked at every step.

        Raises UnknownVoiceError, TurnTooLongError, BlindModelError for a picture that cannot be seen, SayError for
        words that cannot be said, and ValueError unless exactly one of audio and text is given; with words to say, both
        may be missing.
        """
        asked = (request.audio is not None) + (request.text is not None)
        if asked != 1 and (asked or request.say is None):
            raise ValueError("A turn needs either audio or text.")
        phrases = None if request.say is None else self._phrases(request.say)
        started = time.perf_counter()
        voice = self.voices.get(request.voice)
        hearing = Hearing(self._parts.encoder, request)
        yield from hearing.at_once()
        features = hearing.features
        seen = None
        if request.image is not None:
            begun = time.perf_counter()
            seen = self._eyes.look(request.image)
            hearing.encode_ms += (time.perf_counter() - begun) * 1e3
        wording, history = (request.text or "") if asked else READ_ALOUD, request.history
        call = ""
        if isinstance(self._parts.encoder, QuestionReader):
            reads = self.generation.pace is not None
            known = None
            if asked and (phrases is None or not reads):
                known = self._parts.encoder.meant(hearing.text, [(one.q, one.a) for one in history])
            if isinstance(known, Composed):
                if phrases is None:
                    call, phrases = known.call, self._phrases(known.answer) if known.answer else None
                known = None
            if phrases is not None and reads:
                # Who has learnt to read aloud needs no question for it.
                known = KnownQuestion(READ_ALOUD)
            if known is not None:
                wording, history = known.question, tuple(Exchange(q, a) for q, a in known.turns)
            if request.audio is None or known is not None:
                features = self._parts.encoder.meaning(wording)
        rows = [0 if one is None else len(one) for one in (features, seen)]
        question = Message("user", wording, audio_rows=rows[0], image_rows=rows[1])
        parts = self._parts
        if request.temperature is not None:
            parts = replace(parts, generation=replace(parts.generation, temperature=request.temperature))
        if phrases is not None:
            # Given words are no thoughts.
            parts = replace(parts, generation=replace(parts.generation, open_thinking=False))
        ids = self._prompt_ids(question, history, voice, parts.generation, request.system.strip())
        prompt = build_prompt(parts.config, ids, voice, features, seen)
        reply = Reply(parts, voice, self._control, self._silence, prompt, request.seed, cancelled, started)
        pieces = reply.call(call) if call else reply.drawn() if phrases is None else reply.say(phrases)
        yield from hearing.beside(pieces, cancelled)
        yield reply.stats(hearing.text, hearing.encode_ms)

    def look(self, image: bytes) -> None:
        """A question about this picture (see `TurnRequest`) may follow: have its features ready."""
        if self.info.sees:
            self._eyes.look(image)

    def recognise(self, audio: NDArray[np.float32]) -> str:
        """The words in float32 mono speech at 16 kHz, "" where there are none or they are a guess.

        A recogniser makes words of a hum or a cough, but is not sure of them.
        """
        encoder = self._parts.encoder
        heard = encoder.transcribe(audio, lambda: False) if isinstance(encoder, Transcriber) else encoder.encode(audio)
        return heard.text if heard.certainty >= _CERTAIN else ""

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

    def _phrases(self, text: str) -> list[Phrase]:
        """What is to be said, in words and short enough pieces."""
        if len(text) > MAX_SAY:
            raise SayError(f"The text has {len(text)} characters; at most {MAX_SAY} can be said at once.")
        plain = self._parts.tokenizer.without_tags(text)
        words = speakable(plain, english="en" in self.info.languages)
        phrases = split_phrases(self._parts.tokenizer.without_tags(words))
        if not phrases:
            raise SayError("There is nothing to say in this text; write some words.")
        if (reader := self._parts.reader) is not None:
            phrases = [phrase for phrase in phrases if reader.can_read(phrase.text)]
            if not phrases:
                raise SayError("This voice reads English letters only; write some English words.")
        return phrases

    def _prompt_ids(
        self, question: Message, history: Sequence[Exchange], voice: Voice, generation: GenerationConfig, system: str
    ) -> list[int]:
        """Ids of the prompt; of the exchanges the newest that the model and its context can hold."""
        opening = [Message("system", system)] if system else []
        config = self._parts.config
        room = config.max_position_embeddings - min(_ANSWER_ROOM, config.max_position_embeddings // 2)
        turns = self._parts.history_turns
        kept = list(history if turns is None else history[max(len(history) - turns, 0) :])
        while True:
            messages = [*opening, *history_messages(kept), question]
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
            wanted = voice.ref_codes.shape[1] + 1
            ids = self._lengthen(ids, messages, wanted, room, generation.open_thinking)
        return ids

    def _lengthen(self, ids: list[int], messages: list[Message], wanted: int, room: int, thinking: bool) -> list[int]:
        """Put system text in front until the prompt has `wanted` positions, as far as `room` allows."""
        text = ""
        if messages[0].role == "system":
            text, messages = messages[0].content + " ", messages[1:]
        while len(ids) < wanted:
            text += _FILLER
            longer = self._chat.encode([Message("system", text.strip()), *messages], open_thinking=thinking)
            if len(longer) > room:
                break
            ids = longer
        return ids


def _call_markers(tokenizer: OmniTokenizer) -> tuple[int, int] | None:
    opening, closing = map(tokenizer.id_of, CALL_MARKERS)
    return None if opening is None or closing is None else (opening, closing)


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
    if (folder / "voices.safetensors").is_file():
        return load_voices(folder / "voices.safetensors", config) or {DEFAULT_VOICE: Voice(DEFAULT_VOICE)}
    voices: dict[str, Voice] = {}
    for name in PUBLISHED_VOICES:
        if (folder / name).is_file():
            voices |= load_voices(folder / name, config)
    return voices or {DEFAULT_VOICE: Voice(DEFAULT_VOICE)}
