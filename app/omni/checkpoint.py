"""Building the network of a model folder: own safetensors or published MiniMind-O files."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from app.omni.config import ConfigError, OmniConfig
from app.omni.errors import DamagedModelError
from app.omni.model import OmniModel
from app.speech import weights
from app.speech.weights import read_tensors

_EMBEDDING, _HEAD = "model.embed_tokens.weight", "lm_head.weight"
_FIRST_DENSE = "model.layers.0.mlp.gate_proj.weight"
_FIRST_EXPERT = "model.layers.0.mlp.experts.0.gate_proj.weight"
_PATTERNS = ("model.safetensors", "model-*.safetensors", "pytorch_model*.bin", "*.pth")
# What training in several processes, or compiled, puts before every name.
_WRAPPERS = ("module.", "_orig_mod.")


def weight_files(folder: str | Path) -> list[Path]:
    """The files that hold a folder's network weights. Raises DamagedModelError when there are none."""
    folder = Path(folder)
    for pattern in _PATTERNS:
        files = sorted(folder.glob(pattern))
        if files:
            return [_native(folder, files)] if pattern == "*.pth" else files
    raise DamagedModelError(f"{folder} holds no model weights: download or copy the model folder again.")


def _native(folder: Path, files: list[Path]) -> Path:
    """The one of the native files that is meant: no text model, and no file to resume from beside a finished one."""
    kept = [path for path in files if not path.name.startswith("llm_")]
    kept = [path for path in kept if not path.stem.endswith("_resume")] or kept
    moe = (folder / "config.json").is_file() and OmniConfig.load(folder).use_moe
    kept = [path for path in kept if path.stem.removesuffix("_resume").endswith("_moe") == moe] or kept
    if len(kept) == 1:
        return kept[0]
    if not kept:
        raise DamagedModelError(
            f"{folder / files[0].name} is a text model that cannot speak: use a file such as sft_omni_768.pth."
        )
    names = ", ".join(path.name for path in kept)
    raise DamagedModelError(f"{folder} holds several .pth files ({names}): keep only the one to use.")


def load_config(folder: str | Path) -> OmniConfig:
    """The configuration of a model folder. Native weights come without a `config.json`: their shapes tell.

    Raises ConfigError, DamagedModelError.
    """
    folder = Path(folder)
    if (folder / "config.json").exists() or not any(folder.glob("*.pth")):
        return OmniConfig.load(folder)
    (path,) = weight_files(folder)
    return config_of(_unwrapped(read_tensors(path)), str(path))


def config_of(state: Mapping[str, Tensor], source: str = "The state dict") -> OmniConfig:
    """What the shapes of a MiniMind-O network say of its configuration; the rest is as published.

    Raises DamagedModelError for tensors of something else.
    """
    try:
        vocabulary, hidden = state[_EMBEDDING].shape
        head = len(state["model.layers.0.self_attn.q_norm.weight"])
        talker = state["talker.norm.weight"]
        codes, adapter = state["talker.embed_tokens.adapters.0.0.weight"].shape
        gate = state.get("model.layers.0.mlp.gate.weight")
        sees = "vision_proj.mlp.0.weight" in state
        values = {
            "hidden_size": hidden,
            "vocab_size": vocabulary,
            "num_hidden_layers": _layers(state, "model.layers."),
            "num_attention_heads": len(state["model.layers.0.self_attn.q_proj.weight"]) // head,
            "num_key_value_heads": len(state["model.layers.0.self_attn.k_proj.weight"]) // head,
            "head_dim": head,
            "use_moe": gate is not None,
            "num_experts": 4 if gate is None else len(gate),
            "intermediate_size": len(state[_FIRST_DENSE if gate is None else _FIRST_EXPERT]),
            "talker_hidden_size": len(talker),
            "num_talker_hidden_layers": _layers(state, "talker.layers."),
            "audio_adapter_size": adapter,
            "audio_hidden_size": len(state["audio_proj.mlp.0.weight"]),
            "spk_emb_size": state["talker.spk_proj.weight"].shape[1],
            "image_ids": OmniConfig.image_ids if sees else (),
            "image_hidden_size": len(state["vision_proj.mlp.0.weight"]) if sees else OmniConfig.image_hidden_size,
        }
    except KeyError as error:
        name = str(error.args[0])
        reason = f"lacks '{name}': it is incomplete or no MiniMind-O network"
        raise DamagedModelError(f"{source} {_another_kind(state, (name,)) or reason}.") from error
    if codes != OmniConfig.audio_vocab_size:
        raise DamagedModelError(
            f"{source} speaks with {codes} codes instead of {OmniConfig.audio_vocab_size}, "
            "so it needs its config.json: copy that into the folder too."
        )
    return OmniConfig.from_dict(values)


