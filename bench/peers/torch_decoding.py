"""Greedy decoding of RNNsearch in PyTorch, a fixed number of words."""

from concurrent.futures import ThreadPoolExecutor

import torch
from torch_training import PAD, RnnSearch, padded


class Decoder:
    """The same layers as in training, word by word."""

    def __init__(self, model):
        self.m = model

    def encode(self, source):
        m = self.m
        lengths = (source != PAD).sum(1)
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            m.source(source), lengths, batch_first=True)
        states, last = m.encoder(packed)
        states = torch.nn.utils.rnn.pad_packed_sequence(
            states, batch_first=True)[0]
        return states, torch.tanh(m.start(last[1]))

    def translate(self, source, steps):
        """Sentences of a batch are sorted, the longest first."""
        m = self.m
        with torch.inference_mode():
            states, state = self.encode(source)
            keys = m.of_keys(states)
            bias = torch.zeros(source.shape).masked_fill(
                source == PAD, float("-inf"))
            word = torch.ones(len(source), dtype=torch.long)
            words = []
            for _ in range(steps):
                embedded = m.target(word)
                scores = m.v(torch.tanh(
                    keys + m.of_state(state)[:, None])).squeeze(-1) + bias
                context = torch.bmm(torch.softmax(scores, -1)[:, None],
                                    states)[:, 0]
                rows = torch.cat([state, embedded, context], -1)
                state = m.cell(torch.cat([embedded, context], -1), state)
                best = m.readout(rows).unflatten(-1, (-1, 2)).amax(-1)
                word = m.out(best).argmax(-1)
                words.append(word)
            return torch.stack(words, 1)


def decoding(request, fastest):
    torch.manual_seed(1)
    decoder = Decoder(RnnSearch(request).eval())
    threads, size = request["threads"], request["batch"]
    source = sorted(request["source"], key=len, reverse=True)
    batches = [padded(source[i:i + size])
               for i in range(0, len(source), size)]
    steps = request["steps"]

    def one_by_one():
        torch.set_num_threads(threads)
        for batch in batches:
            decoder.translate(batch, steps)

    if threads == 1:
        return one_by_one
    pool = ThreadPoolExecutor(threads)

    def side_by_side():
        def work(batch):
            torch.set_num_threads(1)
            decoder.translate(batch, steps)
        list(pool.map(work, batches))

    return fastest({"one by one": one_by_one, "side by side": side_by_side},
                   rounds=3)
