"""Scores lines with sacreBLEU on request, so that its runs alternate with ours.

One JSON line in, one out. {"metric": NAME, "output": LINES, "reference": LINES}
prepares a case and answers {"ready": DESCRIPTION}; {"run": true} scores once and
answers {"seconds": S}. What goes wrong is answered as {"error": TEXT}.
"""

import logging
import time

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
from serve import serve
from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re, tokenizer_ter

METRICS = {"bleu": BLEU, "chrf++": lambda: CHRF(word_order=2), "ter": TER}
CACHES = (tokenizer_13a.Tokenizer13a, tokenizer_re.TokenizerRegexp,
          tokenizer_ter.TercomTokenizer)


def seconds(request):
    """Of scoring once, as a user does: no line was seen before."""
    for tokenizer in CACHES:
        tokenizer.__call__.cache_clear()
    metric = METRICS[request["metric"]]()
    start = time.perf_counter()
    metric.corpus_score(request["output"], [request["reference"]])
    return time.perf_counter() - start


def answer(request, current):
    if "metric" in request:
        return {"ready": f"sacreBLEU {sacrebleu.__version__}"}, request
    return {"seconds": seconds(current)}, current


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(answer)
