"""Plays ALFWorld games with the original, for `npm run bench -- environments`. One JSON line in, one out.

    {"play": PATH, "episodes": [[command, ...], ...]}
        ->  {"reset": seconds, "resets": N, "step": seconds, "steps": N, "characters": of all lists, "last": last answer}
"""
import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import textworld
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
from textworld.envs import PddlEnv


def play(path, episodes):
    wanted = textworld.EnvInfos(admissible_commands=True, won=True, lost=True, moves=True)
    env = AlfredDemangler(PddlEnv(wanted), shuffle=False)
    env.load(path)
    reset = step = 0.0
    steps = characters = 0
    for commands in episodes:
        start = time.perf_counter()
        state = env.reset()
        reset += time.perf_counter() - start
        start = time.perf_counter()
        for command in commands:
            state, _, done = env.step(command)
            characters += sum(map(len, state["admissible_commands"]))
            steps += 1
            if done:
                break
        step += time.perf_counter() - start
    sums = {"reset": reset, "resets": len(episodes), "step": step, "steps": steps, "characters": characters}
    return {**sums, "last": state.feedback}


def main():
    print(json.dumps({"textworld": textworld.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(play(request["play"], request["episodes"])), flush=True)


if __name__ == "__main__":
    main()
