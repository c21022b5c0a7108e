"""Where the files of a published model's parts lie.

Each part has a sub-folder of its own in the model folder: `sensevoice`, `mimi`, `campplus`, `siglip2`. Files whose
published names cannot be mistaken for another part's may also lie in the model folder itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.speech.errors import DamagedModelError


def find_part_file(folder: Path, part: str, inside: Sequence[str], beside: Sequence[str] = ()) -> Path | None:
    """The first file there is of `inside` in the part's sub-folder, then of `beside` in the model folder.

    Names may be patterns, such as `*.safetensors`. None where there is no such file.
    """
    for place, names in ((folder / part, inside), (folder, beside)):
        for name in names:
            found = sorted(path for path in place.glob(name) if path.is_file())
            if found:
                return found[0]
    return None


def part_file(folder: Path, part: str, what: str, inside: Sequence[str], beside: Sequence[str] = ()) -> Path:
    """The same, for a file that has to be there; `what` says what the part is for ("the ears").

    Raises DamagedModelError.
    """
    found = find_part_file(folder, part, inside, beside)
    if found is None:
        raise missing_part(folder, part, what, inside[0])
    return found


def missing_part(folder: Path, part: str, what: str, name: str) -> DamagedModelError:
    """The error that says that a part's file, called `name` for example, is not there."""
    return DamagedModelError(
        f"The part '{part}' ({what}) is missing: there is no {name} in {folder / part}; "
        "download the model again in the models window, or copy the published file there."
    )
