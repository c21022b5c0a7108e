"""Making, importing and speaking with voices in a real model's process, and from the command line."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from app.engine.host import EngineHost
from app.engine.protocol import Event, Failed, Ready, TurnDone, VoiceMade, VoicesChanged, VoicesRead
from app.engine.voice_data import unpack
from app.omni.turn import TRIAL_VOICE, StopReason
from app.voices.library import Library
from tests.voices.tiny_engine import FACTORY, TimbreEncoder, folder_with_speaker

WAIT_S = 240.0


class Client:
    """A host with the tiny model, and its events in order."""

    def __init__(self, model: Path, own: Path) -> None:
        self.library = Library(own)
        self.events: queue.Queue[Event] = queue.Queue()
        self.host = EngineHost(self.events.put, factory=FACTORY)
        self.host.start()
        self.host.load(model, threads=1, own_voices=own)

    def until(self, wanted: Callable[[Event], bool]) -> Event:
        deadline = time.monotonic() + WAIT_S
        while True:
            event = self.events.get(timeout=max(0.1, deadline - time.monotonic()))
            if wanted(event):
                return event

    def job(self, number: int) -> Event:
        kinds = (VoiceMade, VoicesRead, Failed, TurnDone)
        return self.until(lambda event: isinstance(event, kinds) and event.turn == number)

    def voices(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        self.host.refresh_voices()
        event = self.until(lambda event: isinstance(event, VoicesChanged))
        assert isinstance(event, VoicesChanged)
        return event.info.voices, event.info.own_voices

    def speaks_in(self, voice: str) -> bool:
        event = self.job(self.host.start_turn(text="hello", voice=voice, seed=1))
        return isinstance(event, TurnDone) and event.stats.stop_reason != StopReason.ERROR


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    return folder_with_speaker(folder)


@pytest.fixture
def client(model: Path, tmp_path: Path) -> Iterator[Client]:
    client = Client(model, tmp_path / "voices")
    client.until(lambda event: isinstance(event, Ready))
    yield client
    client.host.close()


def sound(pitch: float) -> np.ndarray:
    time_s = np.arange(3 * 24_000) / 24_000
    partials = [np.sin(2 * np.pi * pitch * n * time_s) / n for n in range(1, 9)]
    return np.asarray(0.2 * np.sum(partials, 0), np.float32)


def test_a_voice_is_made_kept_used_renamed_and_deleted(client: Client) -> None:
    assert not client.speaks_in(TRIAL_VOICE), "no voice has been made yet"
    made = client.job(client.host.make_voice(sound(110)))
    assert isinstance(made, VoiceMade)
    voice = unpack(made.voice, "Tiny", "timbre")
    assert np.allclose(voice.spk_emb, TimbreEncoder().embed(sound(110)).numpy())
    # Three seconds and half a second of silence at 12.5 frames a second.
    assert voice.ref_codes is not None and voice.ref_codes.shape == (8, 44)
    assert client.speaks_in(TRIAL_VOICE)
    client.library.add(replace(voice, name="Grandma"))
    assert not client.speaks_in("Grandma"), "the folder has not been read again"
    assert client.voices() == (("Zoe", "Adam", "Both", "Grandma"), ("Grandma",))
    assert client.speaks_in("Grandma")
    client.library.rename("Grandma", "Gran")
    assert client.voices()[1] == ("Gran",)
    assert client.speaks_in("Gran") and not client.speaks_in("Grandma")
    client.library.delete("Gran")
    assert client.voices() == (("Zoe", "Adam", "Both"), ())


def test_own_voices_are_there_after_a_restart_as_far_as_they_fit(client: Client) -> None:
    made = client.job(client.host.make_voice(sound(110)))
    assert isinstance(made, VoiceMade)
    voice = unpack(made.voice, "Tiny", "timbre")
    assert voice.ref_codes is not None
    client.library.add(replace(voice, name="Gran"))
    client.library.add(replace(voice, name="Stranger", speaker="campplus"))
    client.library.add(replace(voice, name="Large", spk_emb=np.zeros(192, np.float32)))
    client.library.add(replace(voice, name="Odd codes", ref_codes=voice.ref_codes + 1000))
    (client.library.folder / "damaged.safetensors").write_bytes(b"oh")
    client.host.load(client.library.folder.parent / "model", threads=1, own_voices=client.library.folder)
    ready = client.until(lambda event: isinstance(event, Ready))
    assert isinstance(ready, Ready) and ready.info.own_voices == ("Gran",)
    assert ready.info.clip_s == 3.0 and ready.info.speaker == "timbre" and ready.info.speaker_size == 8
    assert client.speaks_in("Gran")
    assert len(list(client.library.folder.glob("*.safetensors"))) == 5, "nothing that does not fit is lost"


def test_what_is_no_clip_and_no_file_of_voices_is_refused_in_one_sentence(client: Client, tmp_path: Path) -> None:
    for samples in (np.zeros(72_000, np.float32), sound(110)[:1_000], np.full(72_000, np.nan, np.float32)):
        failed = client.job(client.host.make_voice(samples))
        assert isinstance(failed, Failed) and "longer clip" in failed.message and not failed.fatal
    evil = tmp_path / "evil.pt"
    torch.save({"Eve": {"spk_emb": _Harmful(tmp_path / "harm")}}, evil)
    other = tmp_path / "other.pt"
    torch.save({"weights": torch.zeros(3)}, other)
    (tmp_path / "text.pt").write_text("hello")
    for path in (evil, other, tmp_path / "text.pt", tmp_path / "gone.pt"):
        failed = client.job(client.host.import_voices(path))
        assert isinstance(failed, Failed) and failed.message.endswith((".", ".\n")) and not failed.fatal
    assert not (tmp_path / "harm").exists()
    assert client.speaks_in("Zoe")


def test_a_file_of_voices_of_minimind_is_read(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "voices.pt"
    codes = torch.arange(24).reshape(8, 3)
    torch.save(
        {"dylan": {"spk_emb": torch.ones(1, 192), "ref_codes": codes}, "eric": {"spk_emb": torch.zeros(192)}}, path
    )
    read = client.job(client.host.import_voices(path))
    assert isinstance(read, VoicesRead)
    voices = [unpack(data) for data in read.voices]
    assert [voice.name for voice in voices] == ["dylan", "eric"] and voices[0].spk_emb.shape == (192,)
    assert voices[0].ref_codes is not None and np.array_equal(voices[0].ref_codes, codes.numpy())


class _Harmful:
    """Pickled, it asks the reader to make a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        import os

        return os.mkdir, (str(self.path),)
