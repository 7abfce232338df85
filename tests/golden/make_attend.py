#!/usr/bin/env python3
"""Writes tests/golden/attend/*.json: weights, results and gradients of attention
mechanisms, computed in float64 by PyTorch from the papers' formulas, one
sequence at a time. Needs PyTorch; run it by hand when a case is added:

    python3 tests/golden/make_attend.py
"""

import json
import math
import pathlib

import torch

torch.set_default_dtype(torch.float64)
FOLDER = pathlib.Path(__file__).parent / "attend"
QUERIES, KEYS = [3, 1, 2, 0], [4, 1, 0, 3]
SELF = [4, 1, 0, 3]


class Case:
    """A config of the attention, the sizes of its rows and its parameters."""

    def __init__(self, name, config, params, *, sizes=(6, 6, 6), options=(),
                 self_attention=False):
        self.name, self.config, self.options = name, config, list(options)
        self.sizes = sizes
        self.queries = SELF if self_attention else QUERIES
        self.keys = SELF if self_attention else KEYS
        generator = torch.Generator().manual_seed(sum(map(ord, name)))

        def draw(*shape):
            return torch.randn(*shape, generator=generator,
                               requires_grad=True)

        self.params = {key: draw(*shape) for key, shape in params.items()}
        self.q = draw(sum(self.queries), sizes[0])
        self.k = draw(sum(self.keys), sizes[1])
        self.v = draw(sum(self.keys), sizes[2])
        self.generator = generator

    def get(self, key, default):
        return self.config.get(key, default)

    def project(self, name, x):
        if f"{name}.weight" not in self.params:
            return x
        y = x @ self.params[f"{name}.weight"].T
        return y + self.params.get(f"{name}.bias", 0)


def projections(d, heads=1, kv=None, out=True):
    kv = kv or heads
    size = d // heads
    shapes = {"query.weight": (d, d), "query.bias": (d,),
              "key.weight": (kv * size, d), "key.bias": (kv * size,),
              "value.weight": (kv * size, d), "value.bias": (kv * size,)}
    if out:
        shapes |= {"out.weight": (d, d), "out.bias": (d,)}
    return shapes


def dot(case, q, k, h):
    return q @ k.T


def scaled_dot(case, q, k, h):
    return q @ k.T / math.sqrt(q.shape[1])


def general(case, q, k, h):
    return q @ case.params["score.weight"] @ k.T


def additive(case, q, k, h):
    p = case.params
    a = q @ p["score.query.weight"].T
    b = k @ p["score.key.weight"].T
    return torch.tanh(a[:, None] + b[None]) @ p["score.v"].flatten()


def concat_identity_source(case, q, k, h):
    a = q @ case.params["score.query.weight"].T
    return torch.tanh(a[:, None] + k[None]) @ case.params["score.v"].flatten()


def cosine(case, q, k, h):
    a = q / q.norm(dim=1, keepdim=True)
    b = k / k.norm(dim=1, keepdim=True)
    return 3 * a @ b.T


def inverse_distance(case, q, k, h):
    return 1 / torch.cdist(q, k)


def gaussian(case, q, k, h):
    return torch.exp(-((q[:, None] - k[None]) ** 2).sum(-1) / (2 * 1.5**2))


def softmax(e):
    return torch.softmax(e, -1)


def sigmoid(e):
    return torch.sigmoid(e)


def by_sum(e):
    return e / e.sum(-1, keepdim=True)


def sparsemax(e):
    rows = []
    for row in e:
        s, _ = torch.sort(row, descending=True)
        cumulated = torch.cumsum(s, 0)
        k = torch.arange(1, len(row) + 1)
        support = int((1 + k * s > cumulated).sum())
        rows.append(torch.clamp(row - (cumulated[support - 1] - 1) / support,
                                min=0))
    return torch.stack(rows)


def entmax15(e):
    """By bisection on the threshold; its gradient by the implicit rule."""
    rows = []
    for row in e:
        x = row / 2
        low, high = float(x.max()) - 1, float(x.max())
        for _ in range(200):
            middle = (low + high) / 2
            if float((torch.clamp(x.detach() - middle, min=0) ** 2).sum()) > 1:
                low = middle
            else:
                high = middle
        support = x.detach() > low
        s = x[support]
        n, mean = len(s), s.mean()
        tau = mean - torch.sqrt(
            torch.clamp((1 - ((s - mean) ** 2).sum()) / n, min=0))
        rows.append(torch.where(support, torch.clamp(x - tau, min=0) ** 2, 0.0))
    return torch.stack(rows)


