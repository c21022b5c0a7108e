"""The sentence encoder: BERT's arithmetic, written a second time from the paper, and what the ears make of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from app.speech.errors import DamagedModelError
from app.speech.sentence_encoder import HEADS, LAYERS, TOKENIZER, WEIGHTS, WIDTH, SentenceEncoder
from app.speech.starter_encoder import feature_rows
from app.speech.weights import save_weights
from tests.support.sentences import WORDS, random_encoder, tokenizer


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return random_encoder()


def by_the_paper(weights: dict[str, Tensor], ids: list[int]) -> Tensor:
    """One text, head by head."""

    def linear(name: str, x: Tensor) -> Tensor:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(name: str, x: Tensor) -> Tensor:
        away = x - x.mean(-1, keepdim=True)
        return (
            away / (away.pow(2).mean(-1, keepdim=True) + 1e-12).sqrt() * weights[f"{name}.weight"]
            + weights[f"{name}.bias"]
        )

    x = torch.stack([weights["embeddings.word_embeddings.weight"][i] for i in ids])
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm("embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
    size = WIDTH // HEADS
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        q, k, v = (linear(f"{layer}.attention.self.{part}", x) for part in ("query", "key", "value"))
        heads = []
        for first in range(0, WIDTH, size):
            part = slice(first, first + size)
            heads.append((q[:, part] @ k[:, part].T / size**0.5).softmax(-1) @ v[:, part])
        mixed = linear(f"{layer}.attention.output.dense", torch.cat(heads, -1))
        x = norm(f"{layer}.attention.output.LayerNorm", x + mixed)
        inner = F.gelu(linear(f"{layer}.intermediate.dense", x))
        x = norm(f"{layer}.output.LayerNorm", x + linear(f"{layer}.output.dense", inner))
    return x.mean(0) / x.mean(0).norm()


def test_it_computes_what_the_paper_says_alone_and_beside_longer_texts(encoder: SentenceEncoder) -> None:
    texts = ["what time is it now", "now", ""]
    together = encoder.vectors(texts)
    for text, vector in zip(texts, together, strict=True):
        ids = [2, *(WORDS.index(word) for word in text.split()), 3]
        assert torch.allclose(vector, by_the_paper(encoder.state_dict(), ids), atol=1e-5)
        assert torch.allclose(vector, encoder.vectors([text])[0], atol=1e-5)


def test_it_comes_back_from_a_folder_and_says_what_is_missing(encoder: SentenceEncoder, tmp_path: Path) -> None:
    with pytest.raises(DamagedModelError, match=TOKENIZER):
        SentenceEncoder.load(tmp_path)
    tokenizer().save(str(tmp_path / TOKENIZER))
    with pytest.raises(DamagedModelError, match=WEIGHTS):
        SentenceEncoder.load(tmp_path)
    save_weights(encoder.state_dict(), tmp_path / WEIGHTS, "int8")
    loaded = SentenceEncoder.load(tmp_path)
    texts = ["is it time", "what"]
    assert F.cosine_similarity(loaded.vectors(texts), encoder.vectors(texts)).min() > 0.99


def test_rows_keep_pieces_and_meaning_apart() -> None:
    rows = feature_rows(torch.ones(2, 3), torch.full((3,), 2.0))
    assert rows.tolist() == [[1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [0, 0, 0, 2, 2, 2]]
