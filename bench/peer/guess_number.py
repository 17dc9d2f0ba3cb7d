"""The guessing game of the quickstart in plain Python. It uses token ids directly, so no text is encoded during the measurement."""
import json
import random


class Words:
    """Ids of the words of the game, from our tokenizer.json."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            vocabulary = json.load(file)["model"]["vocab"]
        self.size, self.end = len(vocabulary), vocabulary["<|end|>"]
        self.number = {n: vocabulary[f" {n}"] for n in range(1, 51)}
        self.meaning = {id: n for n, id in self.number.items()}
        word = vocabulary.__getitem__
        self.prompt = [[word(w) for w in part] for part in (
            (" Guess", " my", " number", " between"), (" and",), (".", " You", " have"), (" turns", "."))]
        self.higher, self.lower, self.comma, self.to = word(" higher"), word(" lower"), word(","), word(" to")
        self.correct, self.invalid = word(" correct"), vocabulary.get(" invalid", self.end)


class Game:
    turns = 5

    def __init__(self, words, low, high, secret):
        self.words, self.low, self.high, self.secret = words, low, high, secret
        self.possible, self.left = [low, high], self.turns

    def prompt(self):
        w, a = self.words, self.words.prompt
        return [*a[0], w.number[self.low], *a[1], w.number[self.high], *a[2], w.number[self.turns], *a[3], w.end]

    def step(self, ids):
        """Plays the ids of an action; returns the ids of the reply, whether the guess is right, and whether the game is over."""
        w = self.words
        guess = w.meaning.get(ids[0]) if len(ids) == 1 else None
        self.left -= 1
        if guess is None or not self.low <= guess <= self.high:
            return [w.invalid, w.end], False, self.left == 0
        if guess == self.secret:
            return [w.correct, w.end], True, True
        if guess < self.secret:
            self.possible[0] = max(self.possible[0], guess + 1)
        else:
            self.possible[1] = min(self.possible[1], guess - 1)
        direction = w.higher if guess < self.secret else w.lower
        low, high = (w.number[n] for n in self.possible)
        return [direction, w.comma, low, w.to, high, w.end], False, self.left == 0


def draw_task(rng):
    """Interval of 20 to 31 numbers within 1 to 50, and a number in it."""
    while True:
        low, high = rng.randint(1, 50), rng.randint(1, 50)
        if 20 <= high - low + 1 <= 31:
            return low, high, rng.randint(low, high)


def games(words, tasks, group, seed):
    rng = random.Random(seed)
    return [[Game(words, *task) for _ in range(group)] for task in (draw_task(rng) for _ in range(tasks))]
