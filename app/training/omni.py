"""Train Thinker and Talker together: `python -m app.training omni`.

One run covers the stages of MiniMind-O: text batches teach understanding, speech batches teach the Talker, and in the
last part of the run real hearings join the imagined ones and the rate falls. Every step takes one of each kind.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from app.omni.checkpoint import load_model
from app.omni.config import CODEBOOKS, OmniConfig
from app.omni.model import OmniModel
from app.speech.starter_encoder import StarterEncoder
from app.training.corpus import starter_intents
from app.training.ears import END
from app.training.examples import EMPTY_THOUGHT, Example, Sources, assemble, block, draw, imagined_features
from app.training.synthesize import BAKED_VOICES
from app.training.tokenizer import VOCABULARY, minilm_embeddings, train_tokenizer

STOP_WEIGHT = 5.0
CORRUPT = 0.07
BOOK_WEIGHTS = (2.2, 1.6, 1.2, 0.9, 0.7, 0.5, 0.5, 0.4)
SPEAKER_SIZE = 64
PACKS = Path(__file__).parent / "data" / "pack"
LENGTH_LIMIT = 110


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
        audio_hidden_size=384,
        audio_vocab_size=1088,
        audio_pad_token=1025,
        audio_stop_token=1026,
        audio_spk_token=1027,
        spk_emb_size=SPEAKER_SIZE,
        think_end_ids=think_end,
        image_ids=(),
    )


def speaker_vectors() -> Tensor:
    """One fixed vector per baked voice, [6, 64]: nearly orthogonal, so that no two voices are confused."""
    generator = torch.Generator().manual_seed(20)
    vectors = torch.randn(len(BAKED_VOICES), SPEAKER_SIZE, generator=generator)
    return F.normalize(vectors, dim=-1) * 8


class Batch:
    """Right-padded tensors of a list of examples."""

    def __init__(self, examples: list[Example], config: OmniConfig, speak: bool) -> None:
        lengths = []
        for e in examples:
            spoken = e.codes.shape[1] + CODEBOOKS + 1 if speak and e.codes is not None else 0
            lengths.append(max(len(e.text), e.start + spoken + 1))
        batch, length = len(examples), max(lengths)
        pad, stop, speaker = config.audio_pad_token, config.audio_stop_token, config.audio_spk_token
        self.text = torch.full((batch, length), config.pad_token_id)
        self.text_target = torch.full((batch, length), -100)
        # One more column than the input: the targets are the inputs shifted by one.
        audio = torch.full((batch, CODEBOOKS, length + 1), pad)
        audio_target = torch.full((batch, CODEBOOKS, length + 1), -100)
        rows = max((len(e.features) for e in examples if e.features is not None), default=1)
        width = config.audio_hidden_size
        self.features = torch.zeros(batch, rows, width)
        self.feature_lengths = torch.zeros(batch, dtype=torch.long)
        self.voices = torch.tensor([e.voice for e in examples])
        for index, e in enumerate(examples):
            self.text[index, : len(e.text)] = torch.tensor(e.text)
            answer = torch.tensor([*e.answer, config.eos_token_id])
            self.text_target[index, e.start - 1 : e.start - 1 + len(answer)] = answer
            if e.features is not None:
                self.features[index, : len(e.features)] = e.features
                self.feature_lengths[index] = len(e.features)
            if speak and e.codes is not None:
                audio[index, :, e.start - 1] = speaker
                frames = e.codes.shape[1]
                for book in range(CODEBOOKS):
                    first = e.start + 1 + book
                    stream = torch.cat((e.codes[book], torch.tensor([stop])))
                    audio[index, book, first : first + frames + 1] = stream
                    audio_target[index, book, first : first + frames + 1] = stream
        self.audio, self.audio_target = audio[:, :, :-1], audio_target[:, :, 1:]

    def corrupted_audio(self, config: OmniConfig) -> Tensor:
        """Inputs with a share of the codes replaced at random, so that the Talker learns to recover."""
        hit = (torch.rand(self.audio.shape) < CORRUPT) & (self.audio < config.code_count)
        return torch.where(hit, torch.randint_like(self.audio, config.code_count), self.audio)


def text_loss(model: OmniModel, batch: Batch) -> Tensor:
    """Cross-entropy of the answers' words, the Thinker alone."""
    chosen = batch.text_target != -100
    out = model.thinker_forward(
        batch.text,
        audio_features=batch.features,
        audio_lengths=batch.feature_lengths,
        text_positions=chosen,
    )
    return F.cross_entropy(out.text_logits.float(), batch.text_target[chosen])


def plain_attention() -> AbstractContextManager[None]:
    """Attention as plain products: for sequences of a hundred positions faster on a CPU than the fused kernel."""
    return sdpa_kernel(SDPBackend.MATH)


