"""The program from start to end, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from app import settings
from app.gui import theme

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 240
DEAF = sys.platform == "linux" and not Path("/dev/snd").exists()

# Prints what it sees as JSON lines: when the window is shown, and when the model is ready.
PROGRAM = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.gui import assistant, main, window

def tell(what, **more):
    loaded = [name for name in ("torch", "sounddevice", "onnxruntime") if name in sys.modules]
    print(json.dumps({"what": what, "loaded": loaded, **more}), flush=True)

def look():
    shown = [w for w in app.topLevelWidgets() if isinstance(w, window.MainWindow) and w.isVisible()]
    if shown and shown[0].situation().model == "ready" and (not deaf or not shown[0].situation().microphone):
        timer.stop()
        tell("ready", notices=shown[0].dock.notices.text(), status=shown[0].dock.status_text())
        if leave:
            shown[0].close()

if __name__ == "__main__":
    leave, deaf = sys.argv[1] == "leave", sys.argv[2] == "deaf"
    show = window.MainWindow.showEvent
    window.MainWindow.showEvent = lambda self, event: (
        show(self, event), tell("shown", ground=self.palette().window().color().name())
    )[0]
    start = assistant.Assistant.start
    assistant.Assistant.start = lambda self, model: (tell("start"), start(self, model))[1]
    app = QApplication([])
    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(50)
    code = main.run(app, Path("."), "tests.gui.scripted_engine:load")
    tell("end")
    sys.exit(code)
"""


def _start(tmp_path: Path, how: str) -> subprocess.Popen[str]:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    # No sound server; and where the computer has no sound card either, no device at all.
    env = {name: value for name, value in os.environ.items() if name != "ALSA_CONFIG_PATH"} | {
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(ROOT),
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "PULSE_SERVER": f"unix:{tmp_path}/none",
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.Popen(
        [sys.executable, str(script), how, "deaf" if DEAF else "hearing"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_window_first_then_model_and_sound_and_never_torch(tmp_path: Path) -> None:
    process = _start(tmp_path, "leave")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    seen = [json.loads(line) for line in out.splitlines()]
    assert [line["what"] for line in seen] == ["shown", "start", "ready", "end"]
    assert seen[0]["loaded"] == [] and seen[1]["loaded"] == []
    assert "torch" not in seen[3]["loaded"]
    if DEAF:
        assert "No microphone was found" in seen[2]["notices"]
        assert "No loudspeaker was found" in seen[2]["notices"]
    assert "Traceback" not in err
    assert (tmp_path / "banter" / "settings.toml").exists()


def test_the_first_thing_seen_has_the_saved_theme(tmp_path: Path) -> None:
    file = tmp_path / "banter" / "settings.toml"
    settings.save(file, settings.Settings(theme=settings.Theme.DARK, text_size=120))
    process = _start(tmp_path, "leave")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0 and "Traceback" not in err, err
    assert json.loads(out.splitlines()[0])["ground"] == theme.DARK.ground
    kept = settings.load(file).settings
    assert (kept.theme, kept.text_size) == (settings.Theme.DARK, 120)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_closes_the_window_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    process = _start(tmp_path, "stay")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["what"] == "ready":
            break
    children = psutil.Process(process.pid).children(recursive=True)
    assert children, "the model's process"
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0 and "Traceback" not in err
    gone, alive = psutil.wait_procs(children, timeout=20)
    assert not alive and gone


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a screen")
def test_no_screen_is_said_in_one_sentence(tmp_path: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from app.gui.main import main; sys.exit(main([]))"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2
    assert "no screen" in done.stderr and "Traceback" not in done.stderr
