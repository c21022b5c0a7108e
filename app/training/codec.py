"""Train the starter's codec: `python -m app.training codec`.

Losses: log-mel and log-magnitude L1 at four resolutions, the quantiser's commitment, and with `--ears` the distance in
the states of a recogniser (`phonetic.py`). Codebooks follow
exponential moving averages of the vectors they quantise; unused codes are re-seeded from the batch.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import soundfile as sf
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from app.speech.codec_parts import FRAME, LAG, SAMPLE_RATE, CodecConfig, ResidualQuantiser
from app.speech.speaker_traits import SPEAKER_SIZE
from app.speech.starter_codec import StarterCodec, mel_filters
from app.training.loop import autocast, fast_bf16
from app.training.phonetic import PhoneticLoss

SEGMENT_FRAMES = 24
PHONETIC_WEIGHT = 0.5
RESOLUTIONS = ((2048, 512, 128), (1024, 256, 80), (512, 128, 40), (256, 64, 20))


class SpectralLoss(nn.Module):
    """L1 between log-mel (weight 1) and log-magnitude (0.25) spectra at four resolutions.

    Where bf16 products are fast the transforms are products with a DFT matrix, elsewhere FFTs.
    """

    def __init__(self) -> None:
        super().__init__()
        for index, (window, _, mels) in enumerate(RESOLUTIONS):
            bins = window // 2 + 1
            angle = 2 * math.pi * torch.arange(window)[:, None] * torch.arange(bins) / window
            basis = torch.cat((angle.cos(), angle.sin()), 1) * torch.hann_window(window)[:, None]
            self.register_buffer(f"basis{index}", basis, persistent=False)
            self.register_buffer(f"mel{index}", mel_filters(bins, SAMPLE_RATE, mels), persistent=False)

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        """`output`, `target` [B, n] → scalar."""
        both = torch.cat((output, target))
        total = output.new_zeros(())
        for index, (window, hop, _) in enumerate(RESOLUTIONS):
            basis, mel = getattr(self, f"basis{index}"), getattr(self, f"mel{index}")
            frames = both.unfold(-1, window, hop)
            if both.device.type != "cpu" or fast_bf16():
                real, imaginary = (frames @ basis).float().chunk(2, -1)
            else:
                spectrum = torch.fft.rfft(frames * torch.hann_window(window))
                real, imaginary = spectrum.real, spectrum.imag
            magnitude = (real.square() + imaginary.square() + 1e-6).sqrt()
            logs = torch.log(magnitude + 1e-2), torch.log(magnitude @ mel.float() + 1e-2)
            for log, weight in zip(logs, (0.25, 1.0), strict=True):
                ours, theirs = log.chunk(2)
                total = total + weight * F.l1_loss(ours, theirs)
        return total / len(RESOLUTIONS)


class CodebookLearner:
    """Moving-average updates of a `ResidualQuantiser` (van den Oord et al. 2017, appendix A.1)."""

    def __init__(self, quantiser: ResidualQuantiser, decay: float = 0.98) -> None:
        self.quantiser, self.decay = quantiser, decay
        books, size, width = quantiser.codebooks.shape
        self.counts = torch.ones(books, size)
        self.sums = torch.zeros(books, size, width)
        self.seeded = False

    def state_dict(self) -> dict[str, Tensor]:
        return {"counts": self.counts, "sums": self.sums, "seeded": torch.tensor(self.seeded)}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.counts, self.sums, self.seeded = state["counts"], state["sums"], bool(state["seeded"])

    @torch.no_grad()
    def seed(self, vectors: Tensor) -> None:
        """Start every stage from the residuals that reach it."""
        residual = vectors
        for index, book in enumerate(self.quantiser.codebooks):
            pick = residual[torch.randint(len(residual), (len(book),))]
            book.copy_(pick + 0.01 * residual.std() * torch.randn_like(pick))
            self.sums[index] = book
            codes = self._nearest(residual, book)
            residual = residual - book[codes]
        self.seeded = True

    @staticmethod
    def _nearest(vectors: Tensor, book: Tensor) -> Tensor:
        return (book.square().sum(-1) - 2 * vectors @ book.T).argmin(-1)

    @torch.no_grad()
    def quantise(self, vectors: Tensor) -> Tensor:
        """Residual sums after every stage, [stages, N, width]; updates the codebooks."""
        residual, total, stages = vectors, torch.zeros_like(vectors), []
        for index, book in enumerate(self.quantiser.codebooks):
            codes = self._nearest(residual, book)
            chosen = book[codes]
            size = len(book)
            hits = torch.bincount(codes, minlength=size).float()
            sums = torch.zeros_like(book).index_add_(0, codes, residual)
            self.counts[index].mul_(self.decay).add_(hits, alpha=1 - self.decay)
            self.sums[index].mul_(self.decay).add_(sums, alpha=1 - self.decay)
            book.copy_(self.sums[index] / self.counts[index].clamp(min=1e-5)[:, None])
            dead = self.counts[index] < 0.02 * self.counts[index].mean()
            if dead.any():
                pick = residual[torch.randint(len(residual), (int(dead.sum()),))]
                book[dead] = pick
                mean = self.counts[index].mean()
                self.counts[index][dead] = mean
                self.sums[index][dead] = pick * mean
            total = total + chosen
            residual = residual - chosen
            stages.append(total)
        return torch.stack(stages)


class Clips:
    """Random segments of the synthesised speech; picks up files that appear while training runs."""

    def __init__(self, folders: list[Path]) -> None:
        self.folders, self.seen, self.audio = folders, set[Path](), list[np.ndarray]()

    def refresh(self) -> None:
        for folder in self.folders:
            for path in sorted(folder.glob("*.json")):
                if path not in self.seen:
                    self.seen.add(path)
                    self.audio.append(sf.read(path.with_suffix(".flac"), dtype="int16")[0])

    def batch(self, size: int, rng: np.random.Generator) -> Tensor:
        length = SEGMENT_FRAMES * FRAME
        out = np.zeros((size, length), np.float32)
        for row in out:
            clip = self.audio[rng.integers(len(self.audio))]
            if rng.random() < 0.3:
                # Other sizes of speaker: pitch and formants move together.
                count = int(len(clip) * rng.uniform(0.88, 1.14))
                clip = np.interp(np.linspace(0, len(clip) - 1, count), np.arange(len(clip)), clip)
            # Starting before the clip teaches the codec silence and onsets.
            start = int(rng.integers(-FRAME, max(1, len(clip) - length // 2)))
            piece = clip[max(0, start) : start + length]
            offset = max(0, -start)
            row[offset : offset + len(piece)] = piece[: length - offset]
            row *= rng.uniform(0.4, 1.1) / 32768
        return torch.from_numpy(out)


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training codec`."""
    parser = argparse.ArgumentParser(prog="app.training codec", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="end (with the rate decayed) after this long")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--ears", type=Path, help="model folder whose ears judge the words")
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    out = args.work / "codec"
    out.mkdir(parents=True, exist_ok=True)
    codec = StarterCodec(CodecConfig(speaker_size=SPEAKER_SIZE)).to(args.device)
    loss_of = SpectralLoss().to(args.device)
    phonetic_of = PhoneticLoss(args.ears).to(args.device) if args.ears else None
    learner = CodebookLearner(codec.quantiser)
    optimiser = torch.optim.AdamW(codec.parameters(), args.rate, betas=(0.8, 0.99), weight_decay=0.01)
    step, spent = 0, 0.0
    checkpoint = out / "last.pt"
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        codec.load_state_dict(saved["codec"])
        optimiser.load_state_dict(saved["optimiser"])
        learner.load_state_dict(saved["learner"])
        step, spent = saved["step"], saved["spent"]
    clips = Clips([args.work / "answers"])
    clips.refresh()
    rng = np.random.default_rng(step)

    def save() -> None:
        state = {
            "codec": codec.state_dict(),
            "optimiser": optimiser.state_dict(),
            "learner": learner.state_dict(),
            "step": step,
            "spent": spent,
        }
        torch.save(state, out / "next.pt")
        (out / "next.pt").replace(checkpoint)
        (out / "config.json").write_text(json.dumps(asdict(codec.config)))

    if not learner.seeded:
        with torch.no_grad():
            first = [codec.analyse(codec.log_mel(clips.batch(args.batch, rng))).flatten(0, 1) for _ in range(16)]
        learner.seed(torch.cat(first))
    averages: list[tuple[float, float]] = []
    while step < args.steps and spent < args.minutes * 60:
        began = time.monotonic()
        progress = max(step / args.steps, spent / (args.minutes * 60))
        warm = min(1.0, (step + 1) / 100)
        for group in optimiser.param_groups:
            group["lr"] = args.rate * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, progress))))
        audio = clips.batch(args.batch, rng).to(args.device)
        mel = codec.log_mel(audio)
        with autocast(audio.device.type):
            vectors = codec.analyse(mel)
        vectors = vectors.float()
        stages = learner.quantise(vectors.detach().flatten(0, 1)).unflatten(1, vectors.shape[:2])
        used = torch.full((args.batch,), len(stages) - 1)
        fewer = torch.rand(args.batch) < 0.3
        used[fewer] = torch.randint(len(stages), (int(fewer.sum()),))
        quantised = stages[used, torch.arange(args.batch)]
        commitment = F.mse_loss(vectors, quantised)
        passed = vectors + (quantised - vectors).detach()
        with autocast(audio.device.type):
            spectrum = codec.spectrum(passed)
        output = codec.overlap_add(spectrum)
        # The first and last milliseconds have no counterpart because of the lag.
        ours, theirs = output[:, LAG:], audio[:, :-LAG]
        with autocast(audio.device.type):
            spectral = loss_of(ours, theirs)
            phonetic = phonetic_of(ours, theirs) if phonetic_of else torch.zeros(())
        loss = spectral + 0.1 * commitment + PHONETIC_WEIGHT * phonetic
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(codec.parameters(), 1.0)
        optimiser.step()
        step += 1
        spent += time.monotonic() - began
        averages.append((spectral.item(), phonetic.item()))
        if step % 50 == 0:
            spectral_mean, phonetic_mean = np.mean(averages[-50:], 0)
            use = [(count > 0.1 * count.mean()).sum().item() for count in learner.counts]
            print(
                f"step {step} loss {spectral_mean:.4f} phonetic {phonetic_mean:.4f} commit {commitment.item():.4f} "
                f"codes {use} {spent / step:.2f} s/step {spent / 60:.1f} min clips {len(clips.audio)}",
                flush=True,
            )
        if step % 200 == 0:
            save()
            clips.refresh()
    save()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
