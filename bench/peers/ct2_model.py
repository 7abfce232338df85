"""Turns a Fovea model's folder into one of CTranslate2.

usage: ct2_model.py FOLDER OUT [LEXICON]

Words are named by their numbers, so that no tokenizer is needed. LEXICON is a
JSON file {"always": [...], "words": [[...], ...]} that becomes a vocabulary map.
"""

import json
import sys
from pathlib import Path

import numpy as np
import yaml
from ctranslate2.specs import TransformerSpec, common_spec
from weights import read_weights

POSITIONS = 1024
EPSILON = 1e-6


def require(config, wanted, where=""):
    for key, value in wanted.items():
        if config[key] != value:
            raise ValueError(f"{where}{key} is {config[key]}: cannot convert")


def check(model):
    for part in ("encode", "predict"):
        require(model[part], {"kind": "transformer", "norm": "pre",
                              "activation": "relu", "position": "none",
                              "scale": 0}, part + ".")
    require(model["attend"], {"score": "scaled_dot", "extent": "global",
                              "select": "soft", "position": "none",
                              "scale": 0, "temperature": 1}, "attend.")
    require(model["embed"]["position"], {"kind": "sinusoidal",
                                         "layout": "interleaved"})
    heads = {model[p]["heads"] for p in ("encode", "predict", "attend")}
    if len(heads) != 1:
        raise ValueError("parts have different numbers of heads")
    return heads.pop()


def position_codes(width):
    angles = (np.arange(POSITIONS)[:, None] *
              np.power(10000.0, -np.arange(0, width, 2) / width))
    codes = np.stack([np.sin(angles), np.cos(angles)], -1)
    return codes.reshape(POSITIONS, width).astype(np.float32)


class Filler:
    """Puts weights where CTranslate2 wants them."""

    def __init__(self, weights):
        self.weights = weights

    def linear(self, spec, *names):
        """One matrix, or several below each other."""
        spec.weight = np.concatenate(
            [self.weights[n + ".weight"] for n in names])
        if names[0] + ".bias" in self.weights:
            spec.bias = np.concatenate(
                [self.weights[n + ".bias"] for n in names])

    def norm(self, spec, name):
        spec.gamma = self.weights[name + ".gain"]
        spec.beta = self.weights[name + ".bias"]

    def self_attention(self, spec, name):
        self.norm(spec.layer_norm, name + "_norm")
        self.linear(spec.linear[0], *(f"{name}.{part}" for part in
                                      ("query", "key", "value")))
        self.linear(spec.linear[1], name + ".out")

    def cross_attention(self, spec, name):
        self.norm(spec.layer_norm, name + "_norm")
        self.linear(spec.linear[0], name + ".query")
        self.linear(spec.linear[1], name + ".key", name + ".value")
        self.linear(spec.linear[2], name + ".out")

    def feed_forward(self, spec, layer):
        self.norm(spec.layer_norm, layer + ".feed_norm")
        self.linear(spec.linear_0, layer + ".feed_forward.up")
        self.linear(spec.linear_1, layer + ".feed_forward.down")

    def embeddings(self, spec, table, scale):
        spec.scale_embeddings = scale
        where = spec.embeddings
        (where[0] if isinstance(where, list) else where).weight = table
        spec.position_encodings.encodings = position_codes(table.shape[1])


def make_spec(model, weights):
    heads, fill = check(model), Filler(weights)
    spec = TransformerSpec.from_config(
        (model["encode"]["layers"], model["predict"]["layers"]), heads,
        pre_norm=True, activation=common_spec.Activation.RELU)
    source = weights["source.table"]
    target = weights.get("target.table", source)
    scale = model["embed"]["scale"]
    fill.embeddings(spec.encoder, source, scale)
    fill.embeddings(spec.decoder, target, scale)
    for i, layer in enumerate(spec.encoder.layer):
        fill.self_attention(layer.self_attention, f"encoder.layer.{i}.self")
        fill.feed_forward(layer.ffn, f"encoder.layer.{i}")
    for i, layer in enumerate(spec.decoder.layer):
        fill.self_attention(layer.self_attention, f"decoder.layer.{i}.self")
        fill.cross_attention(layer.attention, f"decoder.layer.{i}.cross")
        fill.feed_forward(layer.ffn, f"decoder.layer.{i}")
    fill.norm(spec.encoder.layer_norm, "encoder.norm")
    fill.norm(spec.decoder.layer_norm, "decoder.norm")
    spec.decoder.projection.weight = weights.get("output.weight", target)
    if "output.bias" in weights:
        spec.decoder.projection.bias = weights["output.bias"]
    return spec


def write_map(lexicon_file, out):
    """Lines "source word TAB target words"; those of no word come always."""
    lexicon = json.loads(Path(lexicon_file).read_text())
    lines = ["\t" + " ".join(map(str, lexicon["always"]))]
    lines += [f"{word}\t{' '.join(map(str, words))}"
              for word, words in enumerate(lexicon["words"]) if words]
    path = Path(out) / "map"
    path.write_text("\n".join(lines) + "\n")
    return path


def main(folder, out, lexicon=None):
    model = yaml.safe_load(Path(folder, "config.yaml").read_text())["model"]
    words = model["vocabulary"]
    spec = make_spec(model, read_weights(folder))
    spec.register_source_vocabulary([str(i) for i in range(words["source"])])
    spec.register_target_vocabulary([str(i) for i in range(words["target"])])
    if lexicon:
        spec.register_vocabulary_mapping(str(write_map(lexicon, out)))
    config = spec.config
    config.unk_token = "0"
    config.bos_token = config.decoder_start_token = str(words["begin"])
    config.eos_token = str(words["end"])
    config.add_source_eos = True
    config.add_attribute("layer_norm_epsilon", EPSILON)
    spec.validate()
    spec.optimize()
    spec.save(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
