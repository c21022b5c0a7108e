"""`bench full-size`: MiniMind-O's network with random weights beside a plain float32 implementation of it.

Everything comes from one process and the same weights, and the two take their steps in turn, so that what else the
machine does meets both. The plain implementation is part of the tests and found in a source checkout only.
"""

from __future__ import annotations

import gc
import importlib.util
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from app.engine.factory import set_thread_environment
from app.omni.turn import FRAMES_PER_SECOND

if TYPE_CHECKING:
    from app.omni.forms import Form
    from app.omni.model import OmniModel
    from app.omni.stepper import Stepper
    from app.speech.mimi_frames import MimiDecoder

NO_BASELINE = "not measured: the source checkout is needed"
NO_MIMI = "not measured: install the package moshi"
_BASELINE = Path(__file__).resolve().parents[1] / "tests" / "omni" / "baseline.py"

_FRAME_MS = 1000 / FRAMES_PER_SECOND
_PROMPT_LENGTH, _LONG_PROMPT = 100, 500
_WARM, _RUN, _STEPS, _LONG_STEPS = 4, 6, 72, 36
#: Speech takes about three steps to a token of its text, so that the text ends after a third of an answer.
_TEXT_SHARE = 3
_FRAMES = 60
_AGREEMENT_STEPS = 48


class _Answer:
    """Steps of the engine: the network, and the draws of the text id and the eight codes."""

    def __init__(self, network: Stepper, prompt_ids: list[int], capacity: int) -> None:
        from app.omni.config import CODEBOOKS
        from app.omni.prompt import build_prompt
        from app.omni.sampler import CodeLayout, TalkerConfig, TalkerSampler, TextSampler

        config = network.config
        self._network = network
        self._eos = config.eos_token_id
        self._text = TextSampler(0, temperature=0.7, top_p=0.9, repetition_penalty=1.0, seen=prompt_ids)
        self._speech = TalkerSampler(TalkerConfig(), CodeLayout.of(config), 0, capacity=capacity)
        self._codes = np.full(CODEBOOKS, config.audio_pad_token)
        self._number = 0
        prompt = build_prompt(config, prompt_ids)
        logits = network.prefill(prompt, len(prompt_ids) + capacity, lambda: False)
        assert logits.text is not None
        self._speech.skip()
        self._text_id = self._text.draw(logits.text, 0, (self._eos,))

    def step(self, text: bool) -> Any:
        """One step, with or without (its text has ended) a text id to draw; the frame that is complete, or None."""
        logits = self._network.step(self._text_id, self._codes, need_text=text, need_audio=True)
        self._number += 1
        self._text_id = 0 if logits.text is None else self._text.draw(logits.text, self._number, (self._eos,))
        assert logits.audio is not None
        self._codes = self._speech.draw(logits.audio, text_finished=False)
        return self._speech.frame()


def measure(tell: Callable[[str], None] = lambda stage: None) -> dict[str, Any]:
    """The figures; one thread for the network and one for Mimi. Takes some minutes; `tell` gets each stage's name."""
    tell("timing the forms of weights")
    set_thread_environment(1)
    import torch

    from app.omni.config import OmniConfig
    from app.omni.forms import timings
    from app.omni.model import OmniModel
    from app.omni.stepper import Stepper

    torch.set_num_threads(1)
    torch.manual_seed(0)
    times = timings()
    form = min(times, key=times.__getitem__)
    tell("making the network")
    model = OmniModel(OmniConfig()).eval().requires_grad_(False)
    network = Stepper(model, form=form)
    found: dict[str, Any] = {"weights": form, "product_ms": {name: round(ms, 3) for name, ms in times.items()}}
    # Now, before there are caches of keys and values.
    found["weights_mb"] = held_mb(network)
    tell("steps beside the baseline")
    found |= _beside_baseline(model, network)
    tell("arg-maxes of every form")
    found |= _agreements(model, times)
    del model
    gc.collect()
    tell("Mimi, alone and beside the network")
    found |= _with_mimi(network, form)
    del network
    gc.collect()
    tell("the network with experts")
    return found | _moe(form)


def resident(form: Form) -> float:
    """MiB that this process grows by when the network is loaded: a check of `weights_mb`, which counts tensors."""
    from app.omni.config import OmniConfig
    from app.omni.model import OmniModel
    from app.omni.stepper import Stepper

    process = psutil.Process()
    before = process.memory_info().rss
    network = Stepper(OmniModel(OmniConfig()).eval().requires_grad_(False), form=form)
    gc.collect()
    grown = (process.memory_info().rss - before) / 2**20
    del network
    return round(grown, 1)


def _prompt_ids(length: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(0).integers(100, 6400, length)]


