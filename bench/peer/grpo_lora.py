"""The work of GRPO with a LoRA adapter, in transformers and PEFT: the same conversations, micro-batches and loss.

    python grpo_lora.py FOLDER THREADS float32|bfloat16 checkpointing|activations
    {"turns": [...], "batches": [{"rows": [...], "microBatches": [[ROW, ...], ...]}, ...]}  ->  as `answer_steps.py`

One cache holds all episodes over all turns. The head is computed only for sampled tokens. Updates keep their activations or
compute them again.
"""
import sys
import time

import torch

from answer_steps import answer_steps
from conversations import rollout
from lora import add_adapter, load


def update(model, optimizer, trained, batches):
    """One step of the optimizer for each batch. Returns how many tokens were trained on."""
    decoder, head = model.base_model.model.model, model.base_model.model.lm_head
    count = 0
    for batch in batches:
        for numbers in batch["microBatches"]:
            rows = [batch["rows"][number] for number in numbers]
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
            count += int(wanted.sum())
        torch.nn.utils.clip_grad_norm_(trained, 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()
    return count


def main():
    folder, threads, dtype, memory = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    model = add_adapter(load(folder, dtype), 16)
    inner = model.base_model.model
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0.0, fused=True)
    if memory == "checkpointing":
        # It has no effect in evaluation.
        model.enable_input_require_grads()
        model.activation_checkpointing_enable({"use_reentrant": False})

    def step(work):
        model.eval()
        played = rollout(inner.model, inner.lm_head, work["turns"])
        middle = time.perf_counter()
        model.train()
        count = update(model, optimizer, trained, work["batches"])
        return middle, sum(len(logprobs) for _, logprobs in played), count

    answer_steps({"torch": torch.__version__}, step)


main()
