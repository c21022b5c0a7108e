"""What Banter costs while nothing happens, and whether it grows: `python -m tests.live.measure idle|memory`.

    tests/tools/virtual_audio.sh run -- tests/tools/xvfb.sh python -m tests.live.measure idle
    tests/tools/xvfb.sh python -m tests.live.measure memory [TURNS [scripted]]

Both run the bundled model, or where it says so the scripted engine, which is quicker. `idle` gives processor time,
which other programs change little, in percent of a core.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tempfile
import time
from pathlib import Path

import psutil
import qasync
from PySide6.QtWidgets import QApplication

from app import paths, settings
from app.engine.factory import OMNI_ENGINE
from app.gui.assistant import Assistant
from app.gui.status import Model
from app.gui.window import MainWindow
from tests.gui.scripted_engine import FACTORY
from tests.live.room import Room

IDLE_S = 30.0
QUESTIONS = ("How are you?", "Tell me a joke", "What's the capital of France?", "I'm bored, what can I do?")


def idle() -> None:
    """Print what the window's and the model's process use with the open microphone off and on."""
    for mode in ("push_to_talk", "open_mic"):
        with tempfile.TemporaryDirectory() as folder:
            room = Room("app", Path(folder), f'mode = "{mode}"\n')
            try:
                room.wait_ready()
                time.sleep(5.0)
                watched = {"window": psutil.Process(room.process.pid), "model": room.worker()}
                before = {name: _used(process) for name, process in watched.items()}
                time.sleep(IDLE_S)
                used = {name: 100 * (_used(process) - before[name]) / IDLE_S for name, process in watched.items()}
            finally:
                room.close()
        print(json.dumps({"mode": mode} | {name: f"{percent:.1f} % of a core" for name, percent in used.items()}))


def _used(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def memory(turns: int, factory: str) -> None:
    """Print how much memory both processes hold after every 20 of so many typed questions."""
    app = QApplication([])
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    with loop, tempfile.TemporaryDirectory() as folder:
        window = MainWindow()
        window.show()
        file, kept = Path(folder) / "settings.toml", Path(folder) / "conversations.db"
        assistant = Assistant(window, settings.Loaded(settings.Settings()), file, factory=factory, conversations=kept)
        assistant.start(paths.starter_model())
        try:
            loop.run_until_complete(_talk(window, assistant, turns))
        finally:
            assistant.close()
            window.close()


async def _talk(window: MainWindow, assistant: Assistant, turns: int) -> None:
    while window.situation().model != Model.READY:
        await asyncio.sleep(0.05)
    pid = assistant.host.pid
    assert pid is not None
    watched = {"window": psutil.Process(), "model": psutil.Process(pid)}
    for turn in range(turns + 1):
        if turn % 20 == 0:
            gc.collect()
            held = {name: round(process.memory_info().rss / 2**20, 1) for name, process in watched.items()}
            print(json.dumps({"turns": turn, "objects": len(gc.get_objects())} | held), flush=True)
        assistant.conversation.submit_text(QUESTIONS[turn % len(QUESTIONS)])
        while window.situation().activity != "idle":
            await asyncio.sleep(0.02)


if __name__ == "__main__":
    if sys.argv[1] == "idle":
        idle()
    else:
        memory(int(sys.argv[2]) if len(sys.argv) > 2 else 200, FACTORY if "scripted" in sys.argv else OMNI_ENGINE)
