"""MiniLM's sentence vectors: what the Thinker's state at the end of a question is pulled towards.

A training-time source only (Apache-2.0 weights). BERT's encoder (Devlin et al., 2019), mean pooling over the pieces
and unit length, as sentence-transformers does for this model.
"""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

LAYERS, HEADS, WIDTH, EPS = 6, 12, 384, 1e-12


class SentenceVectors:
    """Sentence vectors from a folder with `model.safetensors` and `tokenizer.json`."""

    def __init__(self, folder: Path) -> None:
        self._weights = {k.removeprefix("bert."): v.float() for k, v in load_file(folder / "model.safetensors").items()}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_padding()
        self._tokenizer.enable_truncation(64)

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, name: str, x: Tensor) -> Tensor:
        return F.layer_norm(x, (WIDTH,), self._weights[f"{name}.weight"], self._weights[f"{name}.bias"], EPS)

    def _encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        table = "embeddings.{}_embeddings.weight".format
        x = self._weights[table("word")][ids] + self._weights[table("token_type")][0]
        x = self._norm("embeddings.LayerNorm", x + self._weights[table("position")][: ids.shape[1]])
        batch, length, _ = x.shape
        for index in range(LAYERS):
            layer = f"encoder.layer.{index}"
            q, k, v = (
                self._linear(f"{layer}.attention.self.{part}", x).view(batch, length, HEADS, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
            mixed = mixed.transpose(1, 2).reshape(batch, length, WIDTH)
            x = self._norm(
                f"{layer}.attention.output.LayerNorm", x + self._linear(f"{layer}.attention.output.dense", mixed)
            )
            wide = F.gelu(self._linear(f"{layer}.intermediate.dense", x))
            x = self._norm(f"{layer}.output.LayerNorm", x + self._linear(f"{layer}.output.dense", wide))
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return F.normalize(mean, dim=-1)

    @torch.no_grad()
    def __call__(self, texts: list[str], batch: int = 128) -> Tensor:
        """Unit vectors float32 [len(texts), 384]."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        out = torch.empty(len(texts), WIDTH)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            encoded = self._tokenizer.encode_batch([texts[i] for i in chosen])
            ids = torch.tensor([e.ids for e in encoded])
            mask = torch.tensor([e.attention_mask for e in encoded], dtype=torch.bool)
            out[chosen] = self._encode(ids, mask)
        return out
