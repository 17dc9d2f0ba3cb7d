"""A world whose step takes next to nothing; its instructions are the microseconds of a step."""

import time

from agentgym_world import Environment, World, result, serve

TEXT = "You are in a room. " * 15 + "It is large. It"


class Echo(Environment):
    def reset(self, task, seed):
        return TEXT

    def step(self, action):
        return result(TEXT, invalid=action == "")

    def act(self, player, seed):
        return ""


class Echoes(World):
    splits = {"train": ["0"], "validation": ["1"], "test": ["2"]}

    def __init__(self, options):
        echo, count = Echo(), 100_000
        begun = time.perf_counter()
        for _ in range(count):
            echo.step("go north")
        self.instructions = str(1e6 * (time.perf_counter() - begun) / count)

    def create(self):
        return Echo()


serve(Echoes)
