"""Plays many games, each in a slot. A line of JSON is a question, and is answered by one with its id, in any order."""

import json
import queue
import re
import sys
import threading

# What libraries print goes to standard error, because standard output has the answers.
answers, sys.stdout = sys.stdout, sys.stderr
writing = threading.Lock()


class Game:
    def __init__(self, low, high, seed):
        count = high - low + 1
        self.lowest = self.low = low
        self.highest = self.high = high
        # Whole numbers alone: the same on every machine and in every version of Python.
        self.secret = low + seed % count
        self.turns = count.bit_length()
        self.success = self.invalid = False
        self.text = f"Guess my number from {low} to {high}. {self.turns} turns."

    def guess(self, text):
        number = int(text) if re.fullmatch("[0-9]{1,3}", text) else -1
        self.invalid = not self.lowest <= number <= self.highest
        self.success = number == self.secret
        self.turns -= 1
        if self.success:
            self.text = "correct"
        elif self.invalid:
            self.text = "invalid"
        else:
            if number < self.secret:
                self.low = max(self.low, number + 1)
            else:
                self.high = min(self.high, number - 1)
            self.text = f"{'higher' if number < self.secret else 'lower'}, {self.low} to {self.high}"

    def position(self):
        return {
            "observation": self.text,
            "low": self.low,
            "high": self.high,
            "success": self.success,
            "invalid": self.invalid,
            "over": self.success or self.turns <= 0,
        }


def send(message):
    with writing:
        answers.write(json.dumps(message) + "\n")
        answers.flush()


def play(questions):
    """Answers the questions about one slot, in order."""
    game = None
    while True:
        question = questions.get()
        try:
            if "seed" in question:
                game = Game(question["low"], question["high"], question["seed"])
            elif "guess" in question:
                game.guess(question["guess"])
            else:
                game = None
            send({"id": question["id"], "answer": game and game.position()})
        except Exception as error:
            send({"id": question["id"], "error": f"{type(error).__name__}: {error}"})


slots = {}
for line in sys.stdin.buffer:
    question = json.loads(line)
    slot = question["slot"]
    if slot not in slots:
        slots[slot] = queue.SimpleQueue()
        # A slow game does not delay the others.
        threading.Thread(target=play, args=(slots[slot],), daemon=True).start()
    slots[slot].put(question)
