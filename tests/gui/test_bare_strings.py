"""No words in the source that the window could not say in another language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.gui import sentences

REPOSITORY = Path(__file__).resolve().parents[2]
GUI = REPOSITORY / "app" / "gui"
PLACE = re.compile(r"\{\w*\}")

# What tells the user something, with a table of its own for the window. Errors that are only for programmers stay out.
BELOW = (
    "conversation/machine.py",
    "conversation/answer.py",
    "conversation/controller.py",
    "conversation/self_echo.py",
    "audio/capture.py",
    "audio/playback.py",
    "audio/devices.py",
    "audio/echo.py",
    "engine/host.py",
    "engine/factory.py",
    "history/keeper.py",
    "history/export.py",
    "hub/bring.py",
    "hub/catalogue.py",
    "hub/download.py",
    "hub/errors.py",
    "hub/jobs.py",
    "hub/library.py",
    "hub/sources.py",
    "hub/transfer.py",
    "brain/address.py",
    "brain/request.py",
    "brain/brain.py",
    "brain/trial.py",
)


def test_the_table_of_sentences_is_that_of_the_layers_below() -> None:
    told = {text for path in (REPOSITORY / "app").rglob("*.py") if path.name != "sentences.py" for text in texts(path)}
    known = {PLACE.sub("{}", text) for text in sentences.KNOWN}
    assert not known - told, "nobody says this any more"
    meant = {
        text for name in BELOW for text in texts(REPOSITORY / "app" / name) if re.fullmatch(r"[A-Z{].* .* .*\.", text)
    }
    assert not meant - known, "the window cannot translate this"


def texts(path: Path) -> Iterator[str]:
    """The strings of a module but for its descriptions, with "{}" where something is put in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            yield "".join(joined(node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.value


# --- no bare strings

SETTERS = re.compile(r"set\w*(Text|Title|Tip|Name|Description|Filters?)|add(Action|Menu|Item|Button|Tab)|showMessage")
WIDGETS = re.compile(r"Q(Label|PushButton|CheckBox|RadioButton|GroupBox|Action|FileDialog|Menu)")
OURS = re.compile(r"card|row|show_(problem|message|hotkey|progress)|tell|offer")
# What no user sees.
UNSEEN = frozenset({"setObjectName", "setApplicationName", "setApplicationDisplayName", "setDesktopFileName"})
TRANSLATING = frozenset({"tr", "translate", "QT_TRANSLATE_NOOP", "shown"})
LOGGING = frozenset({"debug", "info", "warning", "error", "exception", "basicConfig"})
# Said to the model, not to the user.
SAID = frozenset({"How are you?"})
# They speak on the terminal, which is in English, like the rest of the command line.
TERMINAL = frozenset({"main.py", "instance.py", "remote.py"})


def bare(path: Path) -> Iterator[str]:
    """What `path` shows to the user without translating it: text that is put into a widget, and any sentence."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    known = {PLACE.sub("{}", text) for text in (*sentences.KNOWN, *sentences.SYSTEM)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        text, calls, at = node.value, [], node
        whole: ast.AST = node
        while (parent := parents.get(at)) is not None and not isinstance(parent, ast.stmt):
            if isinstance(parent, ast.JoinedStr):
                whole = parent
            if isinstance(parent, ast.Call) and at is not parent.func:
                calls.append(getattr(parent.func, "attr", getattr(parent.func, "id", "")))
            at = parent  # type: ignore[assignment]
        if (isinstance(parent, ast.Expr) and at is node) or TRANSLATING & set(calls) or LOGGING & set(calls):
            continue
        if isinstance(parents[node], ast.Compare):
            continue
        words = re.search(r"[^\W\d_]{2}", PLACE.sub("", text))
        sentence = re.search(r"[^\W\d_]+ [^\W\d_]+", text) and not re.search(r"[<>{};]|: \d", text)
        if isinstance(whole, ast.JoinedStr) and any(PLACE.sub("{}", t) in known for t in joined(whole)):
            continue
        if text not in known | SAID and (
            (words and calls and shows(calls[0])) or (sentence and path.name not in TERMINAL)
        ):
            yield f"{path.relative_to(REPOSITORY)}:{node.lineno}: {text!r}"


def shows(call: str) -> bool:
    """Whether a function of this name puts its words before the user."""
    return call not in UNSEEN and any(pattern.fullmatch(call) for pattern in (SETTERS, WIDGETS, OURS))


def joined(node: ast.JoinedStr) -> Iterator[str]:
    yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


def test_no_string_is_bare() -> None:
    found = [
        text for path in sorted(GUI.rglob("*.py")) if path.name not in ("theme.py", "icons.py") for text in bare(path)
    ]
    assert not found, "\n".join(found)


def test_a_bare_string_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "REPOSITORY", tmp_path)
    file = tmp_path / "bad.py"
    file.write_text(
        '"""A sentence about it."""\n'
        'label.setText("Ready")\nlabel.setText(f"{n} files")\nwhat = "Two words"\nlabel.setText("{n} %")\n'
        'label.setText(self.tr("Ready"))\n_log.info("two words")\nlabel.setObjectName("title")\n'
    )
    assert sorted(text.split(":")[1] for text in bare(file)) == ["2", "3", "4"]
