"""Speech from files and speech to files. No Qt, no torch."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import stat
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from app.omni.turn import INPUT_RATE

if TYPE_CHECKING:
    from av import AudioFrame
    from av.container import InputContainer

MIN_SPEECH_S = 0.2
MAX_SPEECH_S = 60.0
SILENCE_DBFS = -60.0

_SILENCE_PEAK = 10 ** (SILENCE_DBFS / 20)
_LOWEST_RATE = 4_000
_BLOCK_FRAMES = 65_536

Mono = NDArray[np.float32]


class AudioFileError(Exception):
    """A file that cannot be used; the text is one sentence for the user."""


class _Unreadable(Exception):
    """This reader does not know the format."""


def read_speech(path: Path | str, longest_s: float = MAX_SPEECH_S, wanted_rate: int = INPUT_RATE) -> Mono:
    """Speech in any format that libsndfile or FFmpeg reads, as float32 mono at `wanted_rate` within ±1.

    Channels are averaged; a file with samples beyond ±1 is scaled down as a whole. At most `longest_s` are
    decoded. Raises AudioFileError for a file that is missing, a folder, not audio or without an audio stream,
    and for speech that is shorter than 0.2 s, longer than `longest_s`, silent (never louder than −60 dBFS, a
    constant offset aside) or not made of numbers.
    """
    path = Path(path)
    _check_is_file(path)
    rate, samples = _decode(path, longest_s)
    seconds = len(samples) / rate
    if len(samples) == 0:
        raise AudioFileError(f"{path} has no sound in it; choose a recording of speech.")
    if seconds > longest_s:
        raise AudioFileError(f"{path} is longer than {longest_s:.0f} seconds; cut out the part you need.")
    if seconds < MIN_SPEECH_S:
        raise AudioFileError(
            f"{path} is only {seconds:.2f} seconds long; speech needs at least {MIN_SPEECH_S} seconds."
        )
    if not np.isfinite(samples).all():
        raise AudioFileError(f"{path} contains samples that are not numbers; export the recording again.")
    offset = float(np.mean(samples, dtype=np.float64))
    if np.abs(samples - offset).max() < _SILENCE_PEAK:
        raise AudioFileError(
            f"{path} is silent (nothing in it is louder than {SILENCE_DBFS:.0f} dBFS); "
            "check the microphone and record again."
        )
    peak = float(np.abs(samples).max())
    if peak > 1.0:
        samples = samples / np.float32(peak)
    if rate != wanted_rate:
        samples = soxr.resample(samples, rate, wanted_rate)
    return np.clip(samples, -1.0, 1.0).astype(np.float32)


def write_wav(path: Path | str, samples: NDArray[np.float32], rate: int) -> None:
    """Write float32 [n], or [n, channels], as a 16-bit WAV file, whole or not at all; beyond ±1 is clipped.

    Raises AudioFileError when the file cannot be written, ValueError for samples that are not finite.
    """
    path = Path(path)
    samples = np.asarray(samples, np.float32)
    if not np.isfinite(samples).all():
        raise ValueError("the samples are not all finite")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as out:
        out.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(np.rint(np.clip(samples, -1.0, 1.0) * 32_767).astype("<i2").tobytes())
    with _writing(path):
        _replace(path, buffer.getvalue())


def write_text(path: Path | str, text: str) -> None:
    """Write UTF-8 text, whole or not at all. Raises AudioFileError when the file cannot be written."""
    path = Path(path)
    with _writing(path):
        _replace(path, text.encode())


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a file, whole or not at all. Raises AudioFileError when it cannot be written."""
    path = Path(path)
    with _writing(path):
        _replace(path, content)


def check_can_write(path: Path | str) -> None:
    """Find out before the work whether `path` can be written; changes nothing. Raises AudioFileError."""
    path = Path(path)
    with _writing(path):
        if _is_device(path):
            with path.open("ab"):
                return
        part = _part_name(path)
        with part.open("xb"):
            pass
        part.unlink()


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        if path.is_dir():
            raise AudioFileError(f"{path} is a folder; give the name of a file to write.")
        if not path.parent.is_dir():
            raise AudioFileError(f"There is no folder {path.parent}; create it first.")
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AudioFileError(f"{path} cannot be written ({reason}); choose another place.") from error