def top2(e):
    mask = torch.zeros_like(e)
    for i, row in enumerate(e):
        mask[i, torch.topk(row, min(2, len(row))).indices] = 1
    return torch.softmax(e.masked_fill(mask == 0, -math.inf), -1)


SCORES = {f.__name__: f for f in (
    dot, scaled_dot, general, additive, concat_identity_source, cosine,
    inverse_distance, gaussian)}
NORMALISERS = {"softmax": softmax, "sigmoid": sigmoid, "sum": by_sum,
               "sparsemax": sparsemax, "entmax15": entmax15, "topk": top2}


def slopes(heads):
    n = 2 ** int(math.log2(heads))
    first = [2 ** (-8 * h / n) for h in range(1, n + 1)]
    second = [2 ** (-8 * h / (2 * n)) for h in range(1, 2 * n + 1)][::2]
    return (first + second)[:heads]


def rope(x, first):
    d = x.shape[1]
    y = torch.zeros_like(x)
    for i in range(d // 2):
        angle = (torch.arange(len(x)) + first) * 10000 ** (-2 * i / d)
        c, s = torch.cos(angle), torch.sin(angle)
        a, b = x[:, 2 * i], x[:, 2 * i + 1]
        y = y.clone()
        y[:, 2 * i] = a * c - b * s
        y[:, 2 * i + 1] = a * s + b * c
    return y


def position_terms(case, e, q, first, h):
    t, s = e.shape
    i = torch.arange(t)[:, None] + first
    j = torch.arange(s)[None]
    kind = case.get("position", "none")
    if kind == "alibi":
        e = e - slopes(case.get("heads", 1))[h] * (i - j).abs()
    if kind == "relative":
        r = torch.clamp(j - i, -2, 2) + 2
        table = case.params["position.keys"][r]
        e = e + (q[:, None] * table).sum(-1) / math.sqrt(q.shape[1])
    return e


def hide(case, e, first):
    t, s = e.shape
    i = torch.arange(t)[:, None] + first
    j = torch.arange(s)[None]
    hidden = torch.zeros(t, s, dtype=torch.bool)
    if case.get("causal", False):
        hidden |= j > i
    if case.get("extent", "global") == "local_m":
        centre = torch.clamp(i, max=s - 1)
        hidden |= (j - centre).abs() > 1
    return e.masked_fill(hidden, -math.inf), hidden


def local_p(case, e, raw):
    """B3 with 1-based p_t = S sigmoid(v tanh(W h)) and window centre floor."""
    s = e.shape[1]
    p = case.params
    hidden = torch.tanh(raw @ p["extent.hidden.weight"].T)
    centre = s * torch.sigmoid(hidden @ p["extent.position.weight"].T)
    place = torch.arange(1, s + 1)[None]
    outside = (place - torch.floor(centre.detach())).abs() > 2
    w = torch.softmax(e.masked_fill(outside, -math.inf), -1)
    w = torch.where(outside.all(-1, keepdim=True), 0.0, w)
    return w * torch.exp(-((place - centre) ** 2) / (2 * 1.0**2)), outside


def one_sequence(case, xq, xk, xv):
    heads = case.get("heads", 1)
    kv = case.get("kv-heads", 0) or heads
    q, k, v = (case.project(n, x) for n, x in
               (("query", xq), ("key", xk), ("value", xv)))
    t, s = len(xq), len(xk)
    first = s - t if case.get("causal", False) else 0
    score = SCORES[case.get("score", "scaled_dot")]
    normalise = NORMALISERS[case.get("normaliser", "softmax")]
    contexts, all_weights = [], []
    for h in range(heads):
        g = h // (heads // kv)
        qh = q.chunk(heads, 1)[h]
        kh = k.chunk(kv, 1)[g]
        vh = v.chunk(kv, 1)[g]
        if case.get("position", "none") == "rope":
            qh, kh = rope(qh, first), rope(kh, 0)
        if s == 0 or t == 0:
            contexts.append(torch.zeros(t, vh.shape[1]))
            all_weights.append([[] for _ in range(t)])
            continue
        e = position_terms(case, score(case, qh, kh, h), qh, first, h)
        e, hidden = hide(case, e, first)
        if case.get("extent", "global") == "local_p":
            w, hidden = local_p(case, e, xq)
        else:
            w = torch.where(hidden.all(-1, keepdim=True), 0.0, normalise(e))
        context = w @ vh
        if case.get("position", "none") == "relative":
            i = torch.arange(t)[:, None] + first
            r = torch.clamp(torch.arange(s)[None] - i, -2, 2) + 2
            context = context + (
                w[:, :, None] * case.params["position.values"][r]).sum(1)
        contexts.append(context)
        all_weights.append([w[m][~hidden[m]].tolist() for m in range(t)])
    context = case.project("out", torch.cat(contexts, 1))
    # As Fovea stores them: row by row, head by head.
    flat = [x for m in range(t) for h in range(heads)
            for x in all_weights[h][m]]
    return context, flat


def rounded(x):
    return [float(f"{v:.9g}") for v in x]


def table(x):
    return {"shape": list(x.shape), "values": rounded(x.flatten().tolist())}


def write(case):
    contexts, weights, i, j = [], [], 0, 0
    for t, s in zip(case.queries, case.keys):
        context, flat = one_sequence(case, case.q[i:i + t], case.k[j:j + s],
                                     case.v[j:j + s])
        contexts.append(context)
        weights += flat
        i, j = i + t, j + s
    context = torch.cat(contexts)
    dy = torch.randn(context.shape, generator=case.generator)
    inputs = {"queries": case.q, "keys": case.k, "values": case.v,
              **case.params}
    grads = torch.autograd.grad(context, list(inputs.values()), dy,
                                allow_unused=True)
    full = {"value-proj": "value.weight" in case.params,
            "out-proj": "out.weight" in case.params,
            "project": "query.weight" in case.params, **case.config}
    if case.options:
        full["options"] = case.options
    result = {
        "config": full,
        "sizes": list(case.sizes),
        "query_lengths": case.queries,
        "key_lengths": case.keys,
        "inputs": {name: table(x) for name, x in inputs.items()},
        "weights": rounded(weights),
        "context": table(context),
        "dy": table(dy),
        "gradients": {name: table(torch.zeros_like(x) if g is None else g)
                      for (name, x), g in zip(inputs.items(), grads)},
    }
    path = FOLDER / f"{case.name}.json"
    path.write_text(json.dumps(result, separators=(",", ":")) + "\n")


def cases():
    plain = {}
    yield Case("dot", {"score": "dot"}, plain)
    yield Case("scaled_dot", {"score": "scaled_dot"}, plain)
    yield Case("general", {"score": "general"}, {"score.weight": (4, 7)},
               sizes=(4, 7, 5))
    tanh = {"score.query.weight": (5, 4), "score.key.weight": (5, 7),
            "score.v": (5,)}
    yield Case("additive", {"score": "additive"}, tanh, sizes=(4, 7, 3),
               options=["hidden=5"])
    yield Case("concat_identity_source", {"score": "concat_identity_source"},
               {"score.query.weight": (6, 4), "score.v": (6,)},
               sizes=(4, 6, 3))
    yield Case("cosine", {"score": "cosine"}, plain, options=["beta=3"])
    yield Case("inverse_distance", {"score": "inverse_distance",
                                    "normaliser": "sum"}, plain)
    yield Case("gaussian", {"score": "gaussian", "normaliser": "sum"}, plain,
               options=["width=1.5"])
    for name in ("sigmoid", "sparsemax", "entmax15"):
        yield Case(name, {"normaliser": name}, plain)
    yield Case("topk", {"normaliser": "topk"}, plain, options=["k=2"])
    yield Case("local_m", {"extent": "local_m"}, plain, options=["window=1"])
    yield Case("local_p", {"extent": "local_p"},
               {"extent.hidden.weight": (6, 6),
                "extent.position.weight": (1, 6)}, options=["window=2"])
    multi = {"heads": 4}
    yield Case("multi_head", multi, projections(8, 4), sizes=(8, 8, 8))
    yield Case("grouped_causal", {"heads": 4, "kv-heads": 2, "causal": True},
               projections(8, 4, 2), sizes=(8, 8, 8), self_attention=True)
    yield Case("multi_query", {"heads": 4, "kv-heads": 1},
               projections(8, 4, 1), sizes=(8, 8, 8))
    yield Case("alibi", {"heads": 3, "causal": True, "position": "alibi"},
               projections(6, 3), self_attention=True)
    yield Case("rope", {"heads": 2, "causal": True, "position": "rope"},
               projections(8, 2), sizes=(8, 8, 8), self_attention=True)
    yield Case("relative", {"heads": 2, "position": "relative"},
               projections(8, 2) | {"position.keys": (5, 4),
                                    "position.values": (5, 4)},
               sizes=(8, 8, 8), options=["reach=2"], self_attention=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for one in cases():
        write(one)
