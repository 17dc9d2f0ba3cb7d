"""GRPO iterations of TRL. Answers `{"measure": NAME, "repetitions": N}` lines with the seconds of N training steps.

    python trl_grpo.py FOLDER PROMPTS GROUP PROMPT_TOKENS NEW_TOKENS THREADS cpu|gpu

A step generates GROUP completions of each of PROMPTS prompts, all of NEW_TOKENS tokens, and trains once on all of them. Without a
reference model. The reward is the share of even token ids, which costs nothing.
"""
import json
import sys
import tempfile
import time
from importlib.metadata import version

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging
from trl import GRPOConfig, GRPOTrainer

from trainer_turns import TrainerTurns

logging.set_verbosity_error()
logging.disable_progress_bar()
STEPS = 1_000_000


def main():
    folder, prompts, group, prompt_tokens, new_tokens, threads, place = sys.argv[1:]
    prompts, group, prompt_tokens, new_tokens = int(prompts), int(group), int(prompt_tokens), int(new_tokens)
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    gpu = place == "gpu"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    words = [word for word, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]) if word.isalpha()][:400]
    texts = [" ".join(words[(7 * row + 3 * i) % len(words)] for i in range(prompt_tokens)) for row in range(512)]
    settings = GRPOConfig(
        output_dir=tempfile.mkdtemp(), use_cpu=not gpu, bf16=gpu, fp16=False, report_to=[], save_strategy="no", logging_strategy="no",
        disable_tqdm=True, max_steps=STEPS, per_device_train_batch_size=prompts * group, gradient_accumulation_steps=1,
        num_generations=group, max_completion_length=new_tokens, num_iterations=1, beta=0.0, temperature=1.0, learning_rate=1e-4,
        max_grad_norm=1.0, gradient_checkpointing=False, dataloader_num_workers=0, seed=1, generation_kwargs={"min_new_tokens": new_tokens},
    )

    def reward(completion_ids, **_):
        return [sum(1 for token in ids if token % 2 == 0) / max(1, len(ids)) for ids in completion_ids]

    turns = TrainerTurns()
    trainer = GRPOTrainer(model=model, reward_funcs=reward, args=settings, train_dataset=Dataset.from_dict({"prompt": texts}),
                          processing_class=tokenizer, callbacks=[turns])
    turns.start(trainer)
    print(json.dumps({"torch": torch.__version__, "trl": version("trl"), "transformers": version("transformers")}), flush=True)
    for line in sys.stdin:
        seconds, cpu = [], []
        for _ in range(json.loads(line)["repetitions"]):
            start, spent = time.perf_counter(), time.process_time()
            turns.next()
            seconds.append(time.perf_counter() - start)
            cpu.append(time.process_time() - spent)
        print(json.dumps({"seconds": seconds, "cpu": cpu}), flush=True)


main()
