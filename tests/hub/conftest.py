"""What the tests of the hub share."""

from __future__ import annotations

import pytest

from tests.support.offline import no_connections

__all__ = ["no_connections"]


@pytest.fixture(autouse=True)
def no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this computer is set to does not count."""
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
