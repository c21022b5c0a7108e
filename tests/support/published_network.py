"""The network and the vision tower of a full-size model as they are published, with random weights.

Names and shapes are written down here from the public checkpoints, not taken from the classes that read them.
"""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors.torch import save_file
from torch import Tensor

from app import paths

Shapes = dict[str, tuple[int, ...]]

#: `config.json` of the Hugging Face folders, as the exporter writes it.
CONFIG: dict[str, Any] = {
    "architectures": ["MiniMindOmni"],
    "auto_map": {
        "AutoConfig": "model_omni.OmniConfig",
        "AutoModelForCausalLM": "model_omni.MiniMindOmni",
    },
    "audio_hidden_size": 512,
    "audio_ids": [16],
    "audio_pad_token": 2049,
    "audio_special_token": "<|audio_pad|>",
    "audio_spk_token": 2051,
    "audio_stop_token": 2050,
    "audio_vocab_size": 2112,
    "bos_token_id": 1,
    "bridge_layer": 3,
    "dropout": 0.0,
    "dtype": "bfloat16",
    "eos_token_id": 2,
    "flash_attn": True,
    "head_dim": 96,
    "hidden_act": "silu",
    "hidden_size": 768,
    "image_hidden_size": 768,
    "image_ids": [12],
    "image_special_token": "<|image_pad|>",
    "image_token_len": 64,
    "inference_rope_scaling": False,
    "intermediate_size": 2432,
    "max_position_embeddings": 32768,
    "model_type": "minimind-o",
    "num_attention_heads": 8,
    "num_hidden_layers": 8,
    "num_key_value_heads": 4,
    "num_talker_hidden_layers": 4,
    "rms_norm_eps": 1e-06,
    "rope_scaling": None,
    "rope_theta": 1000000.0,
    "spk_emb_size": 192,
    "talker_hidden_size": 768,
    "think_end_ids": [26, 234, 234],
    "tie_word_embeddings": True,
    "transformers_version": "4.57.6",
    "use_moe": False,
    "vocab_size": 6400,
}


def network_shapes(moe: bool) -> Shapes:
    """Every tensor of the network, dense or a mixture of experts."""
    width, inner, codes, rank = 768, 2432, 2112, 256
    shapes: Shapes = {"model.embed_tokens.weight": (6400, width)}
    for part, layers in (("model", 8), ("talker", 4)):
        for layer in range(layers):
            start = f"{part}.layers.{layer}"
            for norm in ("input_layernorm", "post_attention_layernorm"):
                shapes[f"{start}.{norm}.weight"] = (width,)
            for name, rows in (("q_proj", width), ("k_proj", 384), ("v_proj", 384), ("o_proj", width)):
                shapes[f"{start}.self_attn.{name}.weight"] = (rows, width)
            for norm in ("q_norm", "k_norm"):
                shapes[f"{start}.self_attn.{norm}.weight"] = (96,)
            if moe:
                shapes[f"{start}.mlp.gate.weight"] = (4, width)
            for place in [f"experts.{number}." for number in range(4)] if moe else [""]:
                shapes[f"{start}.mlp.{place}gate_proj.weight"] = (inner, width)
                shapes[f"{start}.mlp.{place}up_proj.weight"] = (inner, width)
                shapes[f"{start}.mlp.{place}down_proj.weight"] = (width, inner)
        shapes[f"{part}.norm.weight"] = (width,)
    shapes["lm_head.weight"] = (6400, width)
    shapes |= {"talker.text_scale": (), "talker.audio_scale": ()}
    shapes["talker.embed_tokens.base.weight"] = shapes["talker.lm_head.base.weight"] = (codes, width)
    for codebook in range(8):
        shapes[f"talker.embed_tokens.adapters.{codebook}.0.weight"] = (codes, rank)
        shapes[f"talker.embed_tokens.adapters.{codebook}.2.weight"] = (width, rank)
        shapes[f"talker.lm_head.adapters.{codebook}.0.weight"] = (rank, width)
        shapes[f"talker.lm_head.adapters.{codebook}.2.weight"] = (codes, rank)
    for name in ("codec_proj", "embed_proj"):
        for number in (0, 2):
            shapes[f"talker.{name}.{number}.weight"] = (width, width)
            shapes[f"talker.{name}.{number}.bias"] = (width,)
        shapes[f"talker.{name}.3.weight"] = (width,)
    shapes["talker.spk_proj.weight"] = (width, 192)
    for name, given in (("audio_proj", 512), ("vision_proj", 768)):
        shapes |= {f"{name}.mlp.0.weight": (given,), f"{name}.mlp.0.bias": (given,)}
        shapes |= {f"{name}.mlp.1.weight": (width, given), f"{name}.mlp.1.bias": (width,)}
        shapes |= {f"{name}.mlp.3.weight": (width, width), f"{name}.mlp.3.bias": (width,)}
    return shapes


