"""Plays environments of Gymnasium's API that a callable makes: `reset(seed=...)`, `step(action)`, `render()`, `close()`."""

import hashlib
import importlib
import json
import os
import random
import sys

from agentgym_world import Environment, Tasks, World, result, serve


def imported(place):
    """What `module:name` names."""
    module, name = place.split(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def values_of(arguments):
    """Positional and named arguments, from texts such as `4x4` and `is_slippery=false`."""
    positional, named = [], {}
    for text in arguments:
        name, equals, rest = text.partition("=")
        if equals and name.isidentifier():
            named[name] = value_of(rest)
        else:
            positional.append(value_of(text))
    return positional, named


def value_of(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


class Played(Environment):
    """One environment. The number of the task is the seed of its `reset`, so chance belongs to the task."""

    def __init__(self, world):
        self.world = world
        self.environment = world.make()
        space = getattr(self.environment, "action_space", None)
        self.count = getattr(space, "n", None)
        self.start = getattr(space, "start", 0)

    def reset(self, task, seed):
        if not task.isdecimal():
            raise ValueError(f'"{task}" is no task: a whole number is one')
        observation, info = self.environment.reset(seed=int(task))
        self.total, self.text = 0.0, self.shown(observation, info)
        return self.text

    def step(self, action):
        try:
            read = self.read(action)
        except ValueError as error:
            return result(f"That is no action: {error}.\n{self.text}", invalid=True)
        observation, reward, terminated, truncated, info = self.environment.step(read)
        self.total += float(reward)
        self.text = self.shown(observation, info)
        over = terminated or truncated
        key = self.world.options["successInfo"]
        success = self.total > self.world.options["successReturn"] if key is None else bool(info.get(key))
        return result(
            self.text,
            reward=float(reward),
            terminated=terminated,
            truncated=truncated and not terminated,
            success=over and success,
            invalid=bool(info.get("invalid", False)),
        )

    def act(self, player, seed):
        if player != "random":
            return self.world.players[player](self.environment, seed)
        names = self.world.options["names"]
        draw = random.Random(seed)
        if names:
            return draw.choice(names)
        return "" if self.count is None else str(int(self.start) + draw.randrange(int(self.count)))

    def read(self, action):
        """The action that a text means. Raises ValueError for others."""
        names = self.world.options["names"]
        if self.world.reader is not None:
            return self.world.reader(action)
        if names:
            if action not in names:
                raise ValueError(f"actions are {', '.join(names)}")
            return names.index(action) + int(self.start)
        if self.count is None:
            return action
        first, last = int(self.start), int(self.start) + int(self.count) - 1
        if not (action.isdecimal() and len(action) < 10 and first <= int(action) <= last):
            raise ValueError(f"actions are numbers from {first} to {last}")
        return int(action)

    def shown(self, observation, info):
        if self.world.observer is not None:
            return _text(self.world.observer(observation, info))
        return _text(self.environment.render() if self.world.options["observe"] == "render" else observation)

    def dispose(self):
        if hasattr(self.environment, "close"):
            self.environment.close()


def _text(shown):
    """The observation as a text. A picture as numbers would tell a policy nothing, so it is refused."""
    shape = getattr(shown, "shape", ())
    is_array = len(shape) >= 2 and "int8" in str(getattr(shown, "dtype", ""))
    is_drawing = all(hasattr(shown, name) for name in ("mode", "size", "save"))
    if is_array or is_drawing or isinstance(shown, (bytes, bytearray)):
        raise TypeError("images as observations are not supported: name a function in `observe` that describes them as text")
    return str(shown)


class Callable(World):
    """Tasks are whole numbers: of five in a row, the first is for validation, the second for tests, three for training."""

    splits = {
        "train": Tasks(lambda place: str(5 * (place // 3) + 2 + place % 3), draw=lambda seed: str(5 * (seed % 2**29) + 2 + seed % 3)),
        "validation": Tasks(lambda place: str(5 * place), draw=lambda seed: str(5 * (seed % 2**29))),
        "test": Tasks(lambda place: str(5 * place + 1), draw=lambda seed: str(5 * (seed % 2**29) + 1)),
    }

    def __init__(self, options):
        sys.path.insert(0, os.path.abspath(options["folder"]))
        self.options = options
        self.instructions = options["instructions"]
        self.max_turns = options["maxTurns"]
        maker = imported(options["make"])
        positional, named = values_of(options["arguments"])
        self.make = lambda: maker(*positional, **named)
        self.observer = None if options["observe"] in ("text", "render") else imported(options["observe"])
        self.reader = None if options["read"] is None else imported(options["read"])
        self.players = {name: imported(place) for name, _, place in (text.partition("=") for text in options["players"])}
        self.experts = list(self.players)
        self.materials = [material for material in map(self.material, self.own_modules()) if material is not None]

    def own_modules(self):
        """Modules of the user that are named: packages are noted by their versions."""
        places = [self.options["make"], self.options["observe"], self.options["read"], *self.options["players"]]
        return sorted({place.split("=")[-1].split(":")[0] for place in places if place is not None and ":" in place})

    def material(self, module):
        path = getattr(sys.modules[module], "__file__", None)
        folder = os.path.abspath(self.options["folder"])
        if path is None or not os.path.abspath(path).startswith(folder + os.sep):
            return None
        with open(path, "rb") as file:
            return {"name": os.path.relpath(path, folder), "sha256": hashlib.sha256(file.read()).hexdigest()}

    def split_of(self, task):
        return None if not task.isdecimal() else {0: "validation", 1: "test"}.get(int(task) % 5, "train")

    def create(self):
        return Played(self)


serve(Callable)
