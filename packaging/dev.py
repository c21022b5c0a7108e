"""The two commands of the README: `python3 packaging/dev.py run` and `python3 packaging/dev.py test`.

Both make `.venv` beside pyproject.toml on the first call and reuse it afterwards, without asking the network.
Standard library only, so that any Python 3.11 or newer can start it.

    run  [ARGS…]          start Banter; ARGS go to it (`run ask --text "Tell me a joke."`)
    test [-- PYTEST…]     linter, type checker and tests; with PYTEST arguments only the tests they choose
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
BANTER = VENV / ("Scripts/banter.exe" if os.name == "nt" else "bin/banter")
STAMP = VENV / "banter-stamp.json"
# Exists while an installation is under way: what is found with it was interrupted and is made anew.
UNFINISHED = VENV / "banter-unfinished"
LOCKS = {"run": ("requirements.lock",), "test": ("requirements.lock", "requirements-test.lock")}
NO_DEPS_LOCK = "requirements-nodeps.lock"
IN_CI = bool(os.environ.get("CI"))
#: About half of the time that all tests take which are not live.
FIRST_HALF = ("tests/gui",)
SUMMARY = "short test summary info"


class Need(NamedTuple):
    """A system package by its Debian name, and how to see that it is there."""

    package: str
    probe: str  # a program, a shared library (`lib….so.N`) or `/FILE` in a library folder


WINDOW = (
    Need("libegl1", "libEGL.so.1"),
    Need("libgl1", "libGL.so.1"),
    Need("libglib2.0-0", "libglib-2.0.so.0"),
    Need("libdbus-1-3", "libdbus-1.so.3"),
    Need("libfontconfig1", "libfontconfig.so.1"),
    Need("libxkbcommon0", "libxkbcommon.so.0"),
)
X11 = (
    Need("libxkbcommon-x11-0", "libxkbcommon-x11.so.0"),
    Need("libxcb-cursor0", "libxcb-cursor.so.0"),
    Need("libxcb-icccm4", "libxcb-icccm.so.4"),
    Need("libxcb-keysyms1", "libxcb-keysyms.so.1"),
    Need("libxcb-shape0", "libxcb-shape.so.0"),
)
SOUND = (
    Need("libportaudio2", "libportaudio.so.2"),
    Need("libasound2-plugins", "/alsa-lib/libasound_module_pcm_pulse.so"),
)
TEST_TOOLS = (
    Need("xvfb", "Xvfb"),
    Need("dbus-daemon", "dbus-daemon"),
    Need("pulseaudio", "pulseaudio"),
    Need("pulseaudio-utils", "pactl"),
    Need("espeak-ng", "espeak-ng"),
    Need("flite", "flite"),
    Need("sox", "sox"),
)


def say(text: str) -> None:
    print(f"banter: {text}", file=sys.stderr, flush=True)


def stop(text: str, code: int = 1) -> NoReturn:
    say(text)
    sys.exit(code)


def is_there(need: Need) -> bool:
    if need.probe.startswith("/"):
        return any(glob(folder + need.probe) for folder in ("/usr/lib/*", "/usr/lib", "/usr/lib64"))
    if ".so." not in need.probe:
        return shutil.which(need.probe) is not None
    try:
        ctypes.CDLL(need.probe)
    except OSError:
        return False
    return True


def missing_packages(needs: tuple[Need, ...]) -> list[str]:
    """Debian names of what is not there. On Windows and macOS the wheels bring all of it."""
    return [need.package for need in needs if not is_there(need)] if sys.platform == "linux" else []


def install_line(packages: list[str]) -> str:
    sudo = "" if os.geteuid() == 0 else "sudo "
    line = f"{sudo}apt-get update && {sudo}apt-get install -y --no-install-recommends {' '.join(packages)}"
    return line if shutil.which("apt-get") else f"{line}\n  (Debian's names; other systems have their own)"


def apt_install(packages: list[str]) -> None:
    say(f"installing system packages: {' '.join(packages)}")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # An old list of packages may still do, so a failed update is not the end.
    subprocess.run(["apt-get", "update", "-qq"], env=env, check=False)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    if subprocess.run(command, env=env, check=False).returncode:
        say("apt-get could not install them; its own words are above")


def venv_packages() -> list[str]:
    """What a Debian Python lacks for `python -m venv`."""
    if sys.platform != "linux" or importlib.util.find_spec("ensurepip"):
        return []
    return [f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"]


def check_system_for_run() -> None:
    """Stop where no window could open; only warn where it would open without sound."""
    platform_name = os.environ.get("QT_QPA_PLATFORM", "")
    x11 = platform_name.startswith("xcb") or (not platform_name and not os.environ.get("WAYLAND_DISPLAY"))
    needed = missing_packages(WINDOW + (X11 if x11 else ()))
    sound = missing_packages(SOUND)
    if not PYTHON.exists():
        needed = venv_packages() + needed
    if needed:
        line = install_line(needed + sound)
        stop(f"this machine lacks system packages that Banter needs. Install them, then try again:\n  {line}")
    if sound:
        say(f"there will be no sound until these are installed:\n  {install_line(sound)}")


def check_system_for_tests() -> bool:
    """Install what is missing where that is allowed. True when the live tests can run."""
    needs = WINDOW + X11 + SOUND + TEST_TOOLS
    missing = venv_packages() + missing_packages(needs)
    if missing and sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get"):
        apt_install(missing)
        importlib.invalidate_caches()
        missing = venv_packages() + missing_packages(needs)
    if venv_packages():
        line = install_line(missing)
        stop(f"this Python cannot make a virtual environment. Install what it lacks first:\n  {line}")
    if missing:
        line = install_line(missing)
        say(f"tests that need a screen, a sound card or spoken test material are skipped until:\n  {line}")
    return sys.platform == "linux" and not missing


def fingerprint(kind: str) -> str:
    """Changes when an installation made for `kind` no longer fits: other pins, entry points or place."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = [str(ROOT), json.dumps([project["project"], project["tool"]["setuptools"]], sort_keys=True)]
    for name in (*LOCKS[kind], NO_DEPS_LOCK):
        parts.append((ROOT / "packaging" / name).read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_stamp() -> dict[str, str]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def works() -> bool:
    """False when the environment's own Python or its largest parts are gone."""
    probe = "from importlib.util import find_spec as f; assert f('torch') and f('PySide6')"
    if not (PYTHON.exists() and BANTER.exists()):
        return False
    command = [str(PYTHON), "-I", "-c", probe]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def pip(*args: str) -> bool:
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    env |= {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    # Its output goes to stderr: stdout belongs to what is run afterwards.
    command = [str(PYTHON), "-I", "-m", "pip", "install", *quiet, *args]
    return subprocess.run(command, cwd=ROOT, env=env, stdout=sys.stderr, check=False).returncode == 0


def install(kind: str) -> None:
    """Everything of `kind` into the environment, the pinned versions first."""
    locks = [part for name in LOCKS[kind] for part in ("-r", str(ROOT / "packaging" / name))]
    # One command: a package that asks for torch must find the one chosen here, else pip brings another.
    installed = pip(*locks)
    if not installed and not IN_CI:
        say("the pinned versions could not be installed here; trying what pyproject.toml allows")
        extra = "[dev]" if kind == "test" else ""
        installed = pip("setuptools>=77", "einops", "sentencepiece", "-e", f"{ROOT}{extra}")
    installed = installed and pip("--no-deps", "-r", str(ROOT / "packaging" / NO_DEPS_LOCK))
    installed = installed and pip("--no-deps", "--no-build-isolation", "-e", str(ROOT))
    if not installed:
        stop("pip failed; its own words are above. Check the network and the disk's space, then try again.")


def empty_environment() -> None:
    """Delete all of `.venv` but the mark that it is unfinished, so that an interruption is noticed."""
    for path in list(VENV.iterdir()):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path != UNFINISHED:
            path.unlink()


def ensure_environment(kind: str) -> None:
    """Make `.venv` fit for `kind`; does nothing when it already is."""
    wanted = fingerprint(kind)
    stamp = read_stamp()
    ours = bool(stamp) or UNFINISHED.exists()
    whole = bool(stamp) and not UNFINISHED.exists() and works()
    # The tests' environment holds all that `run` needs.
    if whole and (stamp.get(kind) == wanted or (kind == "run" and stamp.get("test") == fingerprint("test"))):
        return
    if VENV.exists() and not ours and any(VENV.iterdir()):
        stop(f"{VENV} was not made by this script. Move it away or delete it, then try again.")
    VENV.mkdir(exist_ok=True)
    UNFINISHED.touch()
    if ours and not (whole and stamp.get("root") == str(ROOT)):
        say(".venv is unfinished or from another place: making it anew")
        empty_environment()
    say("setting up .venv: the first time takes a few minutes and about 1.5 GB")
    if not PYTHON.exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=False)
        if made.returncode:
            stop("Python could not make a virtual environment; its own words are above.")
    install(kind)
    kept = stamp if whole and kind == "run" else {}
    STAMP.write_text(json.dumps({**kept, "root": str(ROOT), kind: wanted}), encoding="utf-8")
    UNFINISHED.unlink()


def run(args: list[str]) -> int:
    check_system_for_run()
    ensure_environment("run")
    command = [str(BANTER), *args]
    if os.name == "nt":
        return subprocess.run(command, check=False).returncode
    os.execv(BANTER, command)


def _pytest_environment(live: bool) -> dict[str, str]:
    env = {**os.environ}
    # Threads that spin on few cores beside other work stall each other for seconds.
    env.setdefault("OMP_NUM_THREADS", str(min(2, os.cpu_count() or 1)))
    env.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if not live:
        env.setdefault("QT_QPA_PLATFORM", "offscreen")
    return env


@contextmanager
def _stage(live: bool) -> Iterator[list[str]]:
    """How a command is begun that needs a sound card and a screen of its own, where there can be such."""
    if not live:
        yield []
        return
    tools = ROOT / "tests" / "tools"
    # A socket's path must be short, so not a folder below TMPDIR.
    folder = Path(tempfile.mkdtemp(prefix="banter-", dir="/tmp"))
    try:
        sound = ["bash", str(tools / "virtual_audio.sh"), "run", str(folder / "sound"), "--"]
        yield [*sound, "bash", str(tools / "xvfb.sh")]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_pytest(args: list[str], live: bool) -> int:
    with _stage(live) as begin:
        command = [*begin, str(PYTHON), "-m", "pytest", *args]
        return subprocess.run(command, cwd=ROOT, env=_pytest_environment(live), check=False).returncode


def _captured(args: list[str], live: bool, env: dict[str, str], show: bool) -> tuple[int, str]:
    """Run pytest and keep what it prints, which is shown meanwhile with `show`."""
    lines = []
    with _stage(live) as begin:
        command = [*begin, str(PYTHON), "-m", "pytest", *args]
        with subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as running:
            assert running.stdout is not None
            for line in running.stdout:
                lines.append(line)
                if show:
                    print(line, end="", flush=True)
    return running.returncode, "".join(lines)


def run_all_tests(live: bool) -> int:
    """The tests that need the processor to themselves alone; before them the rest, in two halves side by side."""
    env = _pytest_environment(live)
    single = {**env, "OMP_NUM_THREADS": "1"}
    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(_captured, ["-m", "not live", *FIRST_HALF], live, single, False)
        others = ["-m", "not live", *(f"--ignore={part}" for part in FIRST_HALF)]
        runs = [_captured(others, live, single, True)]
        runs.append(beside.result())
    print(runs[1][1], flush=True)
    if live:
        runs.append(_captured(["-m", "live"], live, env, True))
    failed = [(code, text) for code, text in runs if code]
    for _, text in failed:
        # Once more at the end, where it is seen.
        print(text[max(0, text.rfind(SUMMARY)) :], flush=True)
    return max((code for code, _ in failed), default=0)


def test(args: list[str]) -> int:
    live = check_system_for_tests()
    if IN_CI and not live:
        stop("the live tests must run in CI, and this machine cannot run them.")
    ensure_environment("test")
    failed = []
    if not args:
        for check in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]):
            say(" ".join(check))
            if subprocess.run([str(PYTHON), "-m", *check], cwd=ROOT, check=False).returncode:
                failed.append(" ".join(check))
    say("pytest")
    code = run_pytest(args, live) if args else run_all_tests(live)
    if failed:
        say(f"failed besides the tests: {', '.join(failed)}")
    return code or len(failed)


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python gets a sentence, not a traceback
        found = platform.python_version()
        stop(f"Banter needs Python 3.11 or newer, and this is {found}: use for instance python3.12 instead.")
    verb, args = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("", [])
    if args[:1] == ["--"]:
        args = args[1:]
    if verb == "run":
        return run(args)
    if verb == "test":
        return test(args)
    print(__doc__, file=sys.stderr)
    return 0 if verb in ("-h", "--help") else 2


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