def bridge(model: OmniModel, batch: Batch) -> Tensor:
    """Bridge states [B, T, H]: the Thinker as far as the Talker listens to it."""
    x = model.embed(batch.text, batch.features, batch.feature_lengths)
    rope = model.model.rotary(x.shape[1], x.device)
    for layer in model.model.layers[: model.model.bridge_layer + 1]:
        x = layer(x, rope)
    return x


def speech_loss(model: OmniModel, batch: Batch, speakers: Tensor) -> Tensor:
    """Cross-entropy of the codes, weighted by codebook (the first carry the words); stops count more."""
    config = model.config
    spoken = (batch.audio_target != -100).any(1)
    states = model.talker(bridge(model, batch), batch.corrupted_audio(config), speakers[batch.voices])
    logits = model.talker.lm_head(states[spoken]).float()
    targets = batch.audio_target.transpose(1, 2)[spoken].T
    weights = torch.ones(config.audio_vocab_size)
    weights[config.audio_stop_token] = STOP_WEIGHT
    loss = F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), weight=weights, ignore_index=-100, reduction="none"
    ).view_as(targets)
    return (loss.mean(1) * torch.tensor(BOOK_WEIGHTS)).mean()


def batches(
    sources: Sources, config: OmniConfig, rng: np.random.Generator, size: int, speak: bool, real: float
) -> list[Batch]:
    """Eight batches of similar lengths."""
    drawn: list[Example] = []
    while len(drawn) < 8 * size:
        example = draw(sources, rng, speak=speak, real=real)
        frames = 0 if example.codes is None else example.codes.shape[1]
        # Long ones would pad their whole batch.
        fits = example.start + max(frames, len(example.answer)) <= LENGTH_LIMIT
        if fits and (frames or not speak):
            drawn.append(example)
    drawn.sort(key=lambda e: (e.codes.shape[1] if e.codes is not None else 0) + len(e.text))
    groups = [Batch(drawn[i : i + size], config, speak) for i in range(0, len(drawn), size)]
    return [groups[i] for i in rng.permutation(len(groups))]


@torch.no_grad()
def accuracy(model: OmniModel, sources: Sources, *, heard: bool, every: int = 1) -> float:
    """Share of held-out wordings (of every n-th intent) whose greedy answer is the right one, word for word."""
    rng = np.random.default_rng(9)
    examples = []
    for intent in sources.intents[::every]:
        question: str | Tensor = intent.dev_questions[0]
        if heard:
            question = imagined_features(intent.dev_questions[0], sources, rng)
        history = "".join(
            block("user", t.question) + block("assistant", EMPTY_THOUGHT + sources.answer_of.get(t.question, t.answer))
            for t in intent.context
        )
        examples.append(assemble(sources, history, question, intent.spoken_answer, None, 0))
    examples.sort(key=lambda e: len(e.text))
    right = 0
    for start in range(0, len(examples), 64):
        batch = Batch(examples[start : start + 64], model.config, False)
        with torch.autocast("cpu", torch.bfloat16):
            logits = model.thinker_forward(
                batch.text, audio_features=batch.features, audio_lengths=batch.feature_lengths
            ).text_logits
        hit = (logits.argmax(-1) == batch.text_target) | (batch.text_target == -100)
        right += int(hit.all(1).sum())
    return right / len(examples)


def align_ears(model: OmniModel, sources: Sources, steps: int = 300) -> None:
    """Fit `audio_proj` so that a piece that is heard lands where the same piece lands when it is typed.

    The two vocabularies share thousands of pieces. Without this start the spoken path lags far behind the typed one.
    """
    assert model.audio_proj is not None
    typed = sources.tokenizer.get_vocab()
    pairs = [
        (row, typed[piece])
        for piece, row in ((sources.ears.id_to_token(i), row) for i, row in sources.ear_rows.items())
        if piece in typed
    ]
    rows, ids = (torch.tensor(side) for side in zip(*pairs, strict=True))
    heard = sources.ear_table[rows]
    target = model.model.embed_tokens.weight.detach()[ids]
    optimiser = torch.optim.Adam(model.audio_proj.parameters(), 2e-3)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * (1 - step / steps)
        noisy = heard + 0.1 * heard.std() * torch.randn_like(heard)
        loss = F.mse_loss(model.audio_proj(noisy), target) / target.var()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"ears aligned on {len(pairs)} pieces, {loss.item():.3f} of the variance left", flush=True)


def _packed(work: Path, name: str) -> Path:
    """The pack `NAME.safetensors` made by `pack` in `work`, or the one that comes with the project."""
    own = work / f"{name}.safetensors"
    return own if own.exists() else PACKS / own.name


