"""What a question means, as one vector: MiniLM (Apache-2.0), tuned on the corpus.

BERT's encoder (Devlin et al., 2019) with the names of its published weights, the mean of its states, scaled to unit
length (Reimers and Gurevych, 2019). It costs a few milliseconds a question and knows far more wordings than any
corpus holds: wordings it never saw lie beside those that mean the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from app.speech.errors import DamagedModelError
from app.speech.weights import WithoutValues, load_into

WIDTH, HEADS, LAYERS, INNER = 384, 12, 6, 1536
WEIGHTS, TOKENIZER = "sentence.safetensors", "sentence.json"
_EPS = 1e-12
#: Pieces of a text that are read; the rest is cut.
MAX_PIECES = 64


class _Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (part(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None]).transpose(1, 2).flatten(-2)


def _half(width: int) -> nn.ModuleDict:
    """A product and the norm behind it."""
    return nn.ModuleDict({"dense": nn.Linear(width, WIDTH), "LayerNorm": nn.LayerNorm(WIDTH, _EPS)})


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.ModuleDict({"self": _Attention(), "output": _half(WIDTH)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(WIDTH, INNER)})
        self.output = _half(INNER)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        behind = cast(nn.ModuleDict, self.attention["output"])
        x = behind["LayerNorm"](x + behind["dense"](self.attention["self"](x, mask)))
        inner = F.gelu(self.intermediate["dense"](x))
        return cast(Tensor, self.output["LayerNorm"](x + self.output["dense"](inner)))


def mean_vector(states: Tensor, mask: Tensor) -> Tensor:
    """Unit vectors [B, 384] of the last layer's states [B, T, 384]."""
    return F.normalize((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)


class SentenceEncoder(nn.Module):
    """Texts → unit vectors [texts, 384]."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        tokenizer.enable_padding()
        tokenizer.enable_truncation(MAX_PIECES)
        self.tokenizer = tokenizer
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(tokenizer.get_vocab_size(), WIDTH),
                "position_embeddings": nn.Embedding(MAX_PIECES, WIDTH),
                "token_type_embeddings": nn.Embedding(2, WIDTH),
                "LayerNorm": nn.LayerNorm(WIDTH, _EPS),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(_Layer() for _ in range(LAYERS))})

    @classmethod
    def load(cls, folder: Path) -> SentenceEncoder:
        """Read `sentence.safetensors` and `sentence.json` (its tokenizer) of a model folder.

        Raises DamagedModelError.
        """
        try:
            tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # the tokenizer raises plain Exception for every kind of damage
            raise DamagedModelError(f"{folder / TOKENIZER} is missing or damaged: {error}.") from error
        with WithoutValues():
            encoder = cls(tokenizer)
        load_into(encoder, folder / WEIGHTS)
        return encoder.eval().requires_grad_(False)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Unit vectors [B, 384] of pieces [B, T] (int64), where `mask` [B, T] (bool) says which are there."""
        return mean_vector(self.levels(ids, mask)[-1], mask)

    def levels(self, ids: Tensor, mask: Tensor) -> list[Tensor]:
        """States [B, T, 384] of the pieces: the embeddings, and those behind each layer."""
        word, position, kind, norm = (cast(nn.Embedding, part) for part in self.embeddings.values())
        found = [norm(word(ids) + position.weight[: ids.shape[1]] + kind.weight[0])]
        for layer in cast(nn.ModuleList, self.encoder["layer"]):
            found.append(layer(found[-1], mask))
        return found

    def cut(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Pieces and mask of texts, as `forward` takes them."""
        ids, mask, _ = self.pieces(texts)
        return ids, mask

    def pieces(self, texts: Sequence[str]) -> tuple[Tensor, Tensor, list[list[tuple[int, int]]]]:
        """The same, and which characters of its text each piece covers."""
        encoded = self.tokenizer.encode_batch(list(texts))
        ids, mask = ([getattr(one, name) for one in encoded] for name in ("ids", "attention_mask"))
        return torch.tensor(ids), torch.tensor(mask).bool(), [one.offsets for one in encoded]

    @torch.no_grad()
    def vectors(self, texts: Sequence[str]) -> Tensor:
        """Unit vectors [len(texts), 384]."""
        return cast(Tensor, self(*self.cut(texts)))
