"""Every folder the app uses. Nothing else builds such a path.

Functions that name a folder do not create it; `ensured` does.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import platformdirs

APP_NAME = "banter"
MODEL_VARIABLE = "BANTER_MODEL"

_DIRS = platformdirs.PlatformDirs(APP_NAME, appauthor=False)
_PACKAGE = Path(__file__).resolve().parent


def config_dir() -> Path:
    """Settings of this user."""
    return _DIRS.user_config_path


def data_dir() -> Path:
    """What the user made or downloaded and wants to keep."""
    return _DIRS.user_data_path


def cache_dir() -> Path:
    """What can be made or fetched again."""
    return _DIRS.user_cache_path


def log_dir() -> Path:
    """Log files."""
    return _DIRS.user_log_path


def runtime_dir() -> Path:
    """What lives no longer than the programs that use it."""
    with warnings.catch_warnings():
        # Where the system has no such folder, platformdirs says so and takes one for temporary files.
        warnings.simplefilter("ignore")
        return _DIRS.user_runtime_path


def settings_file() -> Path:
    """The settings, TOML."""
    return config_dir() / "settings.toml"


def models_dir() -> Path:
    """Downloaded models, one folder each."""
    return data_dir() / "models"


def catalogue_file() -> Path:
    """The user's own changes to the list of models, where there are any."""
    return config_dir() / "models.toml"


def voices_dir() -> Path:
    """Voices the user made."""
    return data_dir() / "voices"


def history_dir() -> Path:
    """Saved conversations."""
    return data_dir() / "history"


def agenda_file() -> Path:
    """Timers, alarms, reminders and notes."""
    return data_dir() / "agenda.db"


def assets_dir() -> Path:
    """Icons, sounds and translations that ship with the app."""
    return _shipped("assets")


def translations_dir() -> Path:
    """The words of the windows in other languages than English."""
    return assets_dir() / "translations"


def starter_model() -> Path:
    """The model to use when none is chosen: `BANTER_MODEL` where set, otherwise the bundled starter.

    The folder may be missing in a broken installation; whoever loads it says so.
    """
    override = os.environ.get(MODEL_VARIABLE)
    if override:
        return Path(override).expanduser()
    return _shipped("models/starter")


def ensured(folder: Path) -> Path:
    """`folder`, created where it was missing. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _shipped(relative: str) -> Path:
    # Next to the package: a checkout, and a PyInstaller bundle. Under the prefix: an installed wheel or
    # system package.
    candidates = (_PACKAGE.parent / relative, Path(sys.prefix) / "share" / APP_NAME / relative)
    return next((path for path in candidates if path.exists()), candidates[0])
