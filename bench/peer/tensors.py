"""Reads a safetensors file of float32 tensors."""
import json
import struct

import torch


def load_tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = torch.frombuffer(bytearray(data[start:end]), dtype=torch.float32).reshape(entry["shape"])
    return tensors
