"""The command, in the test's own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import cli


def run_here(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit code and the output of the command."""
    try:
        code = cli.main([str(argument) for argument in arguments])
    except SystemExit as left:
        assert isinstance(left.code, int)
        code = left.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err