def _layers(state: Iterable[str], start: str) -> int:
    return len({name.removeprefix(start).partition(".")[0] for name in state if name.startswith(start)})


def load_model(folder: str | Path, config: OmniConfig | None = None) -> OmniModel:
    """Build the network of a model folder in float32, in evaluation mode.

    A missing text head is tied, tensors the network does not know are dropped with a log line. Raises
    DamagedModelError when a tensor is missing or has the wrong shape, or a file is damaged.
    """
    folder = Path(folder)
    try:
        config = config or load_config(folder)
    except ConfigError as error:
        raise DamagedModelError(str(error)) from error
    state: dict[str, Tensor] = {}
    files = weight_files(folder)
    for path in files:
        state |= read_tensors(path)
    return build_model(config, state, str(files[0] if len(files) == 1 else folder))


def build_model(config: OmniConfig, state: Mapping[str, Tensor], source: str = "The state dict") -> OmniModel:
    """The network of `config` with the tensors of `state` (any float type); rules as in `load_model`."""
    with weights.WithoutValues():
        model = OmniModel(config)
    given = _unwrapped(state)
    if _HEAD not in given and _EMBEDDING in given:
        given[_HEAD] = given[_EMBEDDING]
    wanted = set(model.state_dict())
    if (mistaken := _another_kind(given, wanted)) is not None:
        raise DamagedModelError(f"{source} {mistaken}.")
    odd = next((name for name in sorted(wanted & given.keys()) if not given[name].is_floating_point()), None)
    if odd is not None:
        raise DamagedModelError(f"{source} has '{odd}' as {given[odd].dtype}: it is not a model of this kind.")
    weights.fill(model, given, source, "the network")
    model.tie_weights()
    return model.eval().requires_grad_(False)


def _unwrapped(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    given = dict(state)
    for wrapper in _WRAPPERS:
        if given and all(name.startswith(wrapper) for name in given):
            given = {name.removeprefix(wrapper): tensor for name, tensor in given.items()}
    return given


def _another_kind(given: Mapping[str, Tensor], wanted: Container[str]) -> str | None:
    """What weights are that belong to another configuration than the one that wants them; None where they may fit."""
    if _FIRST_DENSE not in given and _FIRST_EXPERT not in given:
        return None
    if not any(name.startswith("talker.") for name in given):
        return "has no 'talker.norm.weight': it is a text model that cannot speak; use a file such as sft_omni_768.pth"
    kinds = {_FIRST_EXPERT: "a mixture of experts", _FIRST_DENSE: "dense"}
    for has, lacks in ((_FIRST_EXPERT, _FIRST_DENSE), (_FIRST_DENSE, _FIRST_EXPERT)):
        if has in given and has not in wanted and lacks in wanted:
            return (
                f"has '{has}' and is {kinds[has]}, but config.json says {kinds[lacks]}: "
                "config.json and weights do not belong together"
            )
    return None


def save_weights(
    state: Mapping[str, Tensor], path: str | Path, dtype: Literal["float32", "float16", "int8"] = "float16"
) -> None:
    """Write a network's tensors (see `app.speech.weights`); a text head equal to the embedding is left out."""
    tied = _HEAD in state and _EMBEDDING in state and torch.equal(state[_HEAD], state[_EMBEDDING])
    weights.save_weights({n: t for n, t in state.items() if not (tied and n == _HEAD)}, path, dtype)
