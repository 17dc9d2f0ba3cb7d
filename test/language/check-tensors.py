"""Compares tensors with what the package gguf reads in a GGUF file:  check-tensors.py FILE.gguf FOLDER EXPORTED.gguf

FOLDER has the same model as safetensors, EXPORTED as float32. Prints {"tensors", "wrong": [...]}. No code of agentgym is used.
"""
import json
import os
import sys

import numpy as np
from gguf import GGUFReader, GGUFValueType, MODEL_ARCH, MODEL_ARCH_NAMES, get_tensor_name_map
from gguf.quants import dequantize


class Reader(GGUFReader):
    """Without lists of texts, for which the package takes half a minute."""

    def _get_field_parts(self, orig_offs, raw_type):
        if raw_type == GGUFValueType.ARRAY and self._get(orig_offs, np.uint32)[0] == GGUFValueType.STRING:
            place = orig_offs + 12
            for _ in range(int(self._get(orig_offs + 4, np.uint64)[0])):
                place += 8 + int.from_bytes(self.data[place : place + 8].tobytes(), "little")
            return place - orig_offs, [], [], [GGUFValueType.ARRAY, GGUFValueType.STRING]
        return super()._get_field_parts(orig_offs, raw_type)


def numbers(tensor):
    rows = dequantize(np.asarray(tensor.data), tensor.tensor_type).astype(np.float32)
    # GGUF has the innermost size first.
    return rows.reshape([int(size) for size in reversed(tensor.shape)])


def safetensors(folder):
    with open(os.path.join(folder, "model.safetensors"), "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        start = 8 + length
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            file.seek(start + begin)
            data = file.read(end - begin)
            yield name, read(data, entry["dtype"]).reshape(entry["shape"])


def read(data, dtype):
    if dtype == "F32":
        return np.frombuffer(data, "<f4")
    if dtype == "F16":
        return np.frombuffer(data, "<f2").astype(np.float32)
    return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)


def same(one, other):
    return one.shape == other.shape and np.array_equal(one.view(np.uint32), other.view(np.uint32))


def main(path, folder, exported):
    original = Reader(path)
    tensors = {tensor.name: tensor for tensor in original.tensors}
    architecture = original.get_field("general.architecture").contents()

    def count(key):
        return original.get_field(f"{architecture}.{key}").contents()

    heads, kv_heads = count("attention.head_count"), count("attention.head_count_kv")
    kind = next(one for one, name in MODEL_ARCH_NAMES.items() if name == architecture)
    names = get_tensor_name_map(MODEL_ARCH(kind), count("block_count"))
    wrong, seen = [], set()
    for name, own in safetensors(folder):
        base, _, suffix = name.rpartition(".")
        place = f"{names.get_name(base)}.{suffix}"
        seen.add(place)
        expected = numbers(tensors[place])
        turned = {"q_proj": heads, "k_proj": kv_heads}.get(base.rpartition(".")[2])
        if architecture == "llama" and turned:
            inner = expected.shape[1:]
            pairs = expected.reshape(turned, expected.shape[0] // turned // 2, 2, *inner)
            expected = np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(expected.shape)
        if not same(own, expected):
            wrong.append(f"{name} is not {place}")
    wrong += [f"{name} is not in the folder" for name in tensors if name not in seen and name != "rope_freqs.weight"]
    back = {tensor.name: tensor for tensor in Reader(exported).tensors}
    for name, tensor in tensors.items():
        one, other = numbers(tensor), numbers(back[name])
        # The four numbers of config.json give the factors again, but for their last digits.
        is_same = np.allclose(one, other, rtol=1e-5, atol=0) if name == "rope_freqs.weight" else same(one, other)
        if not is_same:
            wrong.append(f"{name} is another one in the exported file")
    wrong += [f"{name} is in the exported file only" for name in back if name not in tensors]
    types = sorted({tensor.tensor_type.name for tensor in original.tensors})
    print(json.dumps({"tensors": len(tensors), "types": types, "wrong": wrong}))


main(*sys.argv[1:])
