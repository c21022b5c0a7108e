"""Weight files as they are found in the world: native and Hugging Face ones, and what downloads leave behind."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from app.omni.checkpoint import build_model, config_of, load_config, load_model, weight_files
from app.omni.config import OmniConfig
from app.omni.errors import DamagedModelError
from app.omni.model import OmniModel
from app.speech.weights import read_tensors
from tests.omni.tiny import tiny_config, tiny_model


def native(**changes: Any) -> dict[str, Tensor]:
    """A small network of the published kind, in float16."""
    model = tiny_model(audio_vocab_size=2112, audio_pad_token=2049, image_ids=[12], **changes)
    return {name: tensor.half().clone() for name, tensor in model.state_dict().items()}


@pytest.mark.parametrize("moe", [False, True])
def test_native_weights_tell_their_configuration(tmp_path: Path, moe: bool) -> None:
    state = native(use_moe=moe)
    torch.save(state, tmp_path / f"sft_omni_32{'_moe' if moe else ''}.pth")
    config = load_config(tmp_path)
    known = tiny_config()
    assert config.use_moe == moe and config.num_experts == 4
    assert config.thinker_block.head_dim == known.thinker_block.head_dim
    assert (config.num_attention_heads, config.num_key_value_heads) == (4, 2)
    assert (config.hidden_size, config.talker_hidden_size, config.audio_adapter_size) == (32, 64, 8)
    assert (config.num_hidden_layers, config.num_talker_hidden_layers) == (4, 2)
    assert (config.spk_emb_size, config.audio_hidden_size, config.vocab_size) == (8, 6, known.vocab_size)
    assert config.image_ids == (12,) and config.resolved_bridge_layer == 1
    loaded = load_model(tmp_path).state_dict()
    assert all(torch.equal(loaded[name], tensor.float()) for name, tensor in state.items())


def test_the_full_size_network_is_recognised() -> None:
    for moe in (False, True):
        with torch.device("meta"):
            state = OmniModel(OmniConfig(use_moe=moe)).state_dict()
        wanted = OmniConfig(use_moe=moe, head_dim=96, intermediate_size=2432)
        assert config_of(state) == wanted
        assert config_of(state).talker_block == OmniConfig(use_moe=moe).talker_block


def test_which_of_several_native_files_is_meant(tmp_path: Path) -> None:
    def write(*names: str) -> None:
        for path in tmp_path.iterdir():
            path.unlink()
        for name in names:
            (tmp_path / name).write_bytes(b"")

    write("llm_768.pth", "sft_omni_768.pth", "sft_omni_768_moe.pth", "sft_omni_768_resume.pth")
    assert weight_files(tmp_path) == [tmp_path / "sft_omni_768.pth"]
    OmniConfig(use_moe=True).save(tmp_path)
    assert weight_files(tmp_path) == [tmp_path / "sft_omni_768_moe.pth"]
    write("sft_omni_768_resume.pth")
    assert weight_files(tmp_path) == [tmp_path / "sft_omni_768_resume.pth"]
    write("sft_omni_768.pth", "sft_zero_768.pth")
    with pytest.raises(DamagedModelError, match=r"sft_omni_768\.pth, sft_zero_768\.pth"):
        weight_files(tmp_path)
    write("llm_768.pth")
    with pytest.raises(DamagedModelError, match="cannot speak"):
        weight_files(tmp_path)


def test_a_file_to_resume_from_and_wrapped_names(tmp_path: Path) -> None:
    state = native()
    wrapped = {f"_orig_mod.{name}": tensor for name, tensor in state.items()}
    optimizer = {"state": {0: {"step": torch.tensor(3.0)}}, "param_groups": [{"lr": 1e-4}]}
    resume = {"model": wrapped, "optimizer": optimizer, "epoch": 3, "step": 7, "wandb_id": "abc", "scaler": {}}
    torch.save(resume, tmp_path / "sft_omni_32_resume.pth")
    loaded = load_model(tmp_path).state_dict()
    assert all(torch.equal(loaded[name], tensor.float()) for name, tensor in state.items())


def test_the_encoders_of_the_reference_are_dropped_and_told_of(caplog: pytest.LogCaptureFixture) -> None:
    model = tiny_model()
    extra = {f"{part}.layer.weight": torch.zeros(2) for part in ("audio_encoder", "vision_encoder", "mimi_model")}
    state = dict(model.state_dict())
    del state["lm_head.weight"]
    with caplog.at_level(logging.WARNING):
        built = build_model(model.config, state | extra)
    assert "3 tensors" in caplog.text and "audio_encoder" in caplog.text
    assert built.lm_head.weight is built.model.embed_tokens.weight


PAGE = b"<!DOCTYPE html>\n<html><title>Sign in</title></html>"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 236148080\n"


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "sft_omni_768.pth"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (PAGE, "is a web page"),
        (POINTER, r"pointer of Git LFS.*236 MB"),
        (b"not found", "cannot be read as a weight file"),
        (b"\x80\x02broken", "cannot be read as a weight file"),
    ],
)
def test_what_downloads_leave_behind(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    tiny_config().save(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DamagedModelError, match=words) as raised:
        load_model(tmp_path)
    assert name in str(raised.value) and "\n" not in str(raised.value)


def test_half_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    torch.save(native(), path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(DamagedModelError, match=r"is incomplete, it ends after \d"):
        read_tensors(path)


def test_a_file_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"a": torch.ones(2)}, tmp_path / "pytorch_model.bin")
    assert torch.equal(read_tensors(tmp_path / "pytorch_model.bin")["a"], torch.ones(2))


def test_weights_of_another_kind_than_config_json_says() -> None:
    dense, moe = native(), native(use_moe=True)
    config = {"audio_vocab_size": 2112, "audio_pad_token": 2049, "image_ids": [12]}
    with pytest.raises(DamagedModelError, match=r"'model\.layers\.0\.mlp\.experts.*config\.json says dense"):
        build_model(tiny_config(**config), moe)
    with pytest.raises(DamagedModelError, match=r"is dense, but config\.json says a mixture of experts"):
        build_model(tiny_config(use_moe=True, **config), dense)
    text = {name: tensor for name, tensor in dense.items() if name.startswith(("model.", "lm_head."))}
    with pytest.raises(DamagedModelError, match="cannot speak"):
        build_model(tiny_config(**config), text)
    with pytest.raises(DamagedModelError, match="cannot speak"):
        config_of(text)
    whole = {name: tensor.long() for name, tensor in dense.items()}
    with pytest.raises(DamagedModelError, match=r"'audio_proj\.mlp\.0\.bias' as torch\.int64"):
        build_model(tiny_config(**config), whole)
