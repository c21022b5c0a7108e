"""The frozen parts of a full-size model as they are published, with random weights: file names, layouts, key sets.

SenseVoice has fewer blocks and pieces than the published one, which its `config.yaml` and vocabulary say; everything
else has its full size.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import sentencepiece
import torch
from safetensors.torch import save_file
from torch import Tensor

from app.speech import campplus, mimi, sensevoice
from app.speech.campplus import CamPlus
from app.speech.fbank import FEATURES
from app.speech.mimi_weights import by_halves, transformers_name
from app.speech.rich_text import PieceList
from app.speech.sanm import SanmConfig
from app.speech.sensevoice import SenseVoice
from app.speech.weights import WithoutValues

TAGS = tuple(f"<|{name}|>" for name in ("zh", "en", "nospeech", "HAPPY", "NEUTRAL", "Speech", "Laughter", "withitn"))
_CODEBOOKS = 32
_JOINT, _OUT = ".in_projs.0.weight", ".out_projs.0.weight"


def write_sensevoice(
    folder: Path, *, blocks: int = 3, tp_blocks: int = 2, seed: int = 0, wrapped: bool = False, pieces: bool = True
) -> Path:
    """Write `sensevoice` into a model folder. `wrapped`: the weights lie in a training program's dict. `pieces`: with
    a sentencepiece model, otherwise with a list of its pieces. Returns the part's folder.
    """
    home = folder / sensevoice.PART
    home.mkdir(parents=True, exist_ok=True)
    vocabulary = sentence_pieces()
    reader = sentencepiece.SentencePieceProcessor(model_proto=vocabulary)
    names = [reader.id_to_piece(number) for number in range(reader.get_piece_size())]
    if pieces:
        (home / "chn_jpn_yue_eng_ko_spectok.bpe.model").write_bytes(vocabulary)
    else:
        (home / "tokens.json").write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8")
    config = SanmConfig(blocks=blocks, tp_blocks=tp_blocks)
    with WithoutValues():
        model = SenseVoice(config, len(names), PieceList(names), (torch.zeros(FEATURES), torch.ones(FEATURES)))
    state = {name: tensor.half() for name, tensor in _random(model.state_dict(), seed).items()}
    torch.save({"epoch": 7, "state_dict": state} if wrapped else state, home / "model.pt")
    (home / "am.mvn").write_text(normalisation_file(), encoding="utf-8")
    (home / "config.yaml").write_text(
        "encoder: SenseVoiceEncoderSmall\n"
        "encoder_conf:\n"
        "    output_size: 512\n    attention_heads: 4\n    linear_units: 2048\n"
        f"    num_blocks: {blocks}\n    tp_blocks: {tp_blocks}\n    dropout_rate: 0.1\n    kernel_size: 11\n"
        "    selfattention_layer_type: sanm\n\n"
        "model: SenseVoiceSmall\n"
        "tokenizer_conf:\n    num_blocks: 999\n",
        encoding="utf-8",
    )
    return home


def normalisation_file() -> str:
    """A Kaldi `am.mvn`: features of about −15 … 25 become about −1 … 1."""
    shift, scale = " ".join(["-8.5"] * FEATURES), " ".join(["0.15"] * FEATURES)
    return (
        f"<Nnet> \n<Splice> {FEATURES} {FEATURES}\n[ 0 ]\n"
        f"<AddShift> {FEATURES} {FEATURES} \n<LearnRateCoef> 0 [ {shift} ]\n"
        f"<Rescale> {FEATURES} {FEATURES} \n<LearnRateCoef> 0 [ {scale} ]\n</Nnet> \n"
    )


def sentence_pieces() -> bytes:
    """A small sentencepiece model with tags, English and Chinese."""
    lines = ["why is the sky blue", "what do you like to eat", "为什么天空是蓝色的", "你平时喜欢吃什么"] * 4
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        model_type="bpe",
        vocab_size=90,
        hard_vocab_limit=False,
        character_coverage=1.0,
        user_defined_symbols=list(TAGS),
        minloglevel=2,
    )
    return model.getvalue()


def write_mimi(folder: Path, layout: Literal["transformers", "kyutai"] = "transformers", *, seed: int = 0) -> Path:
    """Write `mimi` into a model folder, the same weights in either layout. Returns the part's folder."""
    home = folder / mimi.PART
    home.mkdir(parents=True, exist_ok=True)
    state = _random(mimi.build_mimi(_CODEBOOKS).state_dict(), seed)
    named: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if layout == "kyutai":
            named[name.replace(_JOINT, ".in_proj_weight").replace(_OUT, ".out_proj.weight")] = tensor
        elif name.endswith(_JOINT):
            start = transformers_name(name.removesuffix("in_projs.0.weight"))
            query, key, value = tensor.chunk(3)
            for part, weight in (("q", by_halves(query)), ("k", by_halves(key)), ("v", value)):
                named[f"{start}{part}_proj.weight"] = weight
        else:
            named[transformers_name(name)] = tensor
    file = mimi.KYUTAI_FILE if layout == "kyutai" else "model.safetensors"
    save_file({name: tensor.half().contiguous() for name, tensor in named.items()}, str(home / file))
    return home


def write_campplus(folder: Path, *, seed: int = 0) -> Path:
    """Write `campplus` into a model folder. Returns the part's folder."""
    home = folder / campplus.PART
    home.mkdir(parents=True, exist_ok=True)
    with WithoutValues():
        state = _random(CamPlus().state_dict(), seed)
    halves = {n: t.half() if t.is_floating_point() else t for n, t in state.items()}
    torch.save(halves, home / "campplus_cn_common.pt")
    return home


def _random(shapes: dict[str, Tensor], seed: int) -> dict[str, Tensor]:
    """Random tensors that keep signals at a sensible size through many layers."""
    generator = torch.Generator().manual_seed(seed)

    def normal(shape: torch.Size) -> Tensor:
        return torch.randn(shape, generator=generator)

    rules: tuple[tuple[Callable[[str, Tensor], bool], Callable[[torch.Size], Tensor]], ...] = (
        (lambda name, like: not like.is_floating_point(), lambda shape: torch.zeros(shape, dtype=torch.int64)),
        (lambda name, like: name.endswith("._initialized"), torch.ones),
        (lambda name, like: name.endswith((".running_var", ".cluster_usage")), lambda s: 1 + 0.1 * normal(s).abs()),
        (lambda name, like: ".layer_scale_" in name, lambda shape: 0.1 * normal(shape).abs()),
        (lambda name, like: name.endswith(("embedding_sum", "embed.weight")), normal),
        (lambda name, like: name.endswith((".bias", ".running_mean")), lambda shape: 0.1 * normal(shape)),
        (lambda name, like: like.dim() == 1, lambda shape: 1 + 0.1 * normal(shape)),
        (lambda name, like: True, lambda shape: normal(shape) / math.sqrt(math.prod(shape[1:]))),
    )
    return {
        name: next(make for applies, make in rules if applies(name, like))(like.shape) for name, like in shapes.items()
    }
