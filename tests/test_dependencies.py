"""The direction of imports: gui → conversation → engine.protocol; engine worker → omni → vision → speech."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
APP = REPOSITORY / "app"

QT = frozenset({"PySide6", "shiboken6", "qasync"})
TORCH = frozenset({"torch", "moshi", "silero_vad"})

# Neither Qt nor torch, themselves or through what they import.
PURE = (
    "app.conversation",
    "app.history",
    "app.voices",
    "app.tools",
    "app.hub",
    "app.brain",
    "app.settings",
    "app.paths",
    "app.pictures",
    "app.database",
    "app.engine.protocol",
    "app.engine.host",
    "app.omni.turn",
)
# Run inside the worker process: what their functions import is loaded there, not in the window's process.
ACROSS_THE_BOUNDARY = ("app.engine.worker", "app.engine.factory", "app.engine.voice_jobs")
# From the outside in: a layer never imports one that stands before it.
LAYERS = ("app.gui", "app.replay", "app.conversation", "app.engine", "app.omni", "app.vision", "app.speech")
# Plain data that every layer may know.
CONTRACTS = ("app.engine.protocol", "app.omni.turn")


@dataclass(frozen=True)
class Import:
    """One imported module; `lazy` when it is imported only inside a function."""

    name: str
    line: int
    lazy: bool


def _is_type_checking(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(test)}


def _absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join(base + ([node.module] if node.module else []))


def imports_of(tree: ast.AST, module: str, is_package: bool = False, lazy: bool = False) -> Iterator[Import]:
    """Every import that can be executed; those for type checkers alone are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, lazy)
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(node, module, is_package)
            yield Import(source, node.lineno, lazy)
            for alias in node.names:
                yield Import(f"{source}.{alias.name}", node.lineno, lazy)
        elif isinstance(node, ast.If) and _is_type_checking(node.test):
            for other in node.orelse:
                yield from imports_of(ast.Module([other], []), module, is_package, lazy)
        else:
            inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports_of(node, module, is_package, inside)


@cache
def modules() -> dict[str, tuple[Import, ...]]:
    """All modules of the app with what they import."""
    found = {}
    for path in sorted(APP.rglob("*.py")):
        parts = path.relative_to(REPOSITORY).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        found[name] = tuple(imports_of(tree, name, is_package))
    return found