def tower_shapes() -> Shapes:
    """Every tensor of the vision tower, with the pooling head that it is published with."""
    width, inner, start = 768, 3072, "vision_model"
    shapes: Shapes = {
        f"{start}.embeddings.patch_embedding.weight": (width, 3, 32, 32),
        f"{start}.embeddings.patch_embedding.bias": (width,),
        f"{start}.embeddings.position_embedding.weight": (64, width),
        f"{start}.head.probe": (1, 1, width),
        f"{start}.head.attention.in_proj_weight": (3 * width, width),
        f"{start}.head.attention.in_proj_bias": (3 * width,),
    }
    linear = {f"{start}.head.attention.out_proj": (width, width)}
    norms = [f"{start}.post_layernorm", f"{start}.head.layernorm"]
    for layer in range(12):
        block = f"{start}.encoder.layers.{layer}"
        linear |= {f"{block}.self_attn.{name}_proj": (width, width) for name in ("q", "k", "v", "out")}
        linear |= {f"{block}.mlp.fc1": (inner, width), f"{block}.mlp.fc2": (width, inner)}
        norms += [f"{block}.layer_norm1", f"{block}.layer_norm2"]
    linear |= {f"{start}.head.mlp.fc1": (inner, width), f"{start}.head.mlp.fc2": (width, inner)}
    for name, shape in linear.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    for name in norms:
        shapes |= {f"{name}.weight": (width,), f"{name}.bias": (width,)}
    return shapes


def random_weights(shapes: Shapes, seed: int = 0) -> dict[str, Tensor]:
    """float32 weights that keep signals at a sensible size; the text head is the embedding."""
    generator = torch.Generator().manual_seed(seed)
    state: dict[str, Tensor] = {}
    for name, shape in shapes.items():
        if name == "lm_head.weight":
            state[name] = state["model.embed_tokens.weight"]
        elif len(shape) < 2:
            base = {"talker.text_scale": 3.0}.get(name, 0.0 if name.endswith("bias") else 1.0)
            state[name] = base + 0.1 * torch.randn(shape, generator=generator)
        else:
            state[name] = torch.randn(shape, generator=generator) / math.sqrt(math.prod(shape[1:]))
    return state


def write_network(folder: Path, state: dict[str, Tensor], layout: Literal["native", "hugging_face"]) -> Path:
    """Write the network and its tokenizer into a model folder: a `.pth` in float16 alone, or a folder in bfloat16.

    Returns the weight file.
    """
    # The starter's tokenizer has the same control tokens and the same size.
    shutil.copy(paths.starter_model() / "tokenizer.json", folder / "tokenizer.json")
    if layout == "native":
        moe = "model.layers.0.mlp.gate.weight" in state
        file = folder / f"sft_omni_768{'_moe' if moe else ''}.pth"
        torch.save({name: tensor.half() for name, tensor in state.items()}, file)
        return file
    named = {name: tensor.bfloat16() for name, tensor in state.items()}
    named["lm_head.weight"] = named["model.embed_tokens.weight"]
    torch.save(named, folder / "pytorch_model.bin")
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=2), encoding="utf-8")
    (folder / "generation_config.json").write_text('{"bos_token_id": 1, "eos_token_id": 2}', encoding="utf-8")
    for module in ("model_omni.py", "model_minimind.py"):
        (folder / module).write_text("raise SystemExit('code that came with the weights was run')\n", encoding="utf-8")
    return folder / "pytorch_model.bin"


def write_siglip2(folder: Path, seed: int = 0) -> Path:
    """Write `siglip2` into a model folder. Returns the part's folder."""
    home = folder / "siglip2"
    home.mkdir(parents=True, exist_ok=True)
    halves = {name: tensor.half() for name, tensor in random_weights(tower_shapes(), seed).items()}
    save_file(halves, str(home / "model.safetensors"))
    (home / "config.json").write_text('{"model_type": "siglip_vision_model", "patch_size": 32}', encoding="utf-8")
    return home
