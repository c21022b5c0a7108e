"""Convert Whisper tiny.en (CTranslate2 file) into the starter's encoder: `python -m app.training ears`."""

from __future__ import annotations

import argparse
import json
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from app.speech.starter_encoder import LAYERS, StarterEncoder
from app.speech.weights import save_weights
from app.training.corpus import load_intents
from app.training.tokenizer import minilm_embeddings, train_tokenizer

#: GPT-2 pieces are numbered by how common they are; rarer ones only as far as the corpus needs them.
COMMON_PIECES = 16_384
END, START, PLAIN = 50_256, 50_257, 50_362
_DTYPES = {0: "f4", 1: "i1", 2: "i2", 3: "i4", 4: "f2"}


def read_ctranslate2(path: Path) -> dict[str, Tensor]:
    """All variables of a CTranslate2 model file (format version 6), as float32 tensors."""

    def number(stream: BinaryIO, kind: str) -> int:
        return int(struct.unpack("<" + kind, stream.read(struct.calcsize(kind)))[0])

    def string(stream: BinaryIO) -> str:
        return stream.read(number(stream, "H")).rstrip(b"\0").decode()

    variables = {}
    with path.open("rb") as stream:
        version, name = number(stream, "I"), string(stream)
        if version != 6 or name != "WhisperSpec":
            raise ValueError(f"{path} is not a CTranslate2 Whisper file of version 6")
        number(stream, "I")
        for _ in range(number(stream, "I")):
            key = string(stream)
            shape = [number(stream, "I") for _ in range(number(stream, "B"))]
            kind = _DTYPES[number(stream, "B")]
            data = stream.read(number(stream, "I"))
            variables[key] = torch.from_numpy(np.frombuffer(data, kind).astype("f4").reshape(shape))
    return variables


def _norm(source: dict[str, Tensor], key: str) -> dict[str, Tensor]:
    return {"weight": source[f"{key}/gamma"], "bias": source[f"{key}/beta"]}


def _linear(source: dict[str, Tensor], key: str) -> dict[str, Tensor]:
    return {"weight": source[f"{key}/weight"], "bias": source[f"{key}/bias"]}


def convert(source: dict[str, Tensor], kept: list[int]) -> dict[str, Tensor]:
    """State dict of `StarterEncoder` with the embedding rows `kept`."""
    state = {
        "text_positions": source["decoder/position_encodings/encodings"],
        "embed.weight": source["decoder/embeddings/weight"][kept],
    }
    parts = {
        "conv1": _linear(source, "encoder/conv1"),
        "conv2": _linear(source, "encoder/conv2"),
        "encoder_norm": _norm(source, "encoder/layer_norm"),
        "decoder_norm": _norm(source, "decoder/layer_norm"),
    }
    for side in ("encoder", "decoder"):
        for index in range(LAYERS):
            old, new = f"{side}/layer_{index}", f"{side}.{index}"
            fused = _linear(source, f"{old}/self_attention/linear_0")
            width = fused["weight"].shape[1]
            parts[f"{new}.attention.query"] = {k: v[:width] for k, v in fused.items()}
            parts[f"{new}.attention.key_value"] = {k: v[width:] for k, v in fused.items()}
            parts[f"{new}.attention.out"] = _linear(source, f"{old}/self_attention/linear_1")
            parts[f"{new}.norm"] = _norm(source, f"{old}/self_attention/layer_norm")
            parts[f"{new}.mlp_norm"] = _norm(source, f"{old}/ffn/layer_norm")
            parts[f"{new}.up"] = _linear(source, f"{old}/ffn/linear_0")
            parts[f"{new}.down"] = _linear(source, f"{old}/ffn/linear_1")
            if side == "decoder":
                parts[f"{new}.cross_norm"] = _norm(source, f"{old}/attention/layer_norm")
                for part, number in (("query", 0), ("key_value", 1), ("out", 2)):
                    parts[f"{new}.cross.{part}"] = _linear(source, f"{old}/attention/linear_{number}")
    for prefix, tensors in parts.items():
        state.update({f"{prefix}.{key}": value for key, value in tensors.items()})
    return state


def kept_pieces(tokenizer: Tokenizer) -> list[int]:
    """Ids of the pieces that stay: the common ones and every one the corpus uses."""
    kept = set(range(COMMON_PIECES))
    for intent in load_intents():
        for text in (*intent.train_questions, *intent.answers):
            for form in (f" {text}", f" {text.lower()}"):
                kept.update(tokenizer.encode(form, add_special_tokens=False).ids)
    return [*sorted(piece for piece in kept if piece < END), END, START, PLAIN]


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training ears`."""
    parser = argparse.ArgumentParser(prog="app.training ears", description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder made by `fetch`")
    parser.add_argument("--model", type=Path, required=True, help="model folder to write into")
    args = parser.parse_args(argv)
    whisper = args.work / "whisper"
    tokenizer = Tokenizer.from_file(str(whisper / "tokenizer.json"))
    config = json.loads((whisper / "config.json").read_text())
    kept = kept_pieces(tokenizer)
    row = {piece: index for index, piece in enumerate(kept)}
    spec = {
        "vocabulary": [tokenizer.id_to_token(piece) for piece in kept],
        "start": row[START],
        "plain": row[PLAIN],
        "end": row[END],
        "banned": [row[piece] for piece in config["suppress_ids"] if piece in row],
        "banned_first": [row[piece] for piece in config["suppress_ids_begin"] if piece in row],
    }
    args.model.mkdir(parents=True, exist_ok=True)
    if not (args.model / "tokenizer.json").exists():
        train_tokenizer(args.model / "tokenizer.json")
    thinkers = Tokenizer.from_file(str(args.model / "tokenizer.json"))
    encoder = StarterEncoder(spec, thinkers)
    state = convert(read_ctranslate2(whisper / "model.bin"), kept)
    # Until there is a Thinker, the rows are what its embedding will start from.
    encoder.load_state_dict({**state, "rows.weight": minilm_embeddings(thinkers, args.work / "minilm")})
    (args.model / "encoder.json").write_text(json.dumps(spec, ensure_ascii=False), encoding="utf-8")
    save_weights(encoder.state_dict(), args.model / "encoder.safetensors", "int8")
    print(f"{len(kept)} pieces, {sum(p.numel() for p in encoder.parameters()):,} parameters")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
