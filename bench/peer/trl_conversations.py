"""Iterations of TRL's GRPOTrainer with an adapter of PEFT on recorded conversations.

    python trl_conversations.py FOLDER TASKS GROUP THREADS float32|bfloat16 checkpointing|activations
    {"turns": [...], "batches": [{"rows": [...]}]}  ->  as `answer_steps.py`

Its `rollout_func` plays the turns with the model in the process, and returns prompts, completions, log probabilities and the mask of
sampled tokens. The trainer's loss is that of GRPO without a reference model. It trains on some episodes at a time.
"""
import os
import sys
import tempfile
import time
from importlib.metadata import version

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoTokenizer
from transformers.utils import logging

from answer_steps import answer_steps
from conversations import rollout
from lora import load, lora_settings
from trainer_turns import TrainerTurns

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

logging.set_verbosity_error()
logging.disable_progress_bar()
STEPS = 1_000_000
EPISODES_AT_A_TIME = 8


class RecordedRollout:
    """What the trainer asks for its completions."""

    def __init__(self):
        self.turns, self.rows = [], []
        self.ended, self.sampled, self.trained = 0.0, 0, 0

    def __call__(self, prompts, trainer):
        model = trainer.accelerator.unwrap_model(trainer.model)
        inner = model.base_model.model
        model.eval()
        with trainer.accelerator.autocast():
            played = rollout(inner.model, inner.lm_head, self.turns)
        model.train()
        logprobs = {}
        for tokens, found in played:
            logprobs.setdefault(tokens, []).append(found)
        output = {"prompt_ids": [], "completion_ids": [], "logprobs": [], "env_mask": [], "advantage": []}
        for row in self.rows:
            first = row["mask"].index(1)
            end = len(row["mask"]) - row["mask"][::-1].index(1)
            mask = row["mask"][first:end]
            sampled = iter(logprobs[tuple(row["tokens"][:end])].pop())
            output["prompt_ids"].append(row["tokens"][:first])
            output["completion_ids"].append(row["tokens"][first:end])
            output["logprobs"].append([next(sampled) if used else 0.0 for used in mask])
            output["env_mask"].append(mask)
            output["advantage"].append(row["advantages"][end - 1])
        self.ended = time.perf_counter()
        self.sampled = sum(len(found) for _, found in played)
        self.trained = sum(map(sum, output["env_mask"]))
        return output


def reward(advantage, **_):
    """The recorded advantage: within a group its order is that of the rewards."""
    return advantage


def main():
    folder, tasks, group, threads, dtype, memory = sys.argv[1:]
    rows = int(tasks) * int(group)
    at_a_time = max(count for count in range(1, EPISODES_AT_A_TIME + 1) if rows % count == 0)
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    settings = GRPOConfig(
        output_dir=tempfile.mkdtemp(), use_cpu=True, bf16=dtype == "bfloat16", fp16=False, report_to=[], save_strategy="no", logging_strategy="no",
        disable_tqdm=True, max_steps=STEPS, per_device_train_batch_size=at_a_time, gradient_accumulation_steps=rows // at_a_time,
        num_generations=int(group), num_iterations=1, beta=0.0, loss_type="grpo", temperature=1.0, learning_rate=1e-6, lr_scheduler_type="constant",
        max_grad_norm=1.0, weight_decay=0.0, optim="adamw_torch_fused", dataloader_num_workers=0, seed=1,
        gradient_checkpointing=memory == "checkpointing", gradient_checkpointing_kwargs={"use_reentrant": False},
    )
    recorded, turns = RecordedRollout(), TrainerTurns()
    texts = [f"task {number}" for number in range(512)]
    trainer = GRPOTrainer(
        model=load(folder, dtype), reward_funcs=reward, args=settings, train_dataset=Dataset.from_dict({"prompt": texts}), processing_class=tokenizer,
        callbacks=[turns], peft_config=LoraConfig(**lora_settings(16)), rollout_func=recorded,
    )
    turns.start(trainer)

    def step(work):
        recorded.turns, recorded.rows = work["turns"], work["batches"][0]["rows"]
        turns.next()
        return recorded.ended, recorded.sampled, recorded.trained

    answer_steps({"torch": torch.__version__, "trl": version("trl"), "transformers": version("transformers")}, step)


main()
