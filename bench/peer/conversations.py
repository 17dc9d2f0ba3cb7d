"""Recorded conversations, generated again by a model of transformers: as many tokens, turn by turn."""
import torch
from transformers import DynamicCache


class Conversations:
    """Rows of one cache that lives over all turns. New tokens are padded on the left, and the mask hides the padding."""

    def __init__(self, decoder, names):
        self.decoder, self.names = decoder, names
        self.cache = DynamicCache(config=decoder.config)
        self.mask = torch.zeros(len(names), 0, dtype=torch.long)
        # The fed tokens of each row, and their places in the cache.
        self.fed, self.places = [[] for _ in names], [[] for _ in names]

    def keep(self, names):
        """Drops the rows of conversations that have ended."""
        if len(names) == len(self.names):
            return
        rows = [self.names.index(name) for name in names]
        self.cache.batch_select_indices(torch.tensor(rows))
        self.mask = self.mask[rows]
        self.names, self.fed, self.places = ([all[row] for row in rows] for all in (self.names, self.fed, self.places))

    def feed(self, new):
        """Feeds a list of tokens for each row, which may be empty. Returns the last state of each row."""
        width = max(len(tokens) for tokens in new)
        chunk = torch.tensor([[0] * (width - len(tokens)) + tokens for tokens in new])
        used = torch.tensor([[0] * (width - len(tokens)) + [1] * len(tokens) for tokens in new])
        start = self.mask.shape[1]
        self.mask = torch.cat([self.mask, used], 1)
        positions = (self.mask.cumsum(1) - 1).clamp(min=0)[:, -width:]
        states = self.decoder(chunk, attention_mask=self.mask, position_ids=positions, past_key_values=self.cache, use_cache=True)[0]
        for row, tokens in enumerate(new):
            self.fed[row] += tokens
            self.places[row] += range(start + width - len(tokens), start + width)
        return states[:, -1]

    def forget_changed(self, row, tokens):
        """The environment may write an answer anew. What was fed from there on is hidden. Returns how many tokens stay."""
        fed = self.fed[row]
        # The last token has to be fed in any case: its state is wanted.
        most = min(len(fed), len(tokens) - 1)
        same = next((at for at in range(most) if fed[at] != tokens[at]), most)
        self.mask[row, self.places[row][same:]] = 0
        del fed[same:], self.places[row][same:]
        return same


@torch.inference_mode()
def rollout(decoder, head, turns):
    """
    Feeds what the environment wrote and samples as many tokens as the recorded answers have. The recorded tokens go on, so that all later
    work is the same. Returns each conversation's tokens up to its last answer, and the log probabilities of its sampled tokens.
    """
    conversations = None
    logprobs, whole = {}, {}
    for turn in turns:
        asked = {each["sequence"]: each for each in turn}
        if conversations is None or any(name not in conversations.names for name in asked):
            conversations = Conversations(decoder, list(asked))
        conversations.keep([name for name in conversations.names if name in asked])
        rows = [asked[name] for name in conversations.names]
        new = []
        for row, each in enumerate(rows):
            new.append(each["tokens"][conversations.forget_changed(row, each["tokens"]):])
        for step in range(max(len(each["fresh"]) for each in rows)):
            distribution = torch.log_softmax(head(conversations.feed(new)).float(), dim=-1)
            torch.multinomial(distribution.exp(), 1).tolist()
            recorded = [each["fresh"][min(step, len(each["fresh"]) - 1)] for each in rows]
            found = distribution.gather(1, torch.tensor(recorded)[:, None])[:, 0].tolist()
            new = []
            for each, token, logprob in zip(rows, recorded, found):
                going = step < len(each["fresh"])
                if going:
                    logprobs.setdefault(each["sequence"], []).append(logprob)
                # The last token of an answer is fed with the next turn.
                new.append([token] if step + 1 < len(each["fresh"]) else [])
        for each in rows:
            whole[each["sequence"]] = tuple(each["tokens"] + each["fresh"])
    return [(whole[name], logprobs[name]) for name in whole]
