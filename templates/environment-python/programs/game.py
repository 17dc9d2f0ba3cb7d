"""A lift fetches a passenger, within a number of turns that the first observation states."""

import random
import re
import zlib

# agentgym puts this module on the path of its programs.
from agentgym_world import Environment, World, result, serve

ACTIONS = ["up", "down", "open"]


def towards(floor, goal):
    """The action that brings the lift nearer; None at the goal."""
    if floor == goal:
        return None
    return "up" if floor < goal else "down"


def whereabouts(floor, goal):
    return "here" if floor == goal else f"{abs(goal - floor)} {towards(floor, goal)}"


class Lift(Environment):
    """One game. agentgym plays many side by side in one process, so a game keeps its state to itself."""

    def __init__(self, options):
        self.options = options

    def reset(self, task, seed):
        match = re.fullmatch(r"(\d+)-(\d+)-(\d+)", task)
        if match is None:
            raise ValueError(f'"{task}" is not a task of this game: expected LIFT-PASSENGER-EXIT such as 0-3-1')
        self.floor, self.passenger, self.exit = map(int, match.groups())
        self.carrying = self.done = False
        self.whole = self.nearest = self.remaining()
        self.turns = self.whole + self.options["spare"]
        # Nothing in this game is random. What is, comes from the seed: random.Random(seed).
        return f"You have {self.turns} turns. {self.view()}"

    def step(self, action):
        # Edit here: the rules. An action may be any text.
        valid = not self.done and self.apply(action)
        self.turns = max(0, self.turns - 1)
        self.nearest = min(self.nearest, self.remaining())
        text = "Thank you." if self.done else self.view() if valid else f"You cannot. {self.view()}"
        # Facts only: a reward scheme decides their worth.
        return result(
            text,
            reward=float(self.done),
            terminated=self.done or self.turns == 0,
            success=self.done,
            invalid=not valid,
            progress=1 - self.nearest / self.whole,
        )

    def act(self, player, seed):
        # Edit here: `oracle` plays best, `demonstrator` gives the demonstrations. If it makes mistakes, reinforcement
        # learning has something to improve.
        draw = random.Random(seed)
        if player == "random":
            return draw.choice(ACTIONS)
        if player == "demonstrator" and not self.carrying and draw.random() < self.options["forgetting"]:
            return towards(self.floor, self.exit) or self.way_on()
        return self.way_on()

    def admissible(self):
        if self.done:
            return []
        last = self.options["floors"] - 1
        doors = self.floor == (self.exit if self.carrying else self.passenger)
        return ["up"] * (self.floor < last) + ["down"] * (self.floor > 0) + ["open"] * doors

    def state_key(self):
        """What decides the future, and nothing that only describes the way here."""
        return repr((self.floor, self.passenger, self.exit, self.carrying, self.done, self.turns))

    def apply(self, action):
        """Carries an action out, if it is one and possible now."""
        if action not in self.admissible():
            return False
        if action == "open":
            self.done = self.carrying
            self.carrying = True
        else:
            self.floor += 1 if action == "up" else -1
        return True

    def view(self):
        exit_text = f"Exit: {whereabouts(self.floor, self.exit)}."
        return exit_text if self.carrying else f"Passenger: {whereabouts(self.floor, self.passenger)}. {exit_text}"

    def way_on(self):
        return towards(self.floor, self.exit if self.carrying else self.passenger) or "open"

    def remaining(self):
        """Number of actions still needed."""
        if self.done:
            return 0
        if self.carrying:
            return abs(self.floor - self.exit) + 1
        return abs(self.floor - self.passenger) + 1 + abs(self.passenger - self.exit) + 1


class Lifts(World):
    """What all games share: it is opened once in each process."""

    # Edit here: the rules that the policy reads.
    instructions = "You drive a lift. Say up, down or open."
    experts = ["oracle", "demonstrator"]

    def __init__(self, options):
        self.options = options
        floors = range(options["floors"])
        ids = [f"{lift}-{here}-{there}" for lift in floors for here in floors for there in floors if here != there]
        # A hash of the id deals the tasks: three fifths train, a fifth each validation and test.
        fifth = {task: zlib.crc32(task.encode()) // 7 % 5 for task in ids}
        self.splits = {
            "train": [task for task in ids if fifth[task] < 3],
            "validation": [task for task in ids if fifth[task] == 3],
            "test": [task for task in ids if fifth[task] == 4],
        }

    def about(self, task):
        """Labels by which results are split."""
        lift, here, there = map(int, task.split("-"))
        return {"labels": {"way": abs(lift - here) + abs(here - there) + 2}}

    def create(self):
        return Lift(self.options)


serve(Lifts)
