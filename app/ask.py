"""The verbs `ask` and `voices`: one question or a file of them, answered by an engine in this process. A tool that the
model calls is told of and not used.

Torch comes in with the engine, so that wrong input is refused at once.
"""

from __future__ import annotations

import json
import locale
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app import paths
from app.audiofile import AudioFileError, check_can_write, read_speech, write_wav
from app.engine.factory import OMNI_ENGINE, Engine, failure_sentence, load_engine
from app.engine.voice_jobs import read_own
from app.omni.turn import OUTPUT_RATE, AudioPiece, Exchange, TextPiece, ToolCallPiece, TurnRequest, TurnStats
from app.pictures import PictureError, describe, read_picture
from app.voices.file import ENDING

MAX_TEXT = 500
MAX_SEED = 2**63 - 1

_BATCH_KEYS = ("audio", "text", "image", "history", "out", "voice", "seed")


class AskError(Exception):
    """A question that cannot be answered; the text is one sentence for the user."""


class ModelError(AskError):
    """A model that cannot be used: no question can be answered."""


@dataclass(frozen=True)
class Question:
    """One question as given: `audio` or `text`, exactly one of them, perhaps about the picture `image`, which may also
    come alone. `out`: where the speech goes.
    """

    audio: Path | None = None
    text: str | None = None
    history: tuple[Exchange, ...] = ()
    voice: str = ""
    seed: int | None = None
    out: Path | None = None
    image: Path | None = None

    def request(self) -> TurnRequest:
        """Check the question and read its files. Raises AskError, AudioFileError."""
        if (self.audio is None) == (self.text is None) and (self.image is None or self.audio is not None):
            raise AskError("Give either a sound file or a text, and not both.")
        check_seed(self.seed)
        audio, text = None, None
        if self.audio is not None:
            audio = read_speech(self.audio)
        else:
            text = " ".join((self.text or "").split())
            if not text and self.image is not None:
                text = describe(locale.getlocale()[0] or "")
            if not text:
                raise AskError("The text is empty; write a question.")
            if len(text) > MAX_TEXT:
                raise AskError(f"The text has {len(text)} characters; ask in at most {MAX_TEXT}.")
        if self.out is not None:
            check_can_write(self.out)
        try:
            image = None if self.image is None else read_picture(self.image)
        except PictureError as error:
            raise AskError(str(error)) from error
        return TurnRequest(audio, text, self.history, self.voice, self.seed, image=image)


@dataclass(frozen=True)
class Answer:
    """An answer: its figures, the speech as float32 at 24 kHz, and the tools that were called."""

    stats: TurnStats
    speech: NDArray[np.float32]
    calls: tuple[ToolCallPiece, ...]

    def json_line(self, load_s: float) -> str:
        """Everything but the speech, as one line of JSON; `load_s` is how long the model took to load."""
        stats = self.stats
        answer = {
            "heard": stats.heard,
            "reply": stats.reply,
            "tool_calls": [entry for call in self.calls for entry in _entries(call)],
            "voice": stats.voice,
            "stop_reason": str(stats.stop_reason),
            "frames": stats.frames,
            "audio_seconds": _rounded(stats.audio_seconds),
            "seed": stats.seed,
            "timings": {
                "load_s": _rounded(load_s),
                "encode_ms": _rounded(stats.encode_ms),
                "prefill_ms": _rounded(stats.prefill_ms),
                "first_audio_ms": _rounded(stats.first_audio_ms),
                "step_ms_median": _rounded(stats.step_ms_median),
                "step_ms_p95": _rounded(stats.step_ms_p95),
                "rtf": _rounded(stats.rtf),
            },
        }
        return json.dumps(answer, ensure_ascii=False)


