"""The world of boxed-world.js. Two of its actions break the rules of the sandbox."""

import json

from agentgym_world import Environment, World, result, serve


class Boxed(Environment):
    def reset(self, task, seed):
        self.task = f"{task} {seed % 1000}"
        self.sandbox.write("task", self.task)
        return "It is there."

    def step(self, action):
        if action == "other":
            self.sandbox._number += 1
        if action == "scribble":
            self.sandbox._channel.write(json.dumps({"sandbox": self.sandbox._number, "run": "true"}))
        answer = self.sandbox.read("answer")
        printed = self.sandbox.run("printenv", "KIND")
        success = answer is not None and answer.decode() == self.task
        return result(printed["stdout"].strip(), terminated=action == "done", success=success)

    def act(self, player, seed):
        return "done"


class Boxes(World):
    instructions = "Copy the file `task` to the file `answer`."
    splits = {"train": ["a", "b", "c", "d"]}
    sandbox = {"megabytes": 100, "env": {"KIND": "boxed"}}

    def create(self):
        return Boxed()


serve(lambda options: Boxes())
