"""Reads the weights of a Fovea model's folder."""

import json
import struct
from pathlib import Path

import numpy as np


def read_weights(folder):
    data = Path(folder, "model.safetensors").read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    weights = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + size + begin:8 + size + end], "<f4")
        weights[name] = values.reshape(entry["shape"])
    return weights