class Model:
    """The model in `folder`, loaded when it is first needed."""

    def __init__(self, folder: Path, threads: int, factory: str = OMNI_ENGINE, own_voices: Path | None = None) -> None:
        """`own_voices` is the folder of the user's own voices, those of this user by default."""
        self.load_s = 0.0
        self._own_voices = own_voices or paths.voices_dir()
        self._files: dict[str, str] = {}
        self._folder = folder
        self._threads = threads
        self._factory = factory
        self._engine: Engine | None = None

    def engine(self) -> Engine:
        """The loaded engine. Raises ModelError."""
        if self._engine is None:
            self._engine = self._load()
        return self._engine

    def answer(
        self,
        request: TurnRequest,
        on_text: Callable[[str], None] = lambda text: None,
        on_audio: Callable[[NDArray[np.float32]], None] = lambda samples: None,
    ) -> Answer:
        """Run one turn; text and speech are handed on as they come. Raises AskError."""
        engine = self.engine()
        frames: list[NDArray[np.float32]] = []
        calls: list[ToolCallPiece] = []
        stats: TurnStats | None = None
        try:
            request = replace(request, voice=self._voice(engine, request.voice))
            for piece in engine.run(request, lambda: False):
                match piece:
                    case TextPiece(text):
                        on_text(text)
                    case AudioPiece(samples=samples):
                        frames.append(samples)
                        on_audio(samples)
                    case ToolCallPiece():
                        calls.append(piece)
                    case TurnStats():
                        stats = piece
            if stats is None:
                raise RuntimeError("the model stopped before the end of its answer")
        except Exception as error:
            raise AskError(failure_sentence(error, "answering")) from error
        return Answer(stats, np.concatenate([np.zeros(0, np.float32), *frames]), tuple(calls))

    def _voice(self, engine: Engine, voice: str) -> str:
        """The name of the voice that is wanted, which may be given as a voice file."""
        use = getattr(engine, "use_voice_file", None)
        if use is None or not voice.endswith(ENDING) or voice in engine.info.voices:
            return voice
        if voice not in self._files:
            self._files[voice] = use(Path(voice))
        return self._files[voice]

    def _load(self) -> Engine:
        if not self._folder.is_dir():
            raise ModelError(f"There is no model folder {self._folder}; check the name.")
        if not sys.warnoptions:
            # Remarks of libraries are not for whoever asks; `python -W default` brings them back.
            warnings.simplefilter("ignore")
        started = time.perf_counter()
        try:
            engine = load_engine(self._factory, self._folder, threads=self._threads)
            read_own(engine, str(self._own_voices))
        except Exception as error:
            raise ModelError(failure_sentence(error, "loading the model")) from error
        self.load_s = time.perf_counter() - started
        return engine


def ask(question: Question, model: Model, *, as_json: bool) -> None:
    """Answer one question: text to stderr as it comes, JSON or the reply to stdout, speech to `question.out`. A tool
    that is called instead goes to stdout, too.

    Raises AskError, AudioFileError.
    """
    answer = _answer(question.request(), question.out, model)
    if as_json:
        print(answer.json_line(model.load_s))
        return
    if answer.stats.reply and not (sys.stdout.isatty() and sys.stderr.isatty()):
        # On a terminal the reply has just been read.
        print(answer.stats.reply)
    for call in answer.calls:
        print(call.text.strip())


def ask_batch(source: Path, model: Model, default: Question) -> tuple[int, int]:
    """Answer every line of a JSON-lines file; prints one JSON line for each, `{"error": …}` for one that
    failed.

    A line is an object with `audio` or `text` and, where wanted, `image`, `history` ([{"q", "a"}]), `out`, `voice`,
    `seed` (otherwise those of `default`). Names are relative to the current folder; empty lines are skipped.
    Returns the number of lines that failed and of all. Raises AskError for an unreadable file, ModelError.
    """
    failed = total = 0
    for line in _lines(source):
        total += 1
        try:
            question = _batch_question(line, default)
            result = _answer(question.request(), question.out, model).json_line(model.load_s)
        except ModelError:
            raise
        except (AskError, AudioFileError) as error:
            failed += 1
            result = json.dumps({"error": str(error)}, ensure_ascii=False)
        print(result, flush=True)
    return failed, total


def list_voices(model: Model) -> None:
    """Print the names of the model's voices, the default first. Raises ModelError."""
    for voice in model.engine().info.voices:
        print(voice)


def read_history(path: Path) -> tuple[Exchange, ...]:
    """Earlier exchanges from a JSON file: `[{"q": "…", "a": "…"}, …]`. Raises AskError."""
    try:
        value = _parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise AskError(f"The history {path} cannot be read ({_reason(error)}).") from error
    return _history(value, f"The history {path}")


