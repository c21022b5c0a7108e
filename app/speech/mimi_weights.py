"""The weights of Mimi as the `moshi` package names them, from both published layouts.

Kyutai's own file has moshi's names, but for the attention, whose names moshi has changed since. The copy for the
transformers library renames nearly everything, splits the projection for query, key and value in three, and orders
the rows of the first two for a rotary embedding by halves instead of by pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from app.speech.errors import DamagedModelError

HEADS = 8

_IN, _OUT = "self_attn.in_projs.0.weight", "self_attn.out_projs.0.weight"
_RENAMED = (
    (r"\b(?:conv|convtr)(?:\.(?:conv|convtr))*\.(weight|bias)$", r"conv.\1"),
    (r"^(encoder|decoder)\.model\.", r"\1.layers."),
    (r"^(encoder|decoder)_transformer\.transformer\.", r"\1_transformer."),
    (r"^quantizer\.rvq_first\.(?:vq\.)?", "quantizer.semantic_residual_vector_quantizer."),
    (r"^quantizer\.rvq_rest\.(?:vq\.)?", "quantizer.acoustic_residual_vector_quantizer."),
    (r"\._codebook\.embedding_sum$", ".codebook.embed_sum"),
    (r"\._codebook\._?", ".codebook."),
    (r"\.self_attn\.out_projs\.0\.", ".self_attn.o_proj."),
    (r"\.linear([12])\.", r".mlp.fc\1."),
    (r"\.norm1\.", ".input_layernorm."),
    (r"\.norm2\.", ".post_attention_layernorm."),
    (r"\.layer_scale_1\.", ".self_attn_layer_scale."),
    (r"\.layer_scale_2\.", ".mlp_layer_scale."),
)


def transformers_name(name: str) -> str:
    """What the transformers library calls a tensor of moshi's, other than the joint projection of the attention."""
    for pattern, new in _RENAMED:
        name = re.sub(pattern, new, name)
    return name


def by_halves(weight: Tensor, heads: int = HEADS) -> Tensor:
    """Rows of a projection ordered by pairs within each head → all first ones, then all second ones."""
    return weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)


def by_pairs(weight: Tensor, heads: int = HEADS) -> Tensor:
    """The inverse of `by_halves`."""
    return weight.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)


def moshi_state(state: Mapping[str, Tensor], names: Iterable[str], source: str) -> dict[str, Tensor]:
    """The tensors `names`, called as in moshi, from the content `state` of a published file of either layout.

    Raises DamagedModelError with the missing tensor, called as in the file.
    """
    foreign = any(name.startswith("encoder.layers.") for name in state)

    def take(*candidates: str) -> Tensor:
        for name in candidates:
            if name in state:
                return state[name]
        raise DamagedModelError(
            f"{source} lacks '{candidates[0]}': the file is incomplete or is not Mimi; download or copy it again."
        )

    found: dict[str, Tensor] = {}
    for name in names:
        if name.endswith("._initialized"):
            # Of interest for training only.
            found[name] = torch.ones(1)
        elif not foreign:
            old = name.replace(_IN, "self_attn.in_proj_weight").replace(_OUT, "self_attn.out_proj.weight")
            found[name] = take(old, name)
        elif name.endswith(_IN):
            start = transformers_name(name.removesuffix("in_projs.0.weight"))
            query, key, value = (take(f"{start}{part}_proj.weight") for part in "qkv")
            found[name] = torch.cat((by_pairs(query), by_pairs(key), value))
        else:
            found[name] = take(transformers_name(name))
    return found