def _belongs(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def _with_parents(module: str) -> Iterator[str]:
    """Importing `a.b.c` runs `a` and `a.b` too."""
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        if name in modules():
            yield name


def reached(start: str, lazy: bool) -> dict[str, str]:
    """What loading `start` brings, each with the chain that leads to it.

    With `lazy`, imports inside functions count as well, but for those that the worker process executes.
    """
    chains = {name: name for name in _with_parents(start)}
    queue = list(chains)
    while queue:
        module = queue.pop()
        across = _belongs(module, *ACROSS_THE_BOUNDARY)
        for entry in modules()[module]:
            if entry.lazy and (across or not lazy):
                continue
            for name in list(_with_parents(entry.name)) or [entry.name.partition(".")[0]]:
                if name not in chains:
                    chains[name] = f"{chains[module]} → {name}"
                    if name in modules():
                        queue.append(name)
    return chains


def _chains_to(start: str, banned: frozenset[str], lazy: bool = True) -> list[str]:
    return [chain for name, chain in reached(start, lazy).items() if name in banned]


def _members(*packages: str) -> list[str]:
    return [module for module in modules() if _belongs(module, *packages)]


def test_the_app_is_found() -> None:
    assert {"app.engine.protocol", "app.omni.turn", "app.gui.main", "app.cli"} <= set(modules())


@pytest.mark.parametrize("module", _members(*PURE))
def test_pure_modules_import_neither_qt_nor_torch(module: str) -> None:
    assert not _chains_to(module, QT | TORCH)


@pytest.mark.parametrize("module", _members("app.gui"))
def test_the_window_imports_no_torch(module: str) -> None:
    assert not _chains_to(module, TORCH)


@pytest.mark.parametrize("module", _members("app.gui", "app.cli", "app.__main__"))
def test_the_window_opens_without_torch_and_sound_library(module: str) -> None:
    """A missing PortAudio is said in the window, so it must not keep the window from opening."""
    assert not _chains_to(module, TORCH | {"sounddevice"}, lazy=False)


@pytest.mark.parametrize("module", _members("app.gui"))
def test_widgets_leave_devices_to_app_audio(module: str) -> None:
    assert not [entry for entry in modules()[module] if entry.name.partition(".")[0] == "sounddevice"]


@pytest.mark.parametrize("module", _members("app.engine.worker", "app.engine.factory"))
def test_the_worker_module_can_be_named_without_loading_torch(module: str) -> None:
    """The window's process imports it to start the worker from it."""
    assert not _chains_to(module, QT | TORCH, lazy=False)


@pytest.mark.parametrize("layer", LAYERS)
def test_no_layer_imports_one_before_it(layer: str) -> None:
    before = LAYERS[: LAYERS.index(layer)]
    wrong = [
        f"{module}:{entry.line} imports {entry.name}"
        for module in _members(layer)
        for entry in modules()[module]
        if _belongs(entry.name, *before) and not _belongs(entry.name, *CONTRACTS)
    ]
    assert not wrong


def test_conversation_knows_the_engine_by_its_protocol_alone() -> None:
    wrong = [
        f"{module}:{entry.line} imports {entry.name}"
        for module in _members("app.conversation")
        for entry in modules()[module]
        if _belongs(entry.name, "app.engine", "app.omni", "app.vision", "app.speech")
        and not _belongs(entry.name, *CONTRACTS)
        # `from app.engine import protocol` names the package first
        and entry.name not in ("app.engine", "app.omni")
    ]
    assert not wrong


def test_kept_conversations_stand_on_their_own() -> None:
    """Whoever keeps or reads them needs no engine, no window and no turn-taking."""
    wrong = [
        f"{module}:{entry.line} imports {entry.name}"
        for module in _members("app.history")
        for entry in modules()[module]
        if _belongs(entry.name, "app")
        and not _belongs(entry.name, "app.history", "app.database", "app.paths", "app.settings")
    ]
    wrong += [
        f"{module}:{entry.line} imports {entry.name}"
        for module in _members("app.conversation", "app.engine", "app.omni", "app.speech", "app.audio")
        for entry in modules()[module]
        if _belongs(entry.name, "app.history")
    ]
    assert not [line for line in wrong if not line.endswith("imports app")]


def test_widgets_know_nothing_of_the_model() -> None:
    wrong = [
        f"{module}:{entry.line} imports {entry.name}"
        for module in _members("app.gui")
        for entry in modules()[module]
        if _belongs(entry.name, "app.omni", "app.vision", "app.speech", "app.engine.worker")
        and not _belongs(entry.name, *CONTRACTS)
        and entry.name != "app.omni"
    ]
    assert not wrong


def test_nothing_imports_the_training() -> None:
    wrong = [
        f"{module}:{entry.line}"
        for module, entries in modules().items()
        for entry in entries
        if _belongs(entry.name, "app.training") and not _belongs(module, "app.training")
    ]
    assert not wrong


@pytest.mark.parametrize("module", ["app.gui.main", "app.cli"])
def test_torch_stays_unloaded(module: str) -> None:
    """The real thing, with whatever the libraries themselves import."""
    code = f"import sys, {module}; print(*sorted({{'torch', 'sounddevice'}} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_imports_are_read_as_python_reads_them() -> None:
    source = """
import a.b
from typing import TYPE_CHECKING
from . import near
from ..far import thing
if TYPE_CHECKING:
    import hidden
else:
    import shown
try:
    import tried
except ImportError:
    pass
def f():
    import inside
class C:
    import member
"""
    found = {entry.name: entry.lazy for entry in imports_of(ast.parse(source), "app.x.y")}
    assert found["a.b"] is False
    assert found["app.x.near"] is False
    assert found["app.far.thing"] is False
    assert "hidden" not in found
    assert (found["shown"], found["tried"], found["member"], found["inside"]) == (False, False, False, True)
