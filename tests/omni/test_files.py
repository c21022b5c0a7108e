"""Config, weights and voices on disk."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from app.omni.checkpoint import build_model, load_model, read_tensors, save_weights
from app.omni.config import ConfigError, OmniConfig
from app.omni.errors import DamagedModelError
from app.omni.prompt import build_prompt
from app.omni.voice import Voice, VoiceFileError, load_voices, save_voices
from tests.omni.synthetic import shared_folder
from tests.omni.tiny import tiny_config, tiny_model


def test_defaults_are_those_of_minimind_o() -> None:
    config = OmniConfig.from_dict({"model_type": "minimind-o", "rope_scaling": {"factor": 4}, "head_dim": None})
    assert config == OmniConfig()
    assert (config.thinker_block.intermediate_size, config.thinker_block.head_dim) == (2432, 96)
    assert (config.resolved_bridge_layer, config.code_count) == (3, 2048)


def test_talker_ignores_the_thinkers_sizes() -> None:
    config = OmniConfig(hidden_size=384, talker_hidden_size=512, num_attention_heads=6, num_key_value_heads=2)
    talker = config.talker_block
    assert (talker.num_heads, talker.num_kv_heads, talker.head_dim) == (8, 4, 64)
    assert talker.intermediate_size == 1664


def test_config_file_round_trip(tmp_path: Path) -> None:
    config = tiny_config()
    config.save(tmp_path)
    assert OmniConfig.load(tmp_path) == config
    assert config.banter["name"] == "Tiny"


@pytest.mark.parametrize("text", [None, "{", "[]", '{"hidden_act": "gelu"}', '{"bridge_layer": 9}'])
def test_bad_config_is_one_clear_error(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    with pytest.raises(ConfigError):
        OmniConfig.load(tmp_path)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 0), ("float16", 1e-3), ("int8", 1e-2)])
def test_weights_round_trip(tmp_path: Path, dtype: str, tolerance: float) -> None:
    model = tiny_model(hidden_size=64)
    model.config.save(tmp_path)
    save_weights(model.state_dict(), tmp_path / "model.safetensors", dtype)  # type: ignore[arg-type]
    loaded = load_model(tmp_path)
    for name, tensor in model.state_dict().items():
        assert torch.allclose(loaded.state_dict()[name], tensor, atol=tolerance, rtol=tolerance), name
    stored = load_file(tmp_path / "model.safetensors")
    assert "lm_head.weight" not in stored
    if dtype == "int8":
        assert stored["model.embed_tokens.weight"].dtype == torch.int8
        assert stored["model.norm.weight"].dtype == torch.float16
    assert not list(tmp_path.glob("*.part"))


def test_loaded_network_computes_the_same(tmp_path: Path) -> None:
    model = tiny_model()
    model.config.save(tmp_path)
    save_weights(model.state_dict(), tmp_path / "model.safetensors", "float32")
    loaded = load_model(tmp_path)
    text, audio = torch.arange(12)[None] + 20, torch.arange(96).view(1, 8, 12) % 60
    with torch.no_grad():
        ours, theirs = model(text, audio), loaded(text, audio)
    assert torch.equal(ours.text_logits, theirs.text_logits)
    assert torch.equal(ours.audio_logits, theirs.audio_logits)
    assert loaded.lm_head.weight is loaded.model.embed_tokens.weight


@pytest.mark.parametrize("name", ["pytorch_model.bin", "sft_omni_768.pth"])
def test_published_pickles_without_running_code(tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    model = tiny_model()
    model.config.save(tmp_path)
    state = {k: v.to(torch.bfloat16) for k, v in model.state_dict().items()}
    state["audio_encoder.layer.weight"] = torch.zeros(2)
    torch.save(state, tmp_path / name)
    with caplog.at_level(logging.WARNING):
        loaded = load_model(tmp_path)
    assert "audio_encoder.layer.weight" in caplog.text
    assert torch.allclose(loaded.model.norm.weight, model.model.norm.weight)


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (print, ("gotcha",))


def test_code_in_a_pickle_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "evil.pth"
    torch.save({"model.norm.weight": Evil()}, path)
    with pytest.raises(DamagedModelError, match="cannot be read"):
        read_tensors(path)
    assert "gotcha" not in capsys.readouterr().out


def test_missing_and_misshapen_tensors_are_refused() -> None:
    model = tiny_model()
    state = dict(model.state_dict())
    del state["talker.lm_head.adapters.3.2.weight"]
    with pytest.raises(DamagedModelError, match=r"lacks 1 tensors.*adapters\.3\.2"):
        build_model(model.config, state)
    state = dict(model.state_dict()) | {"model.norm.weight": torch.zeros(5)}
    with pytest.raises(DamagedModelError, match=r"model\.norm\.weight"):
        build_model(model.config, state)


def test_truncated_and_absent_files_are_refused(tmp_path: Path) -> None:
    model = tiny_model()
    model.config.save(tmp_path)
    with pytest.raises(DamagedModelError, match="no model weights"):
        load_model(tmp_path)
    path = tmp_path / "model.safetensors"
    save_weights(model.state_dict(), path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DamagedModelError, match=r"incomplete.*'talker\.spk_proj\.weight'"):
        load_model(tmp_path)


def test_int8_without_scale_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"a": torch.ones(2, 64, dtype=torch.int8)}, tmp_path / "model.safetensors")
    with pytest.raises(DamagedModelError, match="lacks the scale of 'a'"):
        read_tensors(tmp_path / "model.safetensors")


def test_voices_round_trip_in_menu_order(tmp_path: Path) -> None:
    config = tiny_config()
    voices = [
        Voice("Zoe", torch.arange(8.0)),
        Voice("Adam M.", torch.ones(8), torch.arange(40).view(8, 5)),
        Voice("Codes", None, torch.zeros(8, 2, dtype=torch.int64)),
    ]
    save_voices(tmp_path / "voices.safetensors", voices)
    loaded = load_voices(tmp_path / "voices.safetensors", config)
    assert list(loaded) == ["Zoe", "Adam M.", "Codes"]
    codes = loaded["Adam M."].ref_codes
    assert codes is not None and torch.equal(codes, torch.arange(40).view(8, 5))
    assert loaded["Codes"].spk_emb is None and loaded["Zoe"].ref_codes is None


def test_published_voices() -> None:
    voices = load_voices(shared_folder() / "data" / "minimind-o" / "voices.pt", OmniConfig())
    lengths = {name: v.ref_codes.shape[1] for name, v in voices.items() if v.ref_codes is not None}
    assert lengths == {"dylan": 101, "eric": 76, "serena": 84, "uncle_fu": 93, "vivian": 83}


def test_voices_of_another_model_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "voices.safetensors"
    for voice in (
        Voice("a", torch.ones(9)),
        Voice("a", None, torch.full((8, 3), 64)),
        Voice("a", None, torch.ones(4, 3)),
    ):
        save_voices(path, [voice])
        with pytest.raises(VoiceFileError, match="'a'"):
            load_voices(path, tiny_config())
    path.write_text(json.dumps({}))
    with pytest.raises(VoiceFileError, match="cannot be read"):
        load_voices(path, tiny_config())


def columns(voice: Voice, length: int) -> list[int]:
    return build_prompt(tiny_config(), [10] * length, voice).audio_ids[2].tolist()


def test_voice_placement() -> None:
    """Pad 65, speaker slot 67; reference frames sit at the end, the slot right before them."""
    codes = torch.arange(1, 5).expand(8, 4)
    assert columns(Voice("v", torch.ones(8), codes), 7) == [65, 65, 67, 1, 2, 3, 4]
    assert columns(Voice("v", torch.ones(8), codes), 4) == [67, 2, 3, 4]
    assert columns(Voice("v", None, codes), 6) == [65, 65, 1, 2, 3, 4]
    assert columns(Voice("v", None, codes), 3) == [2, 3, 4]
    assert columns(Voice("v", torch.ones(8)), 3) == [65, 65, 67]
    assert columns(Voice("v"), 2) == [65, 65]
    assert build_prompt(tiny_config(), [10], Voice("v")).spk_emb is None
