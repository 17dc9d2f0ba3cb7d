"""A model from a Hugging Face folder in transformers and PEFT. Answers JSON lines as `serve.py` does.

    python models.py FOLDER float32|bfloat16 THREADS cpu|gpu
    {"prepare": NAME, "kind": "decode" | "prefill" | "lora" | "episodes", "sizes": {...}}      {"measure": NAME, "repetitions": N}      {"forget": NAME}
"""
import gc
import json
import sys

import torch
from transformers import DynamicCache

import device
import workloads
from lora import add_adapter, load


def random_tokens(model, rows, width):
    return torch.randint(model.config.vocab_size, (rows, width))


def decode(model, sizes):
    """Draws `fresh` tokens of every row after a cached prompt, with their log probabilities."""
    rows, prompt, fresh = sizes["rows"], sizes["prompt"], sizes["fresh"]
    prompts = random_tokens(model, rows, prompt)
    cache = DynamicCache(config=model.config)

    @torch.inference_mode()
    def play():
        if cache.get_seq_length() >= prompt:
            cache.crop(prompt - 1 - cache.get_seq_length())
        drawn = prompts[:, -1:]
        for _ in range(fresh):
            logits = model(drawn, past_key_values=cache, use_cache=True, logits_to_keep=1).logits[:, -1].float()
            distribution = torch.log_softmax(logits, dim=-1)
            drawn = torch.multinomial(distribution.exp(), 1)
            distribution.gather(1, drawn).tolist()

    with torch.inference_mode():
        model(prompts[:, :-1], past_key_values=cache, use_cache=True, logits_to_keep=1)
    return play


def prefill(model, sizes):
    """Reads a prompt and draws one token after it."""
    rows, prompt = sizes["rows"], sizes["prompt"]

    @torch.inference_mode()
    def play():
        logits = model(random_tokens(model, rows, prompt), use_cache=True, logits_to_keep=1).logits[:, -1].float()
        torch.multinomial(torch.softmax(logits, dim=-1), 1).tolist()

    return play


def lora(model, sizes):
    """Forward, backward, clipping and AdamW on the adapter; every token but the first of a row is trained on."""
    rows, width = sizes["rows"], sizes["width"]
    adapted, update = adapted_for_training(model, sizes)
    tokens = random_tokens(model, rows, width)

    def step():
        logits = adapted(tokens[:, :-1], use_cache=False).logits.float()
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        update()
        return loss.item()

    return step


def adapted_for_training(model, sizes):
    """The model with an adapter, and what clips its gradients and changes it."""
    adapted = add_adapter(model, sizes["rank"])
    adapted.train()
    if sizes.get("checkpointing"):
        adapted.enable_input_require_grads()
        adapted.activation_checkpointing_enable({"use_reentrant": False})
    trained = [parameter for parameter in adapted.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3, weight_decay=0.0, fused=True)

    def update():
        torch.nn.utils.clip_grad_norm_(trained, 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()

    return adapted, update


EPISODES_AT_A_TIME = 8


def episodes(model, sizes):
    """Episodes of groups that begin alike, sorted by length and padded, some at a time. The head is computed where a token is trained on."""
    width, members, count = sizes["width"], sizes["groupSize"], sizes["trained"]
    adapted, update = adapted_for_training(model, sizes)
    lengths = [round(width * (0.8 + 0.4 * member / (members - 1))) for member in range(members)]
    parts = []
    for length in lengths:
        # Every group has an episode of each length, so those of one length fill a part without padding.
        parts += random_tokens(model, sizes["groups"], length).split(EPISODES_AT_A_TIME)
    trunk, head = adapted.base_model.model.model, adapted.base_model.model.lm_head
    total = members * sizes["groups"] * count

    def step():
        for tokens in parts:
            states = trunk(tokens[:, :-1], use_cache=False).last_hidden_state[:, -count:]
            logits = head(states).float()
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, -count:].flatten(), reduction="sum") / total
            loss.backward()
        update()

    return step


def main():
    folder, dtype, threads, place = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    kinds = {"decode": decode, "prefill": prefill, "lora": lora, "episodes": episodes}
    prepared = {}
    found = device.choose(place)
    print(json.dumps({"torch": torch.__version__, **found}), flush=True)
    model = load(folder, dtype)
    for line in sys.stdin:
        request = json.loads(line)
        if "prepare" in request:
            # An adapter changes the model, so every kind of training has one of its own.
            own = load(folder, dtype) if "rank" in request["sizes"] else model
            prepared[request["prepare"]] = kinds[request["kind"]](own, request["sizes"])
            answer = {"prepared": request["prepare"]}
        elif "forget" in request:
            del prepared[request["forget"]]
            gc.collect()
            answer = {}
        else:
            answer = workloads.timed(prepared[request["measure"]], request["repetitions"])
        print(json.dumps(answer), flush=True)


main()