def _is_device(path: Path) -> bool:
    """Whether `path` is something like /dev/null, which must be written to and never replaced."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _part_name(path: Path) -> Path:
    target = path.resolve() if path.is_symlink() else path
    return target.with_name(f".{secrets.token_hex(6)}.part")


def _replace(path: Path, content: bytes) -> None:
    if _is_device(path):
        path.write_bytes(content)
        return
    part = _part_name(path)
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path.resolve() if path.is_symlink() else path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _check_is_file(path: Path) -> None:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise AudioFileError(f"{path} is a folder; choose a sound file.")
        if not stat.S_ISREG(mode):
            raise AudioFileError(f"{path} is not a file; choose a sound file.")
        with path.open("rb") as file:
            empty = not file.read(1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise AudioFileError(f"There is no file {path}; check the name.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AudioFileError(f"{path} cannot be read ({reason}).") from error
    if empty:
        raise AudioFileError(f"{path} is empty; choose a recording of speech.")


def _decode(path: Path, longest_s: float) -> tuple[int, Mono]:
    """The rate and the mono samples of a file; slightly more than `longest_s` of a longer file."""
    # libsndfile's MPEG reader writes its remarks on stderr, past Python; FFmpeg reads that quietly.
    if not _looks_like_mpeg(path):
        with contextlib.suppress(_Unreadable):
            return _decode_sndfile(path, longest_s)
    try:
        return _decode_ffmpeg(path, longest_s)
    except _Unreadable as error:
        raise AudioFileError(f"{path} is not a sound file that can be read; choose another one.") from error


def _looks_like_mpeg(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(3)
    return head == b"ID3" or (len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0)


def _decode_sndfile(path: Path, longest_s: float) -> tuple[int, Mono]:
    try:
        # A descriptor instead of a name: the name's ending must not decide what the content is.
        with path.open("rb") as opened, soundfile.SoundFile(opened.fileno(), closefd=False) as file:
            rate = _checked_rate(path, file.samplerate)
            blocks: list[Mono] = []
            left = _most_frames(rate, longest_s)
            while left > 0:
                block = file.read(min(left, _BLOCK_FRAMES), dtype="float32", always_2d=True)
                if len(block) == 0:
                    break
                blocks.append(_mono(block.T))
                left -= len(block)
    except (soundfile.SoundFileError, OSError, TypeError, ValueError) as error:
        raise _Unreadable from error
    return rate, _joined(blocks)


def _decode_ffmpeg(path: Path, longest_s: float) -> tuple[int, Mono]:
    import av  # 50 MB of libraries that WAV, FLAC and Ogg do not need

    blocks: list[Mono] = []
    rate = 0
    try:
        # An open file instead of a name: FFmpeg takes some names for network addresses.
        with path.open("rb") as opened, av.open(opened, "r", metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise AudioFileError(f"{path} has no sound in it; choose a recording of speech.")
            left = 1
            for frame in _frames(container):
                if rate == 0:
                    rate = _checked_rate(path, frame.sample_rate)
                    left = _most_frames(rate, longest_s)
                elif frame.sample_rate != rate:
                    raise AudioFileError(f"{path} changes its sample rate midway; convert it to WAV first.")
                channels = len(frame.layout.channels)
                blocks.append(_mono(_as_float(frame.to_ndarray(), frame.format.is_planar, channels)))
                left -= frame.samples
                if left <= 0:
                    break
    except (av.error.FFmpegError, OSError, ValueError, LookupError) as error:
        # A recording that breaks off is still a recording.
        if not blocks:
            raise _Unreadable from error
    return rate or INPUT_RATE, _joined(blocks)


def _frames(container: InputContainer) -> Iterator[AudioFrame]:
    """The decoded pieces of the first audio stream; damaged packets are left out, as players do."""
    from av.error import InvalidDataError

    for packet in container.demux(container.streams.audio[0]):
        try:
            frames = packet.decode()
        except InvalidDataError:
            continue
        yield from frames


def _as_float(data: NDArray[Any], planar: bool, channels: int) -> NDArray[np.float32]:
    """Decoded samples of any type as float32 [channels, n]."""
    if not planar:
        data = data.reshape(-1, channels).T
    if data.dtype.kind == "f":
        return data.astype(np.float32)
    if data.dtype == np.uint8:
        return (data.astype(np.float32) - np.float32(128)) / np.float32(128)
    return (data / -float(np.iinfo(data.dtype).min)).astype(np.float32)


def _checked_rate(path: Path, rate: int) -> int:
    if rate < _LOWEST_RATE:
        raise AudioFileError(f"{path} has a rate of {rate} Hz; speech needs at least {_LOWEST_RATE} Hz.")
    return rate


def _most_frames(rate: int, longest_s: float) -> int:
    """One frame more than the longest that is wanted: enough to know that it is too long."""
    return int(longest_s * rate) + 1


def _mono(channels: NDArray[np.float32]) -> Mono:
    return channels.mean(axis=0, dtype=np.float32)


def _joined(blocks: list[Mono]) -> Mono:
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)
