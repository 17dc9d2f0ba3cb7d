"""One GRPO iteration of the quickstart as a PyTorch loop. All lanes are one batch, and finished lanes are dropped. Plain: the usual loop, with torch.optim.Muon. Tuned: the lanes
of a group share their prompt, the few lanes with long actions form a separate batch, and matrices of the same shape are orthogonalized together in float32."""
import torch

from decoder import Decoder
from guess_number import Words, games
from muon import Muon
from tensors import load_tensors

CAPACITY = 64
MOST_ACTION_TOKENS = 4


class Episode:
    def __init__(self, game, prompt):
        self.game, self.tokens, self.mask, self.logprobs = game, list(prompt), [0] * len(prompt), [0.0] * len(prompt)
        self.success = False

    def extend(self, ids, logprobs=None):
        self.tokens += ids
        self.mask += [int(logprobs is not None)] * len(ids)
        self.logprobs += logprobs or [0.0] * len(ids)


class Quickstart:
    def __init__(self, folder, tuned, tasks=32, group=16, rate=3e-3):
        self.words = Words(f"{folder}/tokenizer.json")
        self.model = Decoder(self.words.size, 64, 2, 4, 128, CAPACITY)
        self.model.load(load_tensors(f"{folder}/model.safetensors"))
        hidden = [p for p in self.model.layers.parameters() if p.ndim == 2]
        rest = [p for p in self.model.parameters() if not any(p is h for h in hidden)]
        # Fused matrices are orthogonalized as a whole, which is less work than one at a time.
        self.tuned = tuned
        self.muon = Muon(hidden) if tuned else torch.optim.Muon(hidden, lr=rate, weight_decay=0.0)
        self.adamw = torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.95), weight_decay=0.0, fused=True)
        self.tasks, self.group, self.rate, self.seed = tasks, group, rate, 0

    @torch.inference_mode()
    def rollout(self):
        self.seed += 1
        groups = [[Episode(game, game.prompt()) for game in group]
                  for group in games(self.words, self.tasks, self.group, self.seed)]
        lanes = [episode for group in groups for episode in group]
        prompts = torch.tensor([lane.tokens for lane in (lanes[::self.group] if self.tuned else lanes)])
        cache = self.model.cache(len(prompts), CAPACITY)
        state = self.model.step(prompts, 0, cache)
        if self.tuned:
            state = state.repeat_interleave(self.group, 0)
            cache = [(k.repeat_interleave(self.group, 0), v.repeat_interleave(self.group, 0)) for k, v in cache]
        while lanes:
            fresh = []
            for lane, (ids, logprobs) in zip(lanes, self.act(state, lanes, cache)):
                lane.extend(ids, logprobs)
                ended = ids[-1] == self.words.end
                reply, lane.success, over = lane.game.step(ids[:-1] if ended else ids)
                reply = reply if ended else [self.words.end, *reply]
                lane.extend(reply)
                # The last sampled id is fed together with the reply.
                fresh.append(None if over else [ids[-1], *reply])
            keep = [i for i, new in enumerate(fresh) if new is not None]
            if len(keep) < len(lanes):
                index = torch.tensor(keep, dtype=torch.long)
                cache = [(k[index], v[index]) for k, v in cache]
                lanes, fresh = [lanes[i] for i in keep], [fresh[i] for i in keep]
            if lanes:
                state = self.feed(fresh, [len(lane.tokens) - len(new) for lane, new in zip(lanes, fresh)], cache)
        return groups

    def act(self, state, lanes, cache):
        """Samples each lane's action, its end token included, in up to MOST_ACTION_TOKENS steps: ids and log probabilities."""
        actions = [([], []) for _ in lanes]
        going = set(range(len(lanes)))
        for count in range(1, MOST_ACTION_TOKENS + 1):
            distribution = torch.log_softmax(self.model.logits(state), dim=-1)
            drawn = torch.multinomial(distribution.exp(), 1)
            logprobs = distribution.gather(1, drawn)[:, 0].tolist()
            drawn = drawn[:, 0].tolist()
            for i in list(going):
                actions[i][0].append(drawn[i])
                actions[i][1].append(logprobs[i])
                if drawn[i] == self.words.end:
                    going.remove(i)
            if not going or count == MOST_ACTION_TOKENS:
                return actions
            if self.tuned and len(going) < len(lanes) // 8:
                return self.finish(sorted(going), actions, lanes, cache)
            # Ended lanes keep their place and write to the last position, which is never read.
            state = self.feed([[drawn[i]] for i in range(len(lanes))],
                              [len(lane.tokens) + count - 1 if i in going else CAPACITY - 1 for i, lane in enumerate(lanes)], cache)

    def finish(self, going, actions, lanes, cache):
        """Finishes the few lanes with long actions in a separate batch."""
        index = torch.tensor(going)
        part = [(k[index], v[index]) for k, v in cache]
        while going:
            rows = [row for row, i in enumerate(index.tolist()) if i in going]
            state = self.feed([[actions[i][0][-1]] for i in index.tolist()],
                              [len(lanes[i].tokens) + len(actions[i][0]) - 1 if i in going else CAPACITY - 1
                               for i in index.tolist()], part)
            distribution = torch.log_softmax(self.model.logits(state), dim=-1)
            drawn = torch.multinomial(distribution.exp(), 1)
            for row in rows:
                ids, logprobs = actions[int(index[row])]
                ids.append(int(drawn[row]))
                logprobs.append(float(distribution[row, drawn[row]]))
                if ids[-1] == self.words.end or len(ids) == MOST_ACTION_TOKENS:
                    going.remove(int(index[row]))
        for (k, v), (k_part, v_part) in zip(cache, part):
            k[index], v[index] = k_part, v_part
        return actions

    def feed(self, fresh, starts, cache):
        """Feeds each lane's new ids, padded to the longest; returns the state after each lane's last."""
        longest = max(map(len, fresh))
        tokens = torch.tensor([new + [0] * (longest - len(new)) for new in fresh])
        positions = torch.tensor([[start + i if i < len(new) else CAPACITY - 1 for i in range(longest)]
                                  for start, new in zip(starts, fresh)])
        last = torch.tensor([len(new) - 1 for new in fresh])
        return self.model.ragged_step(tokens, positions, last, cache, CAPACITY)

    def update(self, groups, minibatches=4):
        """Clipped policy gradient with entropy bonus and token mean; groups with equal rewards are dropped."""
        rows, advantages = [], []
        for group in groups:
            reward = torch.tensor([float(episode.success) for episode in group])
            if reward.std(correction=0) > 0:
                rows += group
                advantages += ((reward - reward.mean()) / (reward.std() + 1e-6)).tolist()
        size = -(-len(rows) // minibatches)
        for start in range(0, len(rows), max(size, 1)):
            self.learn(rows[start:start + size], torch.tensor(advantages[start:start + size]))
        return len(rows)

    def learn(self, episodes, advantages):
        longest = max(len(e.tokens) - next(i for i, m in enumerate(reversed(e.mask)) if m) for e in episodes)
        pad = lambda values, filler: torch.tensor([(v + [filler] * longest)[:longest] for v in values])
        tokens, mask = pad([e.tokens for e in episodes], 0), pad([e.mask for e in episodes], 0).bool()
        old = pad([e.logprobs for e in episodes], 0.0)[mask]
        advantage = advantages[:, None].expand(mask.shape)[mask]
        states = self.model.states(tokens[:, :-1])[mask[:, 1:]]
        distribution = torch.log_softmax(self.model.logits(states), dim=-1)
        logprob = distribution.gather(1, tokens[mask][:, None])[:, 0]
        entropy = -(distribution.exp() * distribution).sum(-1)
        ratio = (logprob - old).exp()
        surrogate = torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.28) * advantage)
        loss = -(surrogate + 0.02 * entropy).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0, foreach=True)
        self.muon.step(self.rate) if self.tuned else self.muon.step()
        self.adamw.step()
        self.model.zero_grad()

