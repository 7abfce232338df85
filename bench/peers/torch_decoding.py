"""Greedy translation by RNNsearch in PyTorch, with the weights of a folder.

What padding costs depends on how many sentences are decoded together and on
what is done with those that have ended, so several ways are tried, and the
fastest one counts.
"""

from concurrent.futures import ThreadPoolExecutor

import torch
from torch_training import PAD, RnnSearch, padded
from weights import read_weights


def gates(weight):
    """Fovea's order z, r, n becomes r, z, n."""
    z, r, n = weight.chunk(3)
    return torch.cat([r, z, n])


def gru(weights, name, suffix):
    inner = weights[name + ".inner_bias"]
    return {
        "weight_ih" + suffix: gates(weights[name + ".input"]),
        "weight_hh" + suffix: gates(weights[name + ".recurrent"]),
        "bias_ih" + suffix: gates(weights[name + ".bias"]),
        "bias_hh" + suffix: torch.cat([torch.zeros(2 * len(inner)), inner]),
    }


def load(folder):
    weights = {name: torch.tensor(values)
               for name, values in read_weights(folder).items()}
    vocabulary, embedding = weights["source.table"].shape
    model = RnnSearch({"width": len(weights["decoder.attend.score.v"]),
                       "embedding": embedding, "vocabulary": vocabulary,
                       "dropout": 0})
    part = "decoder.attend.score."
    model.source.weight.data = weights["source.table"]
    model.target.weight.data = weights["target.table"]
    model.encoder.load_state_dict(
        gru(weights, "encoder.layer.0.forward", "_l0") |
        gru(weights, "encoder.layer.0.backward", "_l0_reverse"))
    model.cell.load_state_dict(gru(weights, "decoder.stack.layer.0", ""))
    model.v.weight.data = weights[part + "v"][None]
    model.of_state.weight.data = weights[part + "query.weight"]
    model.of_keys.weight.data = weights[part + "key.weight"]
    for layer, name in ((model.start, "decoder.first.h.0"),
                        (model.readout, "decoder.readout.joined"),
                        (model.out, "output")):
        layer.weight.data = weights[name + ".weight"]
        layer.bias.data = weights[name + ".bias"]
    return model.eval()


class Decoder:
    """The same layers as in training, word by word."""

    def __init__(self, request):
        self.m = load(request["model"])
        self.begin, self.end = request["begin"], request["end"]
        self.longest = request["longest"]

    def encode(self, source):
        m = self.m
        lengths = (source != PAD).sum(1)
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            m.source(source), lengths, batch_first=True)
        states, last = m.encoder(packed)
        states = torch.nn.utils.rnn.pad_packed_sequence(
            states, batch_first=True)[0]
        return states, torch.tanh(m.start(last[1]))

    def step(self, word, state, states, keys, bias):
        m = self.m
        embedded = m.target(word)
        scores = m.v(torch.tanh(
            keys + m.of_state(state)[:, None])).squeeze(-1) + bias
        context = torch.bmm(torch.softmax(scores, -1)[:, None], states)[:, 0]
        rows = torch.cat([state, embedded, context], -1)
        state = m.cell(torch.cat([embedded, context], -1), state)
        best = m.readout(rows).unflatten(-1, (-1, 2)).amax(-1)
        return m.out(best), state

    def translate(self, source, drops):
        """Sentences of a batch are sorted, the longest first. `drops`: those
        that have ended leave when they are a quarter of the batch."""
        with torch.inference_mode():
            states, state = self.encode(source)
            keys = self.m.of_keys(states)
            bias = torch.zeros(source.shape).masked_fill(
                source == PAD, float("-inf"))
            rows = torch.arange(len(source))
            word = torch.full((len(source),), self.begin)
            ended = torch.zeros(len(source), dtype=torch.bool)
            words = torch.full((len(source), self.longest), self.end)
            for t in range(self.longest):
                scores, state = self.step(word, state, states, keys, bias)
                if t == 0:
                    scores[:, self.end] = float("-inf")
                word = scores.argmax(-1)
                words[rows, t] = torch.where(ended, self.end, word)
                ended |= word == self.end
                count = int(ended.sum())
                if count == len(ended):
                    break
                if drops and 4 * count >= len(ended):
                    left = (~ended).nonzero()[:, 0]
                    word, state, states, keys, bias, rows, ended = (
                        x[left] for x in (word, state, states, keys, bias,
                                          rows, ended))
            return words


def decoding(request, fastest):
    """The work, and what gives the words of all sentences."""
    decoder, threads = Decoder(request), request["threads"]
    source = [ids + [decoder.end] for ids in request["source"]]
    order = sorted(range(len(source)), key=lambda i: -len(source[i]))

    def batches(size):
        return [padded([source[i] for i in order[at:at + size]])
                for at in range(0, len(order), size)]

    def one_by_one(cuts, drops):
        def work():
            torch.set_num_threads(threads)
            return [decoder.translate(batch, drops) for batch in cuts]
        return work

    def side_by_side(cuts, drops):
        def translate(batch):
            torch.set_num_threads(1)
            return decoder.translate(batch, drops)
        return lambda: list(pool.map(translate, cuts))

    pool = ThreadPoolExecutor(threads)
    ways = {"one by one": one_by_one}
    if threads > 1:
        ways["side by side"] = side_by_side
    work = fastest({
        f"{size}, {name}{', ended ones dropped' if drops else ''}":
            way(batches(size), drops)
        for size in (64, 128, 256) for name, way in ways.items()
        for drops in (False, True)}, rounds=2)

    def outputs():
        rows = [row for batch in work() for row in batch.tolist()]
        found = [None] * len(rows)
        for i, row in zip(order, rows):
            found[i] = row[:row.index(decoder.end)] if decoder.end in row \
                else row
        return found

    return work, outputs
