"""The work of one GRPO run with a LoRA adapter, in transformers and PEFT: the same conversations, micro-batches and loss.

    python grpo_lora.py FOLDER WORK_FILE STEPS THREADS float32|bfloat16

One cache holds all episodes over all turns; new tokens are padded on the left, and the mask hides the padding. The head is
computed only for sampled tokens. Gradient checkpointing is on in updates. Prints one JSON line.
"""
import json
import sys
import time

import torch
from transformers import DynamicCache

from lora import add_adapter, load


def rollout(model, turns):
    """Feeds what the environment wrote and samples as many tokens as the recorded actions have."""
    decoder, head = model.base_model.model.model, model.base_model.model.lm_head
    cache = DynamicCache(config=model.base_model.model.config)
    known, mask, length = {}, None, None
    with torch.inference_mode():
        for turn in turns:
            names = [each["sequence"] for each in turn]
            if mask is None or any(name not in known for name in names):
                known = {name: row for row, name in enumerate(names)}
                cache, mask = DynamicCache(config=model.base_model.model.config), torch.zeros(len(names), 0, dtype=torch.long)
                length = [0] * len(names)
            asked = {known[each["sequence"]]: each for each in turn}
            new = {row: each["tokens"][length[row]:] for row, each in asked.items()}
            width = max(len(tokens) for tokens in new.values())
            chunk = torch.zeros(len(known), width, dtype=torch.long)
            used = torch.zeros(len(known), width, dtype=torch.long)
            for row, tokens in new.items():
                chunk[row, width - len(tokens):] = torch.tensor(tokens)
                used[row, width - len(tokens):] = 1
            steps = max(len(each["fresh"]) for each in asked.values())
            for step in range(steps):
                mask = torch.cat([mask, used], 1)
                positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -used.shape[1]:]
                states = decoder(chunk, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True)[0]
                distribution = torch.log_softmax(head(states[:, -1]).float(), dim=-1)
                drawn = torch.multinomial(distribution.exp(), 1)
                distribution.gather(1, drawn).tolist()
                # The recorded tokens go on, so that all later work is the same.
                going = [row for row, each in asked.items() if step < len(each["fresh"])]
                chunk, used = torch.zeros(len(known), 1, dtype=torch.long), torch.zeros(len(known), 1, dtype=torch.long)
                for row in going:
                    chunk[row, 0], used[row, 0] = asked[row]["fresh"][step], 1
            for row, each in asked.items():
                # The last sampled token is not fed yet.
                length[row] = len(each["tokens"]) + len(each["fresh"]) - 1


def update(model, optimizer, trained, batches):
    decoder, head = model.base_model.model.model, model.base_model.model.lm_head
    for micro_batches in batches:
        for rows in micro_batches:
            width = max(len(row["tokens"]) for row in rows)
            column = lambda name, dtype: torch.tensor([row[name] + [0] * (width - len(row[name])) for row in rows], dtype=dtype)
            tokens, mask = column("tokens", torch.long), column("mask", torch.bool)
            used = torch.tensor([[1] * len(row["tokens"]) + [0] * (width - len(row["tokens"])) for row in rows])
            states = decoder(tokens, attention_mask=used, use_cache=False)[0]
            wanted = mask[:, 1:]
            distribution = torch.log_softmax(head(states[:, :-1][wanted]).float(), dim=-1)
            logprobs = distribution.gather(1, tokens[:, 1:][wanted][:, None])[:, 0]
            of = lambda name: column(name, torch.float32)[:, 1:][wanted]
            ratio = torch.exp(logprobs - of("logprobs"))
            advantages = of("advantages")
            surrogate = torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
            (-(surrogate * of("weight")).sum()).backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()


def main():
    folder, work_file, steps, threads, dtype = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    with open(work_file) as file:
        work = json.load(file)[:int(steps)]
    model = add_adapter(load(folder, dtype), 16)
    model.enable_input_require_grads()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0.0, fused=True)
    iterations = []
    for step in work:
        start, spent = time.perf_counter(), time.process_time()
        model.eval()
        model.activation_checkpointing_disable()
        rollout(model, step["turns"])
        middle = time.perf_counter()
        model.train()
        model.activation_checkpointing_enable({"use_reentrant": False})
        update(model, optimizer, trained, step["batches"])
        end = time.perf_counter()
        iterations.append({"seconds": end - start, "cpu": time.process_time() - spent, "rollout": middle - start, "update": end - middle})
    print(json.dumps({"torch": torch.__version__, "iterations": iterations}), flush=True)


main()
