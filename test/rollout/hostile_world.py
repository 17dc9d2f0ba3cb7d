"""A small game that harms its players on some tasks: `HOW@TURN/NUMBER` does it in that turn, `calm/NUMBER` never."""

import ctypes
import os
import random
import re
import subprocess
import sys
import time

from agentgym_world import Environment, Tasks, Unavailable, World, artifact, result, serve


def loop():
    while True:
        pass


def crash():
    ctypes.string_at(0)


def fork():
    if os.fork() == 0:
        # The child returns to the loop of `serve`, which belongs to its parent.
        return


def open_files():
    """Descriptors of this process, of which one has the answers."""
    return [int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2]


def scribble():
    for descriptor in open_files():
        try:
            os.write(descriptor, b'{"id": 1, "ans')
        except OSError:
            pass


def chatter():
    print("a print")
    sys.stdout.write("no end of line")
    sys.stdout.flush()
    os.write(1, b"from C\n")
    subprocess.run(["echo", "from a child"], check=True)


def fail():
    raise ValueError("no such luck")


def unavailable():
    raise Unavailable("the server is down")


deeds = {
    "loop": loop,
    "sleep": lambda: time.sleep(3600),
    "crash": crash,
    "exit": lambda: os._exit(3),
    "sys-exit": lambda: sys.exit("enough"),
    "fork": fork,
    "scribble": scribble,
    "chatter": chatter,
    "fail": fail,
    "unavailable": unavailable,
}


class Game(Environment):
    """The task is to guess a digit that changes with every turn, for four turns."""

    def __init__(self, delay):
        self.delay = delay

    def reset(self, task, seed):
        match = re.fullmatch(r"(?:calm|([a-z-]+)@(\d+))/\d+", task)
        if match is None:
            raise KeyError(task)
        self.how, self.at = match[1], int(match[2] or -1)
        self.random = random.Random(seed)
        self.turn = 0
        self.draw()
        if self.how is not None and self.at == 0:
            deeds[self.how]()
        start = f"digit {self.digit}"
        if self.how != "artist":
            return start
        return {"observation": start, "artifacts": [artifact("start.txt", "text/plain", start)]}

    def draw(self):
        self.digit = self.random.randrange(10)

    def step(self, action):
        time.sleep(self.delay)
        self.turn += 1
        due = self.turn == self.at
        if due and self.how in deeds:
            deeds[self.how]()
        success = action == str(self.digit)
        self.draw()
        text = "x" * 100_000_000 if due and self.how == "text" else f"digit {self.digit}"
        if due and self.how == "turncoat":
            text = f"process {os.getpid()}"
        if due and self.how == "image":
            text = b"\x89PNG"
        reward = float("nan") if due and self.how == "nan" else float(success)
        # They differ between processes, and nothing depends on them.
        made = [artifact("digits.bin", "application/octet-stream", bytes([self.turn, os.getpid() % 256]))]
        artifacts = made if self.how == "artist" else None
        return result(text, reward=reward, terminated=self.turn == 4, success=success, artifacts=artifacts)

    def act(self, player, seed):
        return str(self.digit) if player == "oracle" else str(seed % 10)

    def conclude(self, cause):
        artifacts = [artifact("grade.txt", "text/plain", cause)] if self.how == "artist" else None
        return result("", reward=0.5, success=cause == "tokens", artifacts=artifacts)

    def admissible(self):
        return [str(digit) for digit in range(10)]

    def state_key(self):
        return f"{self.turn} {self.digit} {self.random.getstate()}"


class Games(World):
    instructions = "Guess a digit."
    experts = ["oracle"]
    splits = {
        "train": Tasks(lambda place: f"calm/{place}", draw=lambda seed: f"calm/{seed % 1000}"),
        "validation": Tasks(lambda place: f"calm/{1000 + place}", count=5),
        "test": ["calm/2000", "calm/2001"],
    }

    def __init__(self, options):
        self.delay = options.get("delay", 0)
        self.external = options.get("external", False)

    def create(self):
        return Game(self.delay)

    def split_of(self, task):
        return "test" if task.startswith("calm/2") else None

    def about(self, task):
        return {"labels": {"number": int(task.split("/")[1])}}


serve(Games)