def _clocked(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def _beside_baseline(model: OmniModel, network: Stepper) -> dict[str, Any]:
    """Steps of both in turn, in a short and in a long context."""
    import torch

    baseline = _baseline()
    found: dict[str, Any] = {}
    for length, steps, name in ((_PROMPT_LENGTH, _STEPS, ""), (_LONG_PROMPT, _LONG_STEPS, f"_at_{_LONG_PROMPT}")):
        prompt_ids = _prompt_ids(length)
        plain = None
        prefill = [0.0, 0.0]
        if baseline is not None:
            audio = torch.full((8, length), model.config.audio_pad_token)
            plain = baseline.PlainGeneration(
                baseline.PlainNetwork(dict(model.state_dict())), torch.tensor(prompt_ids), audio, 0
            )
            prefill[0] = _clocked(plain.step)
        started = time.perf_counter()
        answer = _Answer(network, prompt_ids, steps + 1)
        prefill[1] = (time.perf_counter() - started) * 1000
        first_frame = 0
        times: dict[str, list[float]] = {"plain": [], "text": [], "single": [], "speech": [], "reading": []}
        taken_by = dict.fromkeys(times, 0)
        texts = steps // _TEXT_SHARE
        for number in range(steps):
            # Each in its own steady state: the first step of a run finds the other's weights in the caches.
            if plain is not None and number % _RUN == 0:
                times["plain"] += [_clocked(plain.step) for _ in range(_RUN)][1:]
            text = number < texts
            kind = _kind(number - texts)
            started = time.perf_counter()
            frame = answer.step(text)
            taken = (time.perf_counter() - started) * 1000
            taken_by[kind] += 1
            if number % _RUN or kind == "reading":
                times[kind].append(taken)
            if frame is not None and not first_frame:
                first_frame = number + 1
        after = {kind: (statistics.median(times[kind]), taken_by[kind]) for kind in ("single", "speech", "reading")}
        text_ms = statistics.median(times["text"])
        speech_ms = sum(ms * count for ms, count in after.values()) / sum(count for _, count in after.values())
        found[f"step_ms{name}"] = round((text_ms + (_TEXT_SHARE - 1) * speech_ms) / _TEXT_SHARE, 2)
        found[f"step_with_text_ms{name}"] = round(text_ms, 2)
        found[f"step_after_text_ms{name}"] = round(speech_ms, 2)
        found[f"step_that_reads_ahead_ms{name}"] = round(after["reading"][0], 2)
        known = statistics.median(times["plain"]) if plain is not None else 0.0
        found[f"baseline_step_ms{name}"] = round(known, 2) if known else NO_BASELINE
        found[f"prefill_ms{name}"] = round(prefill[1], 1)
        found[f"baseline_prefill_ms{name}"] = round(prefill[0], 1) if known else NO_BASELINE
        if not name:
            found["steps_to_first_frame"] = first_frame
            found["sampler_ms"] = round(_sampling_ms(network), 2)
    found["baseline_weights_mb"] = round(sum(t.nbytes for t in _unique(model.parameters())) / 2**20, 1)
    return found


def _kind(after: int) -> str:
    """What the step does that comes `after` the last one with text: the first is fed that text's last id, those behind
    it padding, which the Thinker reads one by one for a while and then many at once."""
    from app.omni.stepper import READ_AHEAD, READ_SINGLY

    if after < 0:
        return "text"
    ahead = after - 1 - READ_SINGLY
    return "single" if ahead < 0 else "speech" if ahead % READ_AHEAD else "reading"


def _sampling_ms(network: Stepper) -> float:
    """What of a step with text is the drawing of its text id and its codes."""
    from app.omni.sampler import CodeLayout, TalkerConfig, TalkerSampler, TextSampler

    config, random = network.config, np.random.default_rng(0)
    text = TextSampler(0, temperature=0.7, top_p=0.9, repetition_penalty=1.0, seen=())
    speech = TalkerSampler(TalkerConfig(), CodeLayout.of(config), 0, capacity=_STEPS)
    times = []
    for number in range(_STEPS):
        words = random.standard_normal(config.vocab_size).astype(np.float32)
        codes = random.standard_normal((8, config.audio_vocab_size)).astype(np.float32)
        started = time.perf_counter()
        text.draw(words, number)
        speech.draw(codes, text_finished=False)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def _agreements(model: OmniModel, forms: Iterable[Form]) -> dict[str, Any]:
    """Share of arg-maxes that are float32's, for every form: with random weights, whose logits lie close together."""
    from app.omni.choosing import agreement
    from app.omni.stepper import Stepper

    exact = Stepper(model)
    shares = {
        form: agreement(exact, Stepper(model, form=form), _prompt_ids(_PROMPT_LENGTH), _AGREEMENT_STEPS)
        for form in forms
        if form != "float32"
    }
    return {
        "text_agreement": {form: round(share.text, 4) for form, share in shares.items()},
        "codes_agreement": {form: round(share.audio, 4) for form, share in shares.items()},
    }


def _with_mimi(network: Stepper, form: Form) -> dict[str, Any]:
    """Mimi alone, and an answer decoded beside the network: the real-time factor on two cores."""
    if importlib.util.find_spec("moshi") is None:
        return {"mimi_frame_ms": NO_MIMI, "rtf": NO_MIMI}
    import torch

    from app.omni.decoding import FrameDecoding
    from app.speech.mimi_frames import MimiDecoder, MimiFrames

    model = random_mimi()
    frames = torch.from_numpy(np.random.default_rng(0).integers(0, 2048, (_FRAMES, 8)))
    found: dict[str, Any] = {}
    decoder = MimiDecoder(model, int8=form == "int8")
    own = MimiFrames(decoder)
    with torch.inference_mode(), model.streaming(1):
        pairs = [
            (_clocked(lambda f=f: own.step(f)), _clocked(lambda f=f: model.decode(f[None, :, None])))  # type: ignore[misc]
            for f in frames
        ]
    found["mimi_frame_ms"] = round(statistics.median(pair[0] for pair in pairs), 2)
    found["moshi_frame_ms"] = round(statistics.median(pair[1] for pair in pairs), 2)
    found["mimi_snr_db"] = round(_difference_db(decoder, MimiDecoder(model), frames), 1)
    steps = _PROMPT_LENGTH + 2 * _WARM + _FRAMES
    answer = _Answer(network, _prompt_ids(_PROMPT_LENGTH), steps)
    with FrameDecoding(MimiFrames(decoder), beside=True) as decoding:
        for _ in range(2 * _WARM):
            answer.step(True)
        started = time.perf_counter()
        for number in range(_FRAMES):
            frame = answer.step(number < _FRAMES // _TEXT_SHARE)
            decoding.put(frame)
            decoding.take()
        decoding.take(wait=True)
        taken = (time.perf_counter() - started) * 1000
    found["rtf"] = round(taken / _FRAMES / _FRAME_MS, 3)
    return found


def _difference_db(decoder: MimiDecoder, exact: MimiDecoder, frames: Any) -> float:
    """How far the difference of two decoders lies below the sound, at most 120 dB."""
    from app.speech.mimi_frames import MimiFrames

    first, second = (
        np.concatenate([stream.step(frame) for frame in frames]) for stream in (MimiFrames(exact), MimiFrames(decoder))
    )
    noise = float(np.square(first - second).mean())
    return 10 * float(np.log10(max(float(first.var()), 1e-12) / max(noise, 1e-12 * float(first.var()), 1e-30)))


def random_mimi() -> Any:
    """moshi's Mimi with random weights, those of its codebooks too."""
    from moshi.models import loaders

    mimi = loaders.get_mimi(None, device="cpu", num_codebooks=8).eval()
    for name, buffer in mimi.named_buffers():
        # Codebooks without a checkpoint are all zero, and would be decoded alike.
        if name.endswith("embedding_sum"):
            buffer.normal_()
        elif name.endswith(("cluster_usage", "_initialized")):
            buffer.fill_(1)
    for name, parameter in mimi.named_parameters():
        if "layer_scale" in name:
            parameter.data.fill_(0.3)
    return mimi


def _moe(form: Form) -> dict[str, Any]:
    """The step of the network with experts, and its memory."""
    from app.omni.config import OmniConfig
    from app.omni.model import OmniModel
    from app.omni.stepper import Stepper

    model = OmniModel(OmniConfig(use_moe=True)).eval().requires_grad_(False)
    whole = sum(t.nbytes for t in _unique(model.parameters())) / 2**20
    network = Stepper(model, form=form)
    del model
    weights = held_mb(network)
    answer = _Answer(network, _prompt_ids(_PROMPT_LENGTH), _WARM + _STEPS)
    times = [_clocked(lambda: answer.step(True)) for _ in range(_WARM + _STEPS // 2)][_WARM:]
    return {
        "moe_step_with_text_ms": round(statistics.median(times), 2),
        "moe_weights_mb": weights,
        "moe_float32_mb": round(whole, 1),
    }


def _unique(tensors: Iterable[Any]) -> Iterable[Any]:
    return {tensor.data_ptr(): tensor for tensor in tensors}.values()


def held_mb(network: object) -> float:
    """MiB of all tensors and packed weights that an object holds, through lists and objects of this package."""
    import torch

    from app.speech.matrix import HalfMatrix

    sizes: dict[int, int] = {}
    seen: set[int] = set()
    waiting: list[object] = [network]
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, torch.Tensor):
            storage = item.untyped_storage()
            sizes[storage.data_ptr()] = storage.nbytes()
        elif isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, HalfMatrix):
            sizes[id(item)] = item.nbytes
        elif isinstance(item, torch.nn.Module):
            waiting += [*item.parameters(), *item.buffers()]
        elif type(item).__module__.startswith("app."):
            waiting += vars(item).values() if hasattr(item, "__dict__") else []
    return round(sum(sizes.values()) / 2**20, 1)


def _baseline() -> ModuleType | None:
    """The plain implementation, loaded by its path; None where there is no source checkout."""
    if not _BASELINE.is_file():
        return None
    spec = importlib.util.spec_from_file_location("banter_baseline", _BASELINE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
