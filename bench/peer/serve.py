"""Answers each JSON line on standard input with one JSON line. Between them the process sleeps, so the two sides never compete.

    python serve.py THREADS cpu|gpu
    {"prepare": NAME, "kind": "train" | "decode" | "generate", "sizes": {...}}      {"prepare": NAME, "kind": "grpo", "folder": PATH, "tuned": bool}
    {"measure": NAME, "repetitions": N}  ->  {"seconds": [...], "cpu": [...]} and, for grpo, {"rollout": [...], "update": [...], "success": [...]}
    {"forget": NAME}
"""
import gc
import json
import sys
import time
from importlib.metadata import version

import torch

import device
import workloads
from quickstart import Quickstart


def main():
    torch.set_num_threads(int(sys.argv[1]))
    torch.manual_seed(1)
    prepared = {}
    print(json.dumps({"torch": torch.__version__, "transformers": version("transformers"), **device.choose(sys.argv[2])}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "prepare" in request:
            kind = request["kind"]
            prepared[request["prepare"]] = (
                Quickstart(request["folder"], request["tuned"]) if kind == "grpo" else getattr(workloads, kind)(request["sizes"]))
            answer = {"prepared": request["prepare"]}
        elif "forget" in request:
            prepared.pop(request["forget"], None)
            gc.collect()
            answer = {}
        else:
            work = prepared[request["measure"]]
            measure = iterate if isinstance(work, Quickstart) else workloads.timed
            answer = measure(work, request["repetitions"])
        print(json.dumps(answer), flush=True)


def iterate(quickstart, repetitions):
    """Measures whole iterations, and rollout and update separately."""
    rollout, update, success, cpu = [], [], [], []
    for _ in range(repetitions):
        start, spent = time.perf_counter(), time.process_time()
        with device.products():
            groups = quickstart.rollout()
            middle = time.perf_counter()
            quickstart.update(groups)
        update.append(time.perf_counter() - middle)
        cpu.append(time.process_time() - spent)
        rollout.append(middle - start)
        episodes = [episode for group in groups for episode in group]
        success.append(sum(episode.success for episode in episodes) / len(episodes))
    seconds = [a + b for a, b in zip(rollout, update)]
    return {"seconds": seconds, "rollout": rollout, "update": update, "success": success, "cpu": cpu}


main()
