"""Whole training steps in PyTorch: the same models, tokens and dropout.

Sentences are padded, as PyTorch wants them. What that costs depends on how the
batch is cut, so several cuts are tried, sentences of like length together, and
the fastest one counts.
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0


class Transformer(nn.Module):
    """Pre-norm encoder and decoder with one table of words."""

    def __init__(self, c):
        super().__init__()
        d = c["width"]
        self.scale = math.sqrt(d)
        self.table = nn.Embedding(c["vocabulary"], d)
        nn.init.normal_(self.table.weight, std=d ** -0.5)
        self.drop = nn.Dropout(c["dropout"])
        self.body = nn.Transformer(
            d, c["heads"], c["layers"], c["layers"], c["ffn"], c["dropout"],
            batch_first=True, norm_first=True)
        self.register_buffer("places", self.codes(256, d))

    @staticmethod
    def codes(length, d):
        angles = torch.arange(length)[:, None] * torch.exp(
            torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, d)

    def embed(self, ids):
        return self.drop(self.table(ids) * self.scale +
                         self.places[:ids.shape[1]])

    def attend(self, source, words):
        length = words.shape[1]
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        return self.body(self.embed(source), self.embed(words),
                         tgt_mask=later, tgt_is_causal=True,
                         src_key_padding_mask=source == PAD,
                         tgt_key_padding_mask=words == PAD,
                         memory_key_padding_mask=source == PAD)

    def forward(self, source, words):
        hidden = self.attend(source, words)
        return hidden[words != PAD] @ self.table.weight.T


class RnnSearch(nn.Module):
    """Bahdanau et al. 2015: both-way GRU, additive attention, maxout."""

    def __init__(self, c):
        super().__init__()
        d, e, v = c["width"], c["embedding"], c["vocabulary"]
        self.source, self.target = nn.Embedding(v, e), nn.Embedding(v, e)
        self.drop = nn.Dropout(c["dropout"])
        self.encoder = nn.GRU(e, d, batch_first=True, bidirectional=True)
        self.start = nn.Linear(d, d)
        self.of_state, self.of_keys = (nn.Linear(d, d, bias=False),
                                       nn.Linear(2 * d, d, bias=False))
        self.v = nn.Linear(d, 1, bias=False)
        self.cell = nn.GRUCell(e + 2 * d, d)
        self.readout = nn.Linear(d + e + 2 * d, d)
        self.out = nn.Linear(d // 2, v)

    def forward(self, source, words):
        lengths = (source != PAD).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.drop(self.source(source)), lengths, batch_first=True,
            enforce_sorted=False)
        states, last = self.encoder(packed)
        states = nn.utils.rnn.pad_packed_sequence(states, batch_first=True)[0]
        hidden_keys = (source == PAD)[:, :states.shape[1]]
        keys = self.of_keys(states)
        embedded = self.drop(self.target(words))
        state = torch.tanh(self.start(last[1]))
        rows = []
        for t in range(words.shape[1]):
            scores = self.v(torch.tanh(
                keys + self.of_state(state)[:, None])).squeeze(-1)
            scores = scores.masked_fill(hidden_keys, float("-inf"))
            context = torch.bmm(torch.softmax(scores, -1)[:, None],
                                states)[:, 0]
            rows.append(torch.cat([state, embedded[:, t], context], -1))
            state = self.cell(torch.cat([embedded[:, t], context], -1), state)
        rows = torch.stack(rows, 1)[words != PAD]
        best = self.readout(rows).unflatten(-1, (-1, 2)).amax(-1)
        return self.out(self.drop(best))


class Luong(nn.Module):
    """Luong et al. 2015: LSTM, dot attention, input feeding."""

    def __init__(self, c):
        super().__init__()
        d, e, v = c["width"], c["embedding"], c["vocabulary"]
        self.source, self.target = nn.Embedding(v, e), nn.Embedding(v, e)
        self.drop = nn.Dropout(c["dropout"])
        self.encoder = nn.LSTM(e, d, batch_first=True)
        self.cell = nn.LSTMCell(e + d, d)
        self.combine = nn.Linear(2 * d, d, bias=False)
        self.out = nn.Linear(d, v)

    def forward(self, source, words):
        lengths = (source != PAD).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.drop(self.source(source)), lengths, batch_first=True,
            enforce_sorted=False)
        states, (h, c) = self.encoder(packed)
        states = nn.utils.rnn.pad_packed_sequence(states, batch_first=True)[0]
        hidden_keys = (source == PAD)[:, :states.shape[1]]
        embedded = self.drop(self.target(words))
        h, c = h[0], c[0]
        fed, rows = torch.zeros_like(h), []
        for t in range(words.shape[1]):
            h, c = self.cell(torch.cat([embedded[:, t], fed], -1), (h, c))
            scores = torch.bmm(states, h[:, :, None])[:, :, 0]
            scores = scores.masked_fill(hidden_keys, float("-inf"))
            context = torch.bmm(torch.softmax(scores, -1)[:, None],
                                states)[:, 0]
            fed = torch.tanh(self.combine(torch.cat([context, h], -1)))
            rows.append(fed)
        return self.out(self.drop(torch.stack(rows, 1)[words != PAD]))


MODELS = {"transformer": Transformer, "rnnsearch": RnnSearch, "luong": Luong}


def padded(sentences):
    return nn.utils.rnn.pad_sequence(
        [torch.tensor(s) for s in sentences], batch_first=True,
        padding_value=PAD)


def training(request, fastest):
    """A step: loss with label smoothing, gradients, clipping, Adam."""
    torch.manual_seed(1)
    model = MODELS[request["model"]](request)
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4,
                                 betas=(0.9, 0.98), fused=True)
    pairs = sorted(zip(request["source"], request["target"]),
                   key=lambda pair: (len(pair[1]), len(pair[0])))
    rows = sum(len(target) for _, target in pairs)

    def cut(parts):
        size = -(-len(pairs) // parts)
        cuts = []
        for i in range(0, len(pairs), size):
            some = pairs[i:i + size]
            gold = padded([t for _, t in some])
            words = padded([[1] + t[:-1] for _, t in some])
            cuts.append((padded([s for s, _ in some]), words,
                         gold[gold != PAD]))
        return cuts

    def step(cuts):
        def work():
            optimizer.zero_grad(set_to_none=True)
            for source, words, gold in cuts:
                loss = F.cross_entropy(model(source, words), gold,
                                       label_smoothing=0.1, reduction="sum")
                (loss / rows).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return work

    return fastest({f"{n} cuts": step(cut(n)) for n in (1, 2, 4, 8)}, rounds=2)


def forcing(request, fastest):
    """Attention of the last layer over the source, the target being given."""
    torch.manual_seed(1)
    model = Transformer(request).eval()
    last = model.body.decoder.layers[-1]
    found = []

    def block(x, memory, mask, padding, is_causal=False):
        out, weights = last.multihead_attn(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding,
            is_causal=is_causal, need_weights=True)
        found.append(weights)
        return last.dropout2(out)

    last._mha_block = block
    pairs = sorted(zip(request["source"], request["target"]),
                   key=lambda pair: (len(pair[1]), len(pair[0])))

    def force(size):
        cuts = [(padded([s for s, _ in pairs[i:i + size]]),
                 padded([[1] + t[:-1] for _, t in pairs[i:i + size]]))
                for i in range(0, len(pairs), size)]

        def work():
            found.clear()
            with torch.inference_mode():
                for source, words in cuts:
                    model.attend(source, words)
        return work

    return fastest({f"batches of {n}": force(n) for n in (16, 32, 64, 256)},
                   rounds=3)
