"""A Llama decoder in plain eager PyTorch, written for speed.

Queries, keys and values are one product, gate and up another. The cache is allocated once and written in place. Rotary angles are a table.
The head is computed only for needed logits.
"""
import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    def __init__(self, hidden, heads, intermediate, epsilon):
        super().__init__()
        self.heads, self.epsilon = heads, epsilon
        self.attention_norm = nn.Parameter(torch.ones(hidden))
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden, bias=False)
        self.feed_forward_norm = nn.Parameter(torch.ones(hidden))
        self.gate_up = nn.Linear(hidden, 2 * intermediate, bias=False)
        self.down = nn.Linear(intermediate, hidden, bias=False)

    def project(self, x, cos, sin):
        """x [batch, time, hidden] -> query, key, value [batch, heads, time, width], rotated."""
        batch, time, hidden = x.shape
        qkv = self.qkv(norm(x, self.attention_norm, self.epsilon)).view(batch, time, 3 * self.heads, hidden // self.heads)
        qk, v = qkv.transpose(1, 2).split([2 * self.heads, self.heads], dim=1)
        half = qk.shape[-1] // 2
        a, b = qk[..., :half], qk[..., half:]
        q, k = torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).split(self.heads, dim=1)
        return q, k, v

    def finish(self, x, context):
        """Adds attention's output and the feed-forward block to the residual stream."""
        batch, _, time, _ = context.shape
        x = x + self.out(context.transpose(1, 2).reshape(batch, time, -1))
        gate, up = self.gate_up(norm(x, self.feed_forward_norm, self.epsilon)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


def attend(q, k, v, visible=None):
    """Attention by hand: with one query per row it is faster on a CPU than `scaled_dot_product_attention` (measured)."""
    scores = (q @ k.mT) * q.shape[-1] ** -0.5
    if visible is not None:
        scores = scores.masked_fill(~visible, -1e9)
    return torch.softmax(scores, dim=-1) @ v


def norm(x, weight, epsilon):
    return F.rms_norm(x, (x.shape[-1],), weight, epsilon)


class Decoder(nn.Module):
    def __init__(self, vocabulary, hidden, layers, heads, intermediate, positions, epsilon=1e-5, theta=10000.0):
        super().__init__()
        self.epsilon, self.heads, self.width = epsilon, heads, hidden // heads
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.layers = nn.ModuleList(Layer(hidden, heads, intermediate, epsilon) for _ in range(layers))
        self.final_norm = nn.Parameter(torch.ones(hidden))
        angles = torch.outer(torch.arange(positions), theta ** -(torch.arange(0, self.width, 2) / self.width))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)

    def load(self, tensors):
        """Loads weights by their Hugging Face names."""
        with torch.no_grad():
            self.embedding.weight.copy_(tensors["model.embed_tokens.weight"])
            self.final_norm.copy_(tensors["model.norm.weight"])
            for i, layer in enumerate(self.layers):
                def part(*names):
                    return torch.cat([tensors[f"model.layers.{i}.{name}.weight"] for name in names])
                layer.attention_norm.copy_(part("input_layernorm"))
                layer.feed_forward_norm.copy_(part("post_attention_layernorm"))
                layer.qkv.weight.copy_(part("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"))
                layer.out.weight.copy_(part("self_attn.o_proj"))
                layer.gate_up.weight.copy_(part("mlp.gate_proj", "mlp.up_proj"))
                layer.down.weight.copy_(part("mlp.down_proj"))

    def states(self, tokens):
        """Training: final states [batch, time, hidden] of whole sequences, padded on the right."""
        time = tokens.shape[1]
        x = self.embedding(tokens)
        cos, sin = self.cos[:time], self.sin[:time]
        for layer in self.layers:
            q, k, v = layer.project(x, cos, sin)
            x = layer.finish(x, F.scaled_dot_product_attention(q, k, v, is_causal=True))
        return norm(x, self.final_norm, self.epsilon)

    def logits(self, states):
        return F.linear(states, self.embedding.weight)

    def cache(self, rows, capacity):
        """Keys and values of every layer, allocated once."""
        shape = (rows, self.heads, capacity, self.width)
        return [(self.cos.new_zeros(shape), self.cos.new_zeros(shape)) for _ in self.layers]

    def step(self, tokens, start, cache):
        """Feeds tokens [rows, time] at the positions start ... start + time of every row; returns the last state of each row."""
        time = tokens.shape[1]
        x = self.embedding(tokens)
        cos, sin = self.cos[start:start + time], self.sin[start:start + time]
        for layer, (keys, values) in zip(self.layers, cache):
            q, k, v = layer.project(x, cos, sin)
            keys[:, :, start:start + time] = k
            values[:, :, start:start + time] = v
            # A chunk of tokens only starts an empty cache; a single token sees the whole cache.
            if time > 1:
                context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            else:
                context = attend(q, keys[:, :, :start + 1], values[:, :, :start + 1])
            x = layer.finish(x, context)
        return norm(x[:, -1], self.final_norm, self.epsilon)

    def ragged_step(self, tokens, positions, last, cache, capacity):
        """
        Feeds tokens [rows, time] at separate positions [rows, time], with padding at position capacity - 1; returns the state at index `last` of each row.
        """
        rows = torch.arange(tokens.shape[0])[:, None]
        x = self.embedding(tokens)
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        used = int(positions.masked_fill(positions == capacity - 1, 0).max()) + 1
        visible = torch.arange(used)[None, None, None, :] <= positions[:, None, :, None]
        for layer, (keys, values) in zip(self.layers, cache):
            q, k, v = layer.project(x, cos, sin)
            keys[rows, :, positions] = k.transpose(1, 2).to(keys.dtype)
            values[rows, :, positions] = v.transpose(1, 2).to(values.dtype)
            context = attend(q, keys[:, :, :used], values[:, :, :used], visible)
            x = layer.finish(x, context)
        return norm(x[rows[:, 0], last], self.final_norm, self.epsilon)
