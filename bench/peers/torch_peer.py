"""Runs cases in PyTorch on request, so that its runs alternate with ours.

One JSON line in, one out. {"case": NAME, "threads": N, ...} prepares a case and
answers {"ready": DESCRIPTION}; {"run": true} runs it once and answers
{"seconds": S}; {"outputs": true} answers the words of "decoding". What goes
wrong is answered as {"error": TEXT}.
"""

import sys
import time
from typing import Callable, NamedTuple

import torch
import torch.nn.functional as F
import torch_decoding
import torch_training
from serve import serve
from torch.nn.attention import SDPBackend, sdpa_kernel


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def fastest(variants, rounds=10):
    """The work, of several that do the same, with the best time."""
    best = {name: float("inf") for name in variants}
    for _ in range(rounds):
        for name, work in variants.items():
            best[name] = min(best[name], seconds(work))
    name = min(best, key=best.get)
    print("torch peer: fastest of " + "; ".join(
        f"{n} {1e3 * t:.1f} ms" for n, t in best.items()) + f" is {name}",
        file=sys.stderr)
    return variants[name]


def composed(q, k, v, bias):
    """Attention from separate ops, for when that beats the fused one."""
    scores = torch.matmul(q, k.transpose(-2, -1)) * q.shape[-1] ** -0.5
    return torch.matmul(torch.softmax(scores + bias, -1), v)


def ragged_attention(request):
    """Masked, padded attention over a ragged batch, forward and backward."""
    lengths = torch.tensor(request["lengths"])
    batch, longest = len(lengths), int(lengths.max())
    heads, width = request["heads"], request["width"]
    torch.manual_seed(1)
    valid = torch.arange(longest)[None, :] < lengths[:, None]
    mask = valid[:, None, None, :]  # [B,1,1,S], true: may attend
    bias = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))

    def leaf(*shape):
        return torch.randn(*shape).requires_grad_()

    heads_first = [leaf(batch, heads, longest, width) for _ in range(3)]
    rows_first = [leaf(batch, longest, heads, width) for _ in range(3)]
    seed = torch.randn(batch, heads, longest, width)

    def both_passes(attend, inputs, view):
        def work():
            out = attend(*(view(x) for x in inputs))
            torch.autograd.grad(out, inputs, seed)
        return work

    def with_backend(backend, the_mask):
        def attend(q, k, v):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(q, k, v,
                                                      attn_mask=the_mask)
        return attend

    def by_ops(q, k, v):
        return composed(q, k, v, bias)

    kernels = {
        "default, bool mask":
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, mask),
        "flash, float mask": with_backend(SDPBackend.FLASH_ATTENTION, bias),
        "math, bool mask": with_backend(SDPBackend.MATH, mask),
        "math, float mask": with_backend(SDPBackend.MATH, bias),
        "composed": by_ops,
    }
    layouts = {
        "heads first": (heads_first, lambda x: x),
        "rows first": (rows_first, lambda x: x.transpose(1, 2)),
    }
    variants = {
        f"{kernel}, {layout}": both_passes(attend, *layouts[layout])
        for kernel, attend in kernels.items() for layout in layouts
    }
    return fastest(variants)


def additive_attention(request):
    """A decoder's additive attention over padded sources, both passes."""
    lengths = torch.tensor(request["lengths"])
    batch, longest = len(lengths), int(lengths.max())
    steps, width = request["steps"], request["width"]
    torch.manual_seed(1)
    padding = torch.arange(longest)[None, :] >= lengths[:, None]  # [B,S]
    states = torch.randn(batch, longest, width).requires_grad_()
    queries = [torch.randn(batch, width).requires_grad_()
               for _ in range(steps)]
    all_queries = torch.randn(batch, steps, width).requires_grad_()
    of_states, of_query = (torch.nn.Linear(width, width, bias=False)
                           for _ in range(2))
    v = torch.nn.Linear(width, 1, bias=False)
    weights = [*of_states.parameters(), *of_query.parameters(),
               *v.parameters()]
    seed = torch.full((batch, width), 0.01)
    all_seeds = torch.full((batch, steps, width), 0.01)

    def attend(query, keys):  # [B,D], [B,S,D]
        scores = v(torch.tanh(keys + query[:, None])).squeeze(-1)
        scores = scores.masked_fill(padding, float("-inf"))
        return torch.bmm(torch.softmax(scores, -1)[:, None], states)[:, 0]

    def step_by_step():
        keys = of_states(states)
        out = [attend(of_query(query), keys) for query in queries]
        torch.autograd.grad(out, [states, *queries, *weights], [seed] * steps)

    def one_projection():
        keys, projected = of_states(states), of_query(all_queries)
        out = [attend(projected[:, t], keys) for t in range(steps)]
        torch.autograd.grad(out, [states, all_queries, *weights],
                            [seed] * steps)

    def at_once():
        keys, projected = of_states(states), of_query(all_queries)
        scores = v(torch.tanh(keys[:, None] + projected[:, :, None]))
        scores = scores.squeeze(-1).masked_fill(padding[:, None],
                                                float("-inf"))
        out = torch.bmm(torch.softmax(scores, -1), states)
        torch.autograd.grad(out, [states, all_queries, *weights], all_seeds)

    if not request["at_once"]:
        return step_by_step
    return fastest({"at once": at_once, "loop": one_projection}, rounds=2)


CASES = {"additive_attention": additive_attention,
         "ragged_attention": ragged_attention,
         "training": lambda request: torch_training.training(request, fastest),
         "forcing": lambda request: torch_training.forcing(request, fastest)}


class Case(NamedTuple):
    work: Callable
    outputs: Callable = list


def prepared(request):
    name = request.get("case")
    if name == "decoding":
        return Case(*torch_decoding.decoding(request, fastest))
    if name not in CASES:
        raise ValueError(f"no case is named {name}")
    return Case(CASES[name](request))


def answer(request, current):
    """The answer to a request, and the case that is current after it."""
    if "run" in request:
        return {"seconds": seconds(current.work)}, current
    if "outputs" in request:
        return {"outputs": current.outputs()}, current
    torch.set_num_threads(request["threads"])
    torch.set_flush_denormal(True)
    current = prepared(request)
    return {"ready": "PyTorch " + torch.__version__.split("+")[0]}, current


if __name__ == "__main__":
    serve(answer)
