"""The two workloads: a training step on a batch of episodes, and their generation."""
import time

import torch

import device
from decoder import Decoder


def decoder_of(sizes):
    torch.manual_seed(0)
    return Decoder(sizes["vocabulary"], sizes["hidden"], sizes["layers"], sizes["heads"], sizes["intermediate"],
                   sizes["prompt"] + sizes["new"])


def train(sizes):
    """Forward, backward, clipping and AdamW on sequences whose last `new` tokens are trained on; returns a function that does one step.

    Sequences of different lengths (`lengths`, tokens after the prompt) are padded to the longest.
    """
    model = decoder_of(sizes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
    tokens = torch.randint(sizes["vocabulary"], (sizes["episodes"], sizes["prompt"] + sizes["new"]))
    lengths = torch.tensor(sizes["lengths"])
    trained = torch.arange(sizes["new"])[None] < lengths[:, None]
    whole = bool(trained.all())
    targets = tokens[:, sizes["prompt"]:].flatten() if whole else tokens[:, sizes["prompt"]:][trained]

    def step():
        with device.products():
            states = model.states(tokens[:, :-1])[:, sizes["prompt"] - 1:]
            logits = model.logits(states.flatten(0, 1) if whole else states[trained])
            loss = torch.nn.functional.cross_entropy(logits, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return step


def decode(sizes):
    """
    Prefill and sampling at temperature 1, with the log probability of each drawn token; returns a function that plays all episodes once.

    The prompts may be read before (`apart`), so that only sampling is measured.
    """
    model = decoder_of(sizes).to(device.sampling_dtype())
    rows, prompt, new = sizes["episodes"], sizes["prompt"], sizes["new"]
    prompts = torch.randint(sizes["vocabulary"], (rows, prompt))
    cache = model.cache(rows, prompt + new)
    with torch.inference_mode():
        first = model.step(prompts, 0, cache) if sizes.get("apart") else None

    @torch.inference_mode()
    def play():
        tokens, logprobs = torch.empty((rows, new), dtype=torch.long), torch.empty((rows, new))
        state = model.step(prompts, 0, cache) if first is None else first
        for i in range(new):
            distribution = torch.log_softmax(model.logits(state).float(), dim=-1)
            drawn = torch.multinomial(distribution.exp(), 1)
            tokens[:, i:i + 1], logprobs[:, i:i + 1] = drawn, distribution.gather(1, drawn)
            if i + 1 < new:
                state = model.step(drawn, prompt + i, cache)
        return tokens.tolist(), logprobs.tolist()

    return play


def generate(sizes):
    """The same sampling by `generate` of transformers, with the scores of each step."""
    from transformers import AutoModelForCausalLM
    model = AutoModelForCausalLM.from_pretrained(sizes["folder"], dtype=device.sampling_dtype()).to(torch.get_default_device()).eval()
    rows, prompt, new = sizes["episodes"], sizes["prompt"], sizes["new"]
    prompts = torch.randint(sizes["vocabulary"], (rows, prompt))
    mask = torch.ones_like(prompts)

    @torch.inference_mode()
    def play():
        out = model.generate(prompts, attention_mask=mask, do_sample=True, temperature=1.0, top_k=0, top_p=1.0, min_new_tokens=new,
                             max_new_tokens=new, pad_token_id=0, return_dict_in_generate=True, output_scores=True)
        scores = model.compute_transition_scores(out.sequences, out.scores, normalize_logits=True)
        return out.sequences[:, prompt:].tolist(), scores.tolist()

    return play


def timed(work, repetitions):
    """Seconds of each repetition, and processor seconds of all threads."""
    seconds, cpu = [], []
    for _ in range(repetitions):
        start, spent = time.perf_counter(), time.process_time()
        work()
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - spent)
    return {"seconds": seconds, "cpu": cpu}
