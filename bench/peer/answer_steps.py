"""Answers each recorded step on standard input with one JSON line: its seconds, and how many tokens were sampled and trained on."""
import json
import sys
import time


def answer_steps(hello, step):
    """`step` does the work, and returns when the rollout ended and how many tokens were sampled and trained on."""
    print(json.dumps(hello), flush=True)
    for line in sys.stdin:
        work = json.loads(line)
        start, spent = time.perf_counter(), time.process_time()
        middle, sampled, trained = step(work)
        end = time.perf_counter()
        answer = {"seconds": end - start, "cpu": time.process_time() - spent, "rollout": middle - start, "update": end - middle}
        print(json.dumps({**answer, "sampled": sampled, "trained": trained}), flush=True)