def load_sources(work: Path, whisper: Path, model_folder: Path) -> Sources:
    """Tokenizers, ear table, codes of the answers and real hearings of questions."""
    if not (model_folder / "tokenizer.json").exists():
        train_tokenizer(model_folder / "tokenizer.json")
    ears = Tokenizer.from_file(str(whisper / "tokenizer.json"))
    encoder = StarterEncoder.load(model_folder)
    rows = {int(ears.token_to_id(piece) or 0): row for row, piece in enumerate(encoder.pieces)}
    table = encoder.embed.weight.detach().clone()
    table = torch.cat((table, table[rows[END]][None]))
    intents = starter_intents()
    codes: dict[str, dict[int, Tensor]] = {}
    for key, value in load_file(_packed(work, "codes")).items():
        intent, voice = key.rsplit("|", 1)
        codes.setdefault(intent, {})[BAKED_VOICES.index(voice)] = value.long()
    heard: dict[str, list[Tensor]] = {}
    for key, value in load_file(_packed(work, "heard")).items():
        heard.setdefault(key.rsplit("|", 1)[0], []).append(value.float())
    tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
    return Sources(intents, tokenizer, ears, rows, table, codes, heard)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training omni`."""
    parser = argparse.ArgumentParser(prog="app.training omni", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="folder with encoder and tokenizer")
    parser.add_argument("--minutes", type=float, default=60, help="length of the run; the rate decays over it")
    parser.add_argument("--stage", choices=("text", "speech"), default="speech")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--text-batch", type=int, default=48)
    parser.add_argument("--speech-batch", type=int, default=16)
    parser.add_argument("--align-ears", action="store_true", help="fit the ears' projector first (a new run)")
    parser.add_argument("--default-share", type=float, default=0.0, help="extra share of the default voice")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--name", default="omni")
    parser.add_argument(
        "--start-from", type=Path, default=None, help="checkpoint or model folder whose weights to begin with"
    )
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    sources = load_sources(args.work, args.work / "whisper", args.model)
    sources.default_share = args.default_share
    newline = sources.ids("\n")
    config = starter_config((*sources.ids("</think>"), *newline, *newline))
    model = OmniModel(config)
    with torch.no_grad():
        model.model.embed_tokens.weight.copy_(minilm_embeddings(sources.tokenizer, args.work / "minilm"))
    decayed = [p for p in model.parameters() if p.ndim >= 2]
    plain = [p for p in model.parameters() if p.ndim < 2]
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}],
        args.rate,
        betas=(0.9, 0.98),
    )
    folder = args.work / args.name
    folder.mkdir(exist_ok=True)
    checkpoint = folder / "last.pt"
    step, spent = 0, 0.0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        step, spent = saved["step"], saved["spent"]
    elif args.start_from is not None and args.start_from.is_dir():
        model.load_state_dict(load_model(args.start_from).state_dict())
    elif args.start_from is not None:
        model.load_state_dict(torch.load(args.start_from, weights_only=True)["model"])
    if args.align_ears and not checkpoint.exists():
        # Not again on resuming: it would throw away what the projector has learnt since.
        align_ears(model, sources)
    speakers = speaker_vectors()
    rng = np.random.default_rng(step)

    def save() -> None:
        torch.save(
            {
                "model": model.state_dict(),
                "optimiser": optimiser.state_dict(),
                "step": step,
                "spent": spent,
            },
            folder / "next.pt",
        )
        (folder / "next.pt").replace(checkpoint)

    limit = args.minutes * 60
    texts: list[Batch] = []
    speeches: list[Batch] = []
    log: list[tuple[float, ...]] = []
    last_report = time.monotonic()
    while spent < limit:
        began = time.monotonic()
        progress = spent / limit
        scale = min(1.0, (step + 1) / 60) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * progress)))
        for group in optimiser.param_groups:
            group["lr"] = args.rate * scale
        real = 0.3 if progress > 0.3 else 0.0
        if not texts:
            texts = batches(sources, config, rng, args.text_batch, False, real)
        with torch.autocast("cpu", torch.bfloat16), plain_attention():
            words = text_loss(model, texts.pop())
        words.backward()
        values = [words.item()]
        if args.stage == "speech":
            if not speeches:
                speeches = batches(sources, config, rng, args.speech_batch, True, real)
            with torch.autocast("cpu", torch.bfloat16), plain_attention():
                codes = speech_loss(model, speeches.pop(), speakers)
            codes.backward()
            values.append(codes.item())
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        step += 1
        spent += time.monotonic() - began
        log.append(tuple(values))
        if step % 50 == 0:
            means = " ".join(f"{v:.3f}" for v in np.mean(log[-50:], 0))
            print(f"step {step} loss {means} {spent / step:.2f} s/step {spent / 60:.1f} min", flush=True)
        if time.monotonic() - last_report > 300:
            model.eval()
            typed, heard = (accuracy(model, sources, heard=h, every=3) for h in (False, True))
            model.train()
            print(json.dumps({"step": step, "typed": round(typed, 3), "heard": round(heard, 3)}), flush=True)
            save()
            last_report = time.monotonic()
    save()
    print(json.dumps({"typed": accuracy(model, sources, heard=False), "heard": accuracy(model, sources, heard=True)}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
