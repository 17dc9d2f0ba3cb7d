"""Plays TextWorld games with the original, for `npm run bench -- environments`. One JSON line in, one out.

    {"make": SETTING, "seed": S, "folder": PATH}  ->  {"json": PATH, "story": PATH | null, "seconds": to generate}
    {"play": PATH, "commands": [[...], ...], "admissible": bool}
        ->  {"reset": seconds, "resets": N, "step": seconds, "steps": N, "admissible": characters of all lists}
"""
import json
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import textworld
import textworld.challenges


def make(setting, seed, folder):
    options = textworld.GameOptions()
    options.seeds = seed
    options.path = os.path.join(folder, "%s-%d.z8" % (setting["name"], seed))
    options.force_recompile = True
    start = time.perf_counter()
    if setting["kind"] == "custom":
        options.nb_rooms, options.nb_objects = setting["rooms"], setting["objects"]
        chaining = options.chaining
        chaining.min_breadth, chaining.max_breadth, chaining.min_depth = 1, 5, 1
        chaining.min_length = chaining.max_length = chaining.max_depth = setting["questLength"]
        game = textworld.generator.make_game(options)
    else:
        _, make_challenge, _ = textworld.challenges.CHALLENGES[setting["kind"]]
        game = make_challenge(settings=setting["settings"], options=options)
    seconds = time.perf_counter() - start
    path = options.path.replace(".z8", ".json")
    try:
        story = textworld.generator.compile_game(game, options)
    except Exception as problem:  # Inform 7 is part of the Linux x86-64 wheel only.
        print("no story: %s" % problem, file=sys.stderr)
        game.save(path)
        story = None
    return {"json": path, "story": story, "seconds": seconds}


def play(path, episodes, admissible):
    wanted = textworld.EnvInfos(admissible_commands=admissible, intermediate_reward=admissible, score=True, won=True, lost=True)
    env = textworld.start(path, wanted)
    reset = step = 0.0
    steps = characters = 0
    for commands in episodes:
        start = time.perf_counter()
        state = env.reset()
        reset += time.perf_counter() - start
        start = time.perf_counter()
        for command in commands:
            state, _, done = env.step(command)
            characters += sum(map(len, state.admissible_commands or ()))
            steps += 1
            if done:
                break
        step += time.perf_counter() - start
    env.close()
    return {"reset": reset, "resets": len(episodes), "step": step, "steps": steps, "characters": characters}


def main():
    print(json.dumps({"textworld": textworld.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "make" in request:
            answer = make(request["make"], request["seed"], request["folder"])
        else:
            answer = play(request["play"], request["episodes"], request["admissible"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
