"""The sentence encoder without what no English question needs: the last step of `sentences`.

By itself, `python -m app.training pieces --model FOLDER`, it makes an encoder of before smaller.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from app.speech.sentence_encoder import MAX_PIECES, TOKENIZER, WEIGHTS
from app.speech.weights import read_tensors, save_weights

_ROWS, _PLACES = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"
_LAST_LATIN = "\u00ff"


def needed(piece: str) -> bool:
    """Whether English texts may hold this piece."""
    return not piece.startswith("[unused") and all(sign <= _LAST_LATIN for sign in piece)


def vocabulary(folder: Path) -> list[str]:
    """The pieces of a model folder's sentence encoder, the commonest words first."""
    listing: dict[str, int] = json.loads((folder / TOKENIZER).read_text(encoding="utf-8"))["model"]["vocab"]
    return sorted(listing, key=lambda piece: listing[piece])


def cut_pieces(folder: Path) -> int:
    """Cut the others from tokenizer and weights of a model folder; how many there were. What texts without them become
    stays the same, number for number but for the names of the pieces."""
    listing = json.loads((folder / TOKENIZER).read_text(encoding="utf-8"))
    vocabulary: dict[str, int] = listing["model"]["vocab"]
    kept = [(piece, number) for piece, number in sorted(vocabulary.items(), key=lambda item: item[1]) if needed(piece)]
    new = {piece: place for place, (piece, _) in enumerate(kept)}
    listing["model"]["vocab"] = new
    for added in listing["added_tokens"]:
        added["id"] = new[added["content"]]
    for special in listing["post_processor"]["special_tokens"].values():
        special["ids"] = [new[token] for token in special["tokens"]]
    state = read_tensors(folder / WEIGHTS)
    state[_ROWS] = state[_ROWS][torch.tensor([number for _, number in kept])]
    state[_PLACES] = state[_PLACES][:MAX_PIECES]
    save_weights(state, folder / WEIGHTS, "int8")
    (folder / TOKENIZER).write_text(json.dumps(listing, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return len(vocabulary) - len(kept)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training pieces`."""
    parser = argparse.ArgumentParser(prog="app.training pieces", description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    print(f"{cut_pieces(parser.parse_args(argv).model)} pieces cut")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
