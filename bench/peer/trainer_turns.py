"""Steps of a trainer of transformers, one at a time."""
import queue
import threading

from transformers import TrainerCallback


class TrainerTurns(TrainerCallback):
    """Lets a trainer in a thread of its own do one step for each `next`."""

    def __init__(self):
        self.go, self.done = queue.Queue(), queue.Queue()

    def on_train_begin(self, *_, **__):
        self.go.get()

    def on_step_end(self, args, state, control, **_):
        self.done.put(None)
        self.go.get()

    def start(self, trainer):
        def train():
            try:
                trainer.train()
            except BaseException as error:
                self.done.put(error)
                raise

        threading.Thread(target=train, daemon=True).start()

    def next(self):
        """Returns when the next step is done."""
        self.go.put(None)
        error = self.done.get()
        if error is not None:
            raise error
