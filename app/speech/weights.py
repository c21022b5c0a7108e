"""Weight files. Own ones are safetensors in float32, float16, bfloat16 or int8 with one float32 scale per row
(`<name>.scale`); published pickles are read with `weights_only`, so that no code in them is run."""

from __future__ import annotations

import json
import logging
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from app.speech.errors import DamagedModelError
from app.speech.file_kind import weight_format

log = logging.getLogger(__name__)

_SCALE = ".scale"
_INT8_MIN_COLUMNS = 64
#: Under which of these a training program may have put the weights, beside other things.
_WRAPPERS = ("state_dict", "model_state_dict", "model")


class WithoutValues(TorchFunctionMode):
    """Modules built in this context get no starting values: quick, for those whose weights are read from a file.

    On the `meta` device torch's initialisers import a compiler first, which takes seconds.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def read_tensors(path: str | Path) -> dict[str, Tensor]:
    """Tensors of a safetensors file or a `.bin`/`.pt`/`.pth` pickle, int8 ones scaled back to float32.

    Nothing in a pickle is run; of a file that training can be resumed from, only the model is read. Raises
    DamagedModelError.
    """
    path = Path(path)
    kind = weight_format(path)
    state: Any
    try:
        if kind == "safetensors":
            state = load_file(path)
        else:
            # Mapped, so that what is not used takes no memory; only archives can be.
            state = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except Exception as error:  # torch raises many types for damaged or foreign pickles
        log.info("%s: %s", path, error)
        raise DamagedModelError(
            f"{path} cannot be read as a weight file, it is damaged or of another kind: download or copy it again."
        ) from error
    if isinstance(state, dict):
        wrapped: list[Any] = [state[name] for name in _WRAPPERS if isinstance(state.get(name), dict)]
        state = wrapped[0] if wrapped else state
    if not isinstance(state, dict) or not all(isinstance(t, Tensor) for t in state.values()):
        raise DamagedModelError(f"{path} does not map names to tensors: it is not a model of this kind.")
    for name in [n for n, t in state.items() if t.dtype == torch.int8]:
        scale = state.pop(name + _SCALE, None)
        if scale is None or scale.shape != state[name].shape[:1]:
            raise DamagedModelError(f"{path} lacks the scale of '{name}': download or copy it again.")
        state[name] = state[name].float() * scale.float()[:, None]
    return state


def save_weights(
    state: Mapping[str, Tensor], path: str | Path, dtype: Literal["float32", "float16", "int8"] = "float16"
) -> None:
    """Write tensors to a safetensors file, in one piece: a failed write leaves the old file.

    `int8` quantises 2-D tensors of at least 64 columns, one scale per row; everything else becomes float16.
    """
    path = Path(path)
    out: dict[str, Tensor] = {}
    for name, tensor in state.items():
        value = tensor.detach().float().cpu()
        if dtype == "int8" and value.dim() == 2 and value.shape[1] >= _INT8_MIN_COLUMNS:
            scale = value.abs().amax(dim=1).clamp(min=1e-12) / 127
            out[name] = (value / scale[:, None]).round().to(torch.int8)
            out[name + _SCALE] = scale
        else:
            out[name] = value.to(torch.float32 if dtype == "float32" else torch.float16).clone()
    partial = path.with_name(path.name + ".part")
    save_file(out, str(partial))
    os.replace(partial, path)


def fill(module: nn.Module, state: Mapping[str, Tensor], source: str, what: str) -> None:
    """Give `module` its tensors from `state`, float ones as float32; tensors that it does not know are left out.

    `source` is the file or folder, `what` is missing when tensors are ("the network"). Raises DamagedModelError with
    the name of a tensor that is missing or has the wrong shape.
    """
    expected = {name: tensor.shape for name, tensor in module.state_dict().items()}
    missing = [name for name in expected if name not in state]
    if missing:
        raise DamagedModelError(
            f"{source} lacks {len(missing)} tensors of {what} (first: '{missing[0]}'): "
            "the file is incomplete or belongs to another model."
        )
    wrong = [name for name, shape in expected.items() if state[name].shape != shape]
    if wrong:
        raise DamagedModelError(
            f"{source} has '{wrong[0]}' with shape {tuple(state[wrong[0]].shape)} instead of "
            f"{tuple(expected[wrong[0]])}: these weights belong to another model."
        )
    extra = sorted(set(state) - set(expected))
    if extra:
        log.warning("%s: %d tensors that %s does not use were left out (%s …)", source, len(extra), what, extra[0])
    fitting = {name: state[name] for name in expected}
    module.load_state_dict({n: t.float() if t.is_floating_point() else t for n, t in fitting.items()}, assign=True)


def read_tensor(path: Path, name: str) -> Tensor:
    """One tensor of a safetensors file as float32, scaled back from int8. Raises DamagedModelError."""
    try:
        with safe_open(path, "pt") as file:
            value: Tensor = file.get_tensor(name)
            if value.dtype == torch.int8:
                return value.float() * file.get_tensor(name + _SCALE).float()[:, None]
            return value.float()
    except (OSError, SafetensorError) as error:
        raise DamagedModelError(f"{path} lacks '{name}': download or copy the model folder again.") from error


def load_into(module: nn.Module, path: Path) -> None:
    """Fill `module` with the tensors of `path` as float32. Raises DamagedModelError."""
    load_tensors(module, read_tensors(path), path)


def load_tensors(module: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Fill `module` with `tensors`, which come from `path`, as float32. Raises DamagedModelError."""
    state = {name: t.float() if t.is_floating_point() else t for name, t in tensors.items()}
    try:
        module.load_state_dict(state, assign=True)
    except RuntimeError as error:
        raise DamagedModelError(
            f"{path} does not fit this version of Banter: download or copy the model folder again."
        ) from error


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a model folder. Raises DamagedModelError."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedModelError(f"{path} is missing or damaged: download or copy the model folder again.") from error
    if not isinstance(values, dict):
        raise DamagedModelError(f"{path} does not hold a JSON object: download or copy the model folder again.")
    return values
