"""Devices that come and go while Banter listens and speaks: two virtual sound cards, one of which is unplugged."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.audio.catalogue import DEFAULT, DeviceName, Found
from tests.support.virtual_audio import ROOT, VirtualCard, missing, read_wav, virtual_card

pytestmark = pytest.mark.live

PROGRAM = """
import json, sys, time
import numpy as np
from app.audio.catalogue import DEFAULT, DeviceName
from app.gui.devices import Devices, Listeners

if __name__ == "__main__":
    started = time.monotonic()
    chunks, players = [], []

    def tell(what):
        return lambda *rest: print(json.dumps([what, *rest]), flush=True)

    devices = Devices(Listeners(
        chunks=chunks.extend, finished=tell("finished"), speaker=players.append,
        speaker_lost=tell("speaker_lost"), microphone_lost=tell("microphone_lost"), silent=lambda sentence: None,
        echo=lambda reason: None, moved=tell("moved"),
        found=lambda found: tell("found")([d.name for d in found.inputs], [d.name for d in found.outputs]),
    ))
    for kind, name in json.loads(sys.argv[1]).items():
        devices.want(kind, DeviceName(name, "ALSA"))
    devices.open()
    while not players or not chunks:
        time.sleep(0.01)
    tell("ready")()
    for line in sys.stdin:
        match line.split():
            case ["speak", seconds]:
                tone = 0.3 * np.sin(2 * np.pi * 440 * np.arange(int(24000 * float(seconds))) / 24000)
                players[0].begin(1)
                players[0].write(1, tone.astype("f4"))
                players[0].end(1)
            case ["chunks"]:
                tell("chunks")(len(chunks), players[0].played_samples(1))
            case ["choose", kind, name]:
                devices.choose(kind, DeviceName(name, "ALSA"))
    devices.close()
"""

CONFIG = """
</usr/share/alsa/alsa.conf>
pcm.!default {{ type pulse server "unix:{one}/pulse.sock" }}
ctl.!default {{ type pulse server "unix:{one}/pulse.sock" }}
pcm.desk     {{ type pulse server "unix:{one}/pulse.sock" hint {{ show on description "Desk" }} }}
pcm.headset  {{ type pulse server "unix:{two}/pulse.sock" hint {{ show on description "Headset" }} }}
"""


class Program:
    """Devices in a process of their own, and what they tell."""

    def __init__(self, folder: Path, one: VirtualCard, two: VirtualCard, wanted: dict[str, str]) -> None:
        self.config = folder / "asound.conf"
        self.config.write_text(CONFIG.format(one=one.folder, two=two.folder))
        script = folder / "program.py"
        script.write_text(PROGRAM)
        env = {key: value for key, value in one.env.items() if not key.startswith("PULSE_")}
        env |= {"ALSA_CONFIG_PATH": str(self.config), "BANTER_AUDIO_LATENCY_MS": "100"}
        self.process = subprocess.Popen(
            [sys.executable, str(script), json.dumps(wanted)],
            env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT,
        )  # fmt: skip
        self.told: list[list[Any]] = []

    def do(self, line: str) -> None:
        """Give it a command."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self, *wanted: Any) -> list[Any]:
        """Read on until it tells what begins with `wanted`."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said = json.loads(line)
            self.told.append(said)
            if said[: len(wanted)] == list(wanted):
                return said
        raise AssertionError(f"never said {wanted}: {self.told}")

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        assert self.process.wait(timeout=30) == 0
        self.process.stdout.close()


@pytest.fixture
def cards() -> Iterator[tuple[VirtualCard, VirtualCard]]:
    """Two sound cards."""
    if reason := missing():
        pytest.skip(reason)
    with virtual_card() as one, virtual_card() as two:
        yield one, two


def _sounding_s(file: Path) -> float:
    samples, rate = read_wav(file)
    blocks = samples[: len(samples) // 240 * 240].reshape(-1, 240)
    return float(np.count_nonzero(np.abs(blocks).max(axis=1) > 0.05)) * 240 / rate


def test_pulled_out_in_mid_sentence_the_answer_and_the_microphone_go_on_elsewhere(
    cards: tuple[VirtualCard, VirtualCard], tmp_path: Path
) -> None:
    desk, headset = cards
    program = Program(tmp_path, desk, headset, {"input": "desk", "output": "desk"})
    program.wait("ready")
    file = tmp_path / "headset.wav"
    with headset.recording(file):
        program.do("speak 4")
        time.sleep(1.5)
        desk.kill_server()
        pulled = time.monotonic()
        program.wait("moved", "output", "headset")
        assert time.monotonic() - pulled < 5.0
        program.wait("finished", 1)
        time.sleep(0.3)
    program.do("chunks")
    before, played = program.wait("chunks")[1:]
    assert played == pytest.approx(4 * 24_000, abs=2_400), "each sample is played once"
    time.sleep(1.0)
    program.do("chunks")
    assert program.wait("chunks")[1] - before > 10, "the microphone goes on"
    program.close()
    names = [line[0] for line in program.told]
    assert "speaker_lost" not in names and "microphone_lost" not in names
    assert [line for line in program.told if line[0] == "moved" and line[2]] == [
        ["moved", "output", "headset"],
        ["moved", "input", "headset"],
    ]
    assert 1.5 < _sounding_s(file) < 4.0


def test_the_chosen_device_is_taken_back_when_it_returns(
    cards: tuple[VirtualCard, VirtualCard], tmp_path: Path
) -> None:
    desk, headset = cards
    headset.kill_server()
    program = Program(tmp_path, desk, headset, {"input": "headset", "output": "headset"})
    program.wait("ready")
    assert ["moved", "output", "default"] in program.told
    headset.restart_server()
    # A real one announces itself by its files in /dev/snd.
    program.config.write_text(program.config.read_text() + "\n")
    program.wait("found")
    program.wait("moved", "output", "")
    program.close()
    assert "headset" in next(line for line in reversed(program.told) if line[0] == "found")[2]


def test_another_device_can_be_chosen_in_mid_sentence(cards: tuple[VirtualCard, VirtualCard], tmp_path: Path) -> None:
    desk, headset = cards
    program = Program(tmp_path, desk, headset, {})
    program.wait("ready")
    file = tmp_path / "headset.wav"
    with headset.recording(file):
        program.do("speak 3")
        time.sleep(1.0)
        program.do("choose output headset")
        program.wait("finished", 1)
        time.sleep(0.3)
    program.close()
    assert 0.8 < _sounding_s(file) < 3.0


def test_a_name_with_another_host_is_another_device() -> None:
    found = Found((DeviceName("Jabra", "MME"),), (), DeviceName("Jabra", "MME"), None)
    assert DeviceName("Jabra", "WASAPI") not in found.of("input")
    assert DEFAULT not in found.of("input")
