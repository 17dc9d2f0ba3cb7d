"""Minigrid's side of `npm run bench -- environments`: plays given actions in BabyAI's levels and measures.

Answers lines of JSON. {"play": id, "episodes": [{"seed": 1, "actions": "0226"}]} resets and steps the bare environment,
without wrappers, and answers seconds, counts, and the sum of all bytes of the images, which shows that both sides saw the
same.
"""
import contextlib
import io
import json
import sys
import time


def main():
    try:
        import gymnasium
        import minigrid
    except ImportError as error:
        print(json.dumps({"problem": "this Python has no minigrid: %s" % error}), flush=True)
        return
    print(json.dumps({"minigrid": minigrid.__version__}), flush=True)
    made = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["play"]
        if name not in made:
            made[name] = gymnasium.make(name, disable_env_checker=True).unwrapped
        # Rejected drafts of levels are printed by the original.
        with contextlib.redirect_stdout(io.StringIO()):
            answer = play(made[name], request["episodes"])
        print(json.dumps(answer), flush=True)


def play(env, episodes):
    sums = {"reset": 0.0, "resets": 0, "step": 0.0, "steps": 0, "seen": 0}
    for episode in episodes:
        actions = [int(digit) for digit in episode["actions"]]
        begun = time.perf_counter()
        observation, _ = env.reset(seed=episode["seed"])
        started = time.perf_counter()
        seen = [observation["image"]]
        for action in actions:
            observation, _, terminated, truncated, _ = env.step(action)
            seen.append(observation["image"])
            if terminated or truncated:
                break
        ended = time.perf_counter()
        sums["reset"] += started - begun
        sums["resets"] += 1
        sums["step"] += ended - started
        sums["steps"] += len(seen) - 1
        sums["seen"] += sum(int(image.sum()) for image in seen)
    return sums


main()
