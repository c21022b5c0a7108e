"""A small model with its parts, as it is published, and a library for it."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path

import numpy as np

from app.hub import catalogue
from app.hub.library import Library
from app.hub.retry import Patience
from tests.hub.server import Hub

MODEL = "minimind-3o"
# Nothing in a test waits for long.
HASTY = Patience(tries=4, first_wait=0.01, most_wait=0.02, connect=5.0, read=5.0)
PARTS = ("sensevoice", "mimi", "campplus", "siglip2")


def noise(size: int, seed: int) -> bytes:
    """So many bytes."""
    return np.random.default_rng(seed).bytes(size)


def safetensors(size: int, seed: int) -> bytes:
    """A file of that format with `size` bytes of one tensor."""
    header = json.dumps({"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    return struct.pack("<Q", len(header)) + header + noise(size, seed)


def pickled(size: int, seed: int) -> bytes:
    """An archive as torch writes it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("archive/data/0"), noise(size, seed))
    return out.getvalue()


def published() -> dict[str, dict[str, bytes]]:
    """Repositories by their names, at either hub's."""
    config = json.dumps({"architectures": ["MiniMindOmni"], "model_type": "minimind-o"}).encode()
    network = {
        "config.json": config,
        "tokenizer.json": b'{"version": "1.0"}',
        "chat_template.jinja": b"{{ messages }}",
        "pytorch_model.bin": pickled(300_000, 1),
        "model_omni.py": b"raise SystemExit('never fetched')",
        "README.md": b"A model",
    }
    sense = {
        "model.pt": pickled(200_000, 2),
        "am.mvn": b"<Nnet>",
        "config.yaml": b"a: 1",
        "x.bpe.model": noise(5_000, 3),
    }
    mimi = {"config.json": b'{"model_type": "mimi"}', "model.safetensors": safetensors(150_000, 4)}
    siglip = {"config.json": b'{"model_type": "siglip_vision_model"}', "model.safetensors": safetensors(90_000, 5)}
    camp = {"campplus_cn_common.pt": pickled(50_000, 6)}
    found: dict[str, dict[str, bytes]] = {}
    for owner in ("jingyaogong", "gongjy"):
        found[f"{owner}/minimind-3o"] = network
        found[f"{owner}/minimind-3o-moe"] = {**network, "pytorch_model.bin": pickled(400_000, 7)}
        found[f"{owner}/SenseVoiceSmall"] = sense
        found[f"{owner}/mimi"] = mimi
        found[f"{owner}/siglip2-base-p32-256-ve"] = siglip
        found[f"{owner}/campplus"] = camp
    return found


def known(folder: Path) -> catalogue.Catalogue:
    """The catalogue that ships, without the one hash that only the real file has."""
    changes = folder / "models.toml"
    if not changes.exists():
        folder.mkdir(parents=True, exist_ok=True)
        changes.write_text(f'[parts.sensevoice.sha256]\n"model.pt" = "{sha256(published_part("model.pt"))}"\n')
    return catalogue.load(changes)


def published_part(name: str) -> bytes:
    """A file of SenseVoice."""
    return published()["jingyaogong/SenseVoiceSmall"][name]


def sha256(content: bytes) -> str:
    """Its hash."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def library(folder: Path) -> Library:
    """An empty library in `folder`."""
    starter = folder / "starter"
    starter.mkdir(parents=True, exist_ok=True)
    (starter / "config.json").write_text("{}")
    return Library(folder / "models", known(folder / "config"), starter)


def fill(hub: Hub) -> None:
    """Publish everything at `hub`."""
    hub.repos = published()


def write_published(folder: Path, repo: str) -> Path:
    """A copy of a repository, as somebody carries it about."""
    folder.mkdir(parents=True)
    for name, content in published()[f"jingyaogong/{repo}"].items():
        (folder / name).write_bytes(content)
    return folder
