"""Speech from files in many formats and states, and speech to files."""

from __future__ import annotations

import os
import stat
import sys
import wave
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile
import soxr
from numpy.typing import NDArray

from app.audiofile import AudioFileError, check_can_write, read_speech, write_wav

RATE = 48_000


def tone(seconds: float, rate: int = RATE, amplitude: float = 0.5) -> NDArray[np.float32]:
    """A 440 Hz tone, float32 mono."""
    return (amplitude * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def write_with_ffmpeg(path: Path, codec: str, samples: NDArray[np.float32], rate: int = RATE) -> None:
    """Encode mono samples as stereo."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate)
        assert isinstance(stream, av.AudioStream)
        stream.layout = "stereo"
        frame = av.AudioFrame.from_ndarray(np.stack([samples, samples]), format="fltp", layout="stereo")
        frame.sample_rate = rate
        resampler = av.AudioResampler(format=stream.format, layout="stereo", rate=rate)
        for piece in [*resampler.resample(frame), None]:
            container.mux(stream.encode(piece))


def strength_of_440(samples: NDArray[np.float32]) -> float:
    """Amplitude of the 440 Hz part at 16 kHz, away from the edges."""
    middle = samples[2_000:-2_000]
    angle = 2 * np.pi * 440 * np.arange(len(middle)) / 16_000
    return float(np.abs(np.mean(middle * np.exp(-1j * angle))) * 2)


def assert_is_the_tone(samples: NDArray[np.float32], tolerance_s: float = 0.06) -> None:
    assert samples.dtype == np.float32 and samples.ndim == 1
    assert len(samples) / 16_000 == pytest.approx(1.0, abs=tolerance_s)
    assert strength_of_440(samples) == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize(
    ("name", "subtype", "rate", "channels"),
    [
        ("a.wav", "PCM_16", 16_000, 1),
        ("a.wav", "PCM_U8", 8_000, 2),
        ("a.wav", "DOUBLE", 44_100, 6),
        ("a.wav", "ULAW", 22_050, 1),
        ("a.flac", "PCM_24", 96_000, 2),
        ("a.ogg", "VORBIS", 44_100, 2),
        ("a.aiff", "PCM_32", 11_025, 1),
        ("a.mp3", "MPEG_LAYER_III", 44_100, 2),
    ],
)
def test_reads_what_libsndfile_knows(tmp_path: Path, name: str, subtype: str, rate: int, channels: int) -> None:
    mono = tone(1.0, rate)
    soundfile.write(tmp_path / name, np.stack([mono] * channels, axis=1), rate, subtype=subtype)
    assert_is_the_tone(read_speech(tmp_path / name))


@pytest.mark.parametrize(("name", "codec"), [("a.m4a", "aac"), ("a.webm", "libopus"), ("a.avi", "pcm_s16le")])
def test_reads_what_ffmpeg_knows(tmp_path: Path, name: str, codec: str) -> None:
    write_with_ffmpeg(tmp_path / name, codec, tone(1.0))
    assert_is_the_tone(read_speech(tmp_path / name))


def test_content_counts_and_not_the_name(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.raw", tone(1.0), RATE, format="FLAC")
    assert_is_the_tone(read_speech(tmp_path / "a.raw"))


def test_too_loud_float_file_is_scaled(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1.0) * 40, RATE, subtype="FLOAT")
    samples = read_speech(tmp_path / "a.wav")
    assert np.abs(samples).max() <= 1.0
    assert strength_of_440(samples) == pytest.approx(1.0, rel=0.02)


def test_cut_off_recording_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1.0), RATE)
    whole = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "b.wav").write_bytes(whole[: len(whole) // 2])
    assert len(read_speech(tmp_path / "b.wav")) / 16_000 == pytest.approx(0.5, abs=0.01)


def test_damaged_stretch_is_left_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    soundfile.write(tmp_path / "a.mp3", tone(3.0), RATE)
    whole = (tmp_path / "a.mp3").read_bytes()
    noise = np.random.default_rng(0).bytes(3_000)
    (tmp_path / "b.mp3").write_bytes(whole[:4_000] + noise + whole[4_000:])
    assert len(read_speech(tmp_path / "b.mp3")) / 16_000 == pytest.approx(3.0, abs=0.5)
    assert capfd.readouterr().err == ""


BadFiles = dict[str, tuple[Path, str]]


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory: pytest.TempPathFactory) -> BadFiles:
    """Files that cannot be used and what the message must contain."""
    folder = tmp_path_factory.mktemp("bad")
    random = np.random.default_rng(0)

    def sound(name: str, samples: NDArray[np.float32]) -> Path:
        soundfile.write(folder / name, samples, 16_000, subtype="FLOAT")
        return folder / name

    def content(name: str, data: bytes) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    with_nan = tone(1.0, 16_000)
    with_nan[500] = np.nan
    with_infinity = tone(1.0, 16_000)
    with_infinity[500] = np.inf
    silent_video = folder / "picture.avi"
    with av.open(str(silent_video), "w") as container:
        stream = container.add_stream("mjpeg", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 32, "yuvj420p"
        picture = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")
        for frame in [picture, None]:
            container.mux(stream.encode(frame))
    return {
        "missing": (folder / "nowhere.wav", "no file"),
        "below a file": (content("plain", b"x") / "a.wav", "no file"),
        "folder": (folder, "is a folder"),
        "zero bytes": (content("zero.wav", b""), "is empty"),
        "text": (content("text.wav", b"Dear Sir or Madam,\n" * 50), "not a sound file"),
        "noise named mp3": (content("noise.mp3", random.bytes(50_000)), "not a sound file"),
        "mpeg marks and nothing": (
            content("marks.mp3", b"".join(b"\xff\xfb\x90\x00" + random.bytes(100) for _ in range(50))),
            "not a sound file",
        ),
        "half a header": (content("header.wav", b"RIFF\x24\x00\x00\x00WAVEfmt "), "not a sound file"),
        "video without sound": (silent_video, "has no sound"),
        "no samples": (sound("none.wav", np.zeros(0, np.float32)), "has no sound"),
        "zeros": (sound("zeros.wav", np.zeros(16_000, np.float32)), "is silent"),
        "whisper of noise": (sound("quiet.wav", tone(1.0, 16_000, 0.0009)), "is silent"),
        "constant": (sound("constant.wav", np.full(16_000, 0.5, np.float32)), "is silent"),
        "too short": (sound("short.wav", tone(0.19, 16_000)), "0.19 seconds"),
        "too long": (sound("long.wav", tone(60.1, 16_000)), "longer than 60 seconds"),
        "nan": (sound("nan.wav", with_nan), "not numbers"),
        "infinity": (sound("inf.wav", with_infinity), "not numbers"),
    }


CASES = [
    "missing",
    "below a file",
    "folder",
    "zero bytes",
    "text",
    "noise named mp3",
    "mpeg marks and nothing",
    "half a header",
    "video without sound",
    "no samples",
    "zeros",
    "whisper of noise",
    "constant",
    "too short",
    "too long",
    "nan",
    "infinity",
]


@pytest.mark.parametrize("case", CASES)
def test_bad_files_get_one_sentence(bad_files: BadFiles, case: str, capfd: pytest.CaptureFixture[str]) -> None:
    path, expected = bad_files[case]
    capfd.readouterr()
    with pytest.raises(AudioFileError) as caught:
        read_speech(path)
    sentence = str(caught.value)
    assert expected in sentence and str(path) in sentence
    assert sentence.endswith(".") and "\n" not in sentence
    assert capfd.readouterr() == ("", "")


def test_cases_are_complete(bad_files: BadFiles) -> None:
    assert set(bad_files) == set(CASES)


@pytest.mark.skipif(sys.platform == "win32", reason="no such device there")
def test_device_is_not_a_sound_file() -> None:
    with pytest.raises(AudioFileError, match="not a file"):
        read_speech("/dev/zero")


def test_limits_themselves_are_fine(tmp_path: Path) -> None:
    for seconds in (0.2, 60.0):
        soundfile.write(tmp_path / "a.wav", tone(seconds, 16_000), 16_000)
        assert len(read_speech(tmp_path / "a.wav")) == seconds * 16_000


def test_long_file_is_not_decoded_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hours of audio: a header that promises them, and a reader that would give them."""
    read = 0
    original = soundfile.SoundFile.read

    def counting(self: soundfile.SoundFile, frames: int = -1, *args: object, **options: object) -> object:
        nonlocal read
        block = original(self, frames, *args, **options)
        read += len(block)
        return block

    soundfile.write(tmp_path / "a.flac", np.tile(tone(1.0, 8_000), 600), 8_000)
    monkeypatch.setattr(soundfile.SoundFile, "read", counting)
    with pytest.raises(AudioFileError, match="longer than 60"):
        read_speech(tmp_path / "a.flac")
    assert read <= 61 * 8_000


def test_written_file_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    samples = soxr.resample(tone(0.5), RATE, 24_000).astype(np.float32)
    write_wav(path, samples, 24_000)
    back, rate = soundfile.read(path, dtype="float32")
    assert rate == 24_000 and soundfile.info(path).subtype == "PCM_16"
    assert np.abs(back - samples).max() < 1e-4
    assert [file.name for file in tmp_path.iterdir()] == ["a.wav"]


def test_loud_samples_are_clipped_and_not_wrapped(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", np.array([0.0, 1.5, -7.0, 1.0, -1.0], np.float32), 24_000)
    with wave.open(str(tmp_path / "a.wav")) as file:
        values = np.frombuffer(file.readframes(5), "<i2")
    assert values.tolist() == [0, 32_767, -32_767, 32_767, -32_767]


def test_samples_that_are_not_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="finite"):
        write_wav(tmp_path / "a.wav", np.array([np.nan], np.float32), 24_000)
    assert not (tmp_path / "a.wav").exists()


def test_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AudioFileError, match="No space left"):
        write_wav(path, tone(0.1), RATE)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.wav"]


def test_unwritable_places_get_one_sentence(tmp_path: Path) -> None:
    for path, expected in (
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "a.wav", "no folder"),
        (tmp_path / ("x" * 300), "cannot be written"),
        (tmp_path / "a\0b", "cannot be written"),
    ):
        with pytest.raises(AudioFileError, match=expected):
            check_can_write(path)
        with pytest.raises(AudioFileError, match=expected):
            write_wav(path, tone(0.1), RATE)


def test_check_leaves_nothing_and_changes_nothing(tmp_path: Path) -> None:
    check_can_write(tmp_path / "new.wav")
    assert not list(tmp_path.iterdir())
    (tmp_path / "old.wav").write_bytes(b"old")
    check_can_write(tmp_path / "old.wav")
    assert (tmp_path / "old.wav").read_bytes() == b"old"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX devices and links")
def test_devices_and_links_are_written_through(tmp_path: Path) -> None:
    write_wav(os.devnull, tone(0.1), RATE)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    (tmp_path / "link.wav").symlink_to(tmp_path / "real.wav")
    write_wav(tmp_path / "link.wav", tone(0.1), RATE)
    assert (tmp_path / "link.wav").is_symlink()
    assert soundfile.info(tmp_path / "real.wav").samplerate == RATE
