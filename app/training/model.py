"""What the stages of the starter share: its sizes, its voices' vectors, the data it learns from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from app.omni.checkpoint import load_model
from app.omni.config import OmniConfig
from app.omni.model import OmniModel
from app.speech.sentence_encoder import WIDTH
from app.speech.speaker_traits import SPEAKER_SIZE
from app.training.corpus import load_intents
from app.training.examples import Sources
from app.training.synthesize import DEFAULT_VOICE, VOICES
from app.training.tokenizer import VOCABULARY, minilm_embeddings
from app.training.tool_corpus import load_tools

PACKS = Path(__file__).parent / "data" / "pack"


def starter_config(think_end: tuple[int, ...]) -> OmniConfig:
    """Sizes of the starter."""
    return OmniConfig(
        hidden_size=384,
        num_hidden_layers=6,
        vocab_size=VOCABULARY,
        max_position_embeddings=2048,
        num_talker_hidden_layers=4,
        talker_hidden_size=384,
        audio_adapter_size=128,
        audio_hidden_size=2 * WIDTH,
        audio_vocab_size=1088,
        audio_pad_token=1025,
        audio_stop_token=1026,
        audio_spk_token=1027,
        spk_emb_size=SPEAKER_SIZE,
        think_end_ids=think_end,
        image_ids=(),
    )


def speaker_vectors() -> Tensor:
    """Speaker vectors of the menu's voices, [voices, 3]."""
    return torch.stack([traits.vector() for traits in VOICES.values()])


def load_tokenizer(folder: Path) -> Tokenizer:
    """The Thinker's tokenizer in a model folder."""
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def think_end(tokenizer: Tokenizer) -> tuple[int, ...]:
    """Ids that end the (empty) thought: `</think>` and two line breaks."""
    newline = tokenizer.encode("\n", add_special_tokens=False).ids
    return (*tokenizer.encode("</think>", add_special_tokens=False).ids, *newline, *newline)


def load_or_create(folder: Path, minilm: Path, parent: Path | None = None) -> OmniModel:
    """The network of a model folder, ready to be trained; where there is none a new one, its embedding from MiniLM, and
    all that fits from the older model in `parent`.
    """
    if (folder / "model.safetensors").exists():
        return load_model(folder).requires_grad_(True).train()
    tokenizer = load_tokenizer(folder)
    model = OmniModel(starter_config(think_end(tokenizer)))
    with torch.no_grad():
        model.model.embed_tokens.weight.copy_(minilm_embeddings(tokenizer, minilm))
    if parent is not None:
        inherit(model, tokenizer, parent)
    return model


@torch.no_grad()
def inherit(model: OmniModel, tokenizer: Tokenizer, parent: Path) -> None:
    """Give `model` the tensors of an older one that have the same shape, and its rows for the pieces both know."""
    old, mine = load_model(parent).state_dict(), model.state_dict()
    embedding = "model.embed_tokens.weight"
    rows = old.pop(embedding)
    old.pop("lm_head.weight", None)
    fitting = {name: tensor for name, tensor in old.items() if name in mine and mine[name].shape == tensor.shape}
    model.load_state_dict(fitting, strict=False)
    numbers = load_tokenizer(parent).get_vocab()
    pairs = [(index, numbers[piece]) for piece, index in tokenizer.get_vocab().items() if piece in numbers]
    here, there = torch.tensor(pairs).T
    model.model.embed_tokens.weight[here] = rows[there]
    print(f"{len(fitting)} of {len(mine)} tensors and {len(pairs)} of {len(rows)} pieces inherited", flush=True)


def _packed(work: Path, name: str) -> Path:
    """The pack `name` made by `pack` in `work`, or the one that comes with the project."""
    own = work / name
    return own if own.exists() else PACKS / name


def answer_codes(work: Path) -> dict[str, Tensor]:
    """Codes int64 [8, T] of every answer by intent, from the pack in `work` or that of the project."""
    pack, ending = load_file(_packed(work, "codes.safetensors")), f"|{DEFAULT_VOICE}"
    return {key.removesuffix(ending): value.long() for key, value in pack.items() if key.endswith(ending)}


def saying_codes(work: Path) -> dict[str, Tensor]:
    """Codes int64 [8, T] of the recorded sayings by sentence; none where there is no pack of them."""
    path = _packed(work, "sayings.safetensors")
    return {sentence: codes.long() for sentence, codes in load_file(path).items()} if path.exists() else {}


def load_text_sources(work: Path, folder: Path) -> Sources:
    """Questions and real transcripts of questions, without speech."""
    heard = json.loads(_packed(work, "heard.json").read_text(encoding="utf-8"))
    return Sources(load_intents(), load_tokenizer(folder), torch.empty(0, WIDTH), {}, heard, load_tools())


def load_sources(work: Path, folder: Path, model: OmniModel) -> Sources:
    """Codes of the answers and sayings too; the ears' rows are the Thinker's embedding."""
    # Not a copy: the rows follow the embedding as it learns.
    table = model.model.embed_tokens.weight.detach()
    said = saying_codes(work)
    codes = answer_codes(work) | said
    return replace(load_text_sources(work, folder), ear_table=table, codes=codes, sayings=tuple(said))