def check_seed(seed: int | None) -> None:
    """Raises AskError for a seed out of range."""
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise AskError(f"The seed {seed} is out of range; use a whole number from 0 to {MAX_SEED}.")


def write_speech(answer: Answer, out: Path) -> None:
    """Write the speech as a WAV file. Raises AskError where there is none, AudioFileError."""
    if len(answer.speech) == 0:
        raise AskError(f"The answer has no speech in it, so {out} was not written; try another seed.")
    write_wav(out, answer.speech, OUTPUT_RATE)


def _answer(request: TurnRequest, out: Path | None, model: Model) -> Answer:
    written = False

    def show(text: str) -> None:
        nonlocal written
        print(text if written else text.lstrip(), end="", file=sys.stderr, flush=True)
        written = True

    try:
        answer = model.answer(request, show)
    finally:
        if written:
            print(file=sys.stderr, flush=True)
    if out is not None and answer.calls and len(answer.speech) == 0:
        print(f"A tool was called, which has no speech, so {out} was not written.", file=sys.stderr)
    elif out is not None:
        write_speech(answer, out)
    return answer


def _entries(call: ToolCallPiece) -> list[dict[str, Any]]:
    """What was called as JSON; where that is not objects with a name and arguments, one entry with null for both."""
    try:
        value = _parse_json(call.text.encode()) if call.closed else None
    except ValueError:
        value = None
    found = value if isinstance(value, list) else [value]
    good = [
        (one["name"], one["arguments"])
        for one in found
        if isinstance(one, dict) and isinstance(one.get("name"), str) and isinstance(one.get("arguments"), dict)
    ]
    if not good or len(good) < len(found):
        good = [(None, None)]
    return [{"name": name, "arguments": args, "raw": call.text, "closed": call.closed} for name, args in good]


def _rounded(value: float) -> float | None:
    # A turn without a frame has no step time; JSON has no NaN.
    return round(value, 3) if math.isfinite(value) else None


def _lines(source: Path) -> Iterator[bytes]:
    try:
        with source.open("rb") as file:
            yield from (line for line in file if line.strip())
    except (OSError, ValueError) as error:
        raise AskError(f"The batch {source} cannot be read ({_reason(error)}).") from error


def _batch_question(line: bytes, default: Question) -> Question:
    try:
        value = _parse_json(line)
    except ValueError as error:
        raise AskError(f"This line cannot be read ({_reason(error)}).") from error
    if not isinstance(value, dict):
        raise AskError('A line must be a JSON object such as {"text": "What time is it?"}.')
    unknown = sorted(set(value) - set(_BATCH_KEYS))
    if unknown:
        raise AskError(f"This line has the unknown key {unknown[0]!r}; use {', '.join(_BATCH_KEYS)}.")
    given = {key: item for key, item in value.items() if item is not None}
    for key in ("audio", "text", "image", "out", "voice"):
        if not isinstance(given.get(key, ""), str):
            raise AskError(f"The {key!r} of this line must be a string.")
    seed = given.get("seed", default.seed)
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise AskError("The 'seed' of this line must be a whole number.")
    return Question(
        audio=Path(given["audio"]) if "audio" in given else None,
        text=given.get("text"),
        history=_history(given.get("history", []), "The 'history' of this line"),
        voice=given.get("voice", default.voice),
        seed=seed,
        out=Path(given["out"]) if "out" in given else None,
        image=Path(given["image"]) if "image" in given else None,
    )


def _history(value: Any, name: str) -> tuple[Exchange, ...]:
    if not isinstance(value, list) or not all(_is_exchange(item) for item in value):
        raise AskError(f'{name} must be a JSON list of {{"q": "…", "a": "…"}} with two strings each.')
    return tuple(Exchange(item["q"], item["a"]) for item in value)


def _is_exchange(item: Any) -> bool:
    return isinstance(item, dict) and set(item) == {"q", "a"} and all(isinstance(text, str) for text in item.values())


def _parse_json(content: bytes) -> Any:
    """Raises ValueError with a short reason."""
    try:
        return json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8 text") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not valid JSON: {error.msg} in line {error.lineno}") from error


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
