"""Scores lines with sacreBLEU on request, so that its runs alternate with ours.

One JSON line in, one out. {"metric": NAME, "output": LINES, "reference": LINES}
prepares a case and answers {"ready": DESCRIPTION}; {"run": true} scores once and
answers {"seconds": S}. What goes wrong is answered as {"error": TEXT}.
"""

import json
import logging
import sys
import time

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
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


def main():
    logging.disable(logging.WARNING)
    case = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "metric" in request:
                case = request
                answer = {"ready": f"sacreBLEU {sacrebleu.__version__}"}
            else:
                answer = {"seconds": seconds(case)}
        except Exception as error:  # whatever it is, the bench must hear of it
            answer = {"error": str(error)}
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
