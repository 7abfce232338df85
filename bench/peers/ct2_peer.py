"""Translates in CTranslate2 on request, so that its runs alternate with ours.

One JSON line in, one out. {"model": FOLDER, "source": [[ID...]...], ...}
prepares a model and answers {"ready": DESCRIPTION}; {"run": true} translates
all once and answers {"seconds": S}; {"outputs": true} and {"memory": true}
answer what a run gives, and the megabytes that it takes beyond those before the
model was loaded. What goes wrong is answered as {"error": TEXT}.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ctranslate2
from serve import serve

HERE = Path(__file__).parent


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def fastest(variants, rounds=2):
    """The work, of several that do the same, with the best time."""
    best = {name: min(seconds(work) for _ in range(rounds))
            for name, work in variants.items()}
    name = min(best, key=best.get)
    print("ctranslate2 peer: fastest of " + "; ".join(
        f"{n} {1e3 * t:.0f} ms" for n, t in best.items()) + f" is {name}",
        file=sys.stderr)
    return variants[name]


def megabytes(name):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"no {name}")


def convert(request, out):
    """In a process of its own: its memory is none of a translation's."""
    command = [sys.executable, str(HERE / "ct2_model.py"), request["model"],
               out]
    if "lexicon" in request:
        lexicon = Path(out, "lexicon.json")
        lexicon.write_text(json.dumps(request["lexicon"]))
        command.append(str(lexicon))
    subprocess.run(command, check=True, stdout=sys.stderr)


def ways(request):
    """(workers, threads of each) that make use of so many threads."""
    n = request["threads"]
    return [(1, 1)] if n == 1 else [(n, 1), (1, n)]


class Translations:
    def __init__(self, request):
        self.request = request
        self.source = [[str(i) for i in s] for s in request["source"]]
        self.before = megabytes("VmRSS")
        with tempfile.TemporaryDirectory() as folder:
            convert(request, folder)
            self.translators = {
                f"{workers} x {threads}": ctranslate2.Translator(
                    folder, compute_type=request["compute"],
                    inter_threads=workers, intra_threads=threads)
                for workers, threads in ways(request)}
        self.run = self.best()

    def translate(self, translator, source, size, use_map=False):
        return translator.translate_batch(
            source, beam_size=self.request["beam"], length_penalty=1,
            max_decoding_length=self.request["longest"], max_batch_size=size,
            batch_type="examples", use_vmap=use_map)

    def best(self):
        maps = [False, True] if "lexicon" in self.request else [False]
        batch = self.request["batch"]
        # So many sentences, or so many hypotheses.
        sizes = sorted({batch, max(1, batch // self.request["beam"])})
        variants = {}
        for name, translator in self.translators.items():
            for size, use in itertools.product(sizes, maps):
                way = f"{name}, batch {size}" + (", a map" if use else "")
                variants[way] = (
                    lambda t=translator, size=size, use=use:
                    self.translate(t, self.source, size, use))
            if batch == 1:
                variants[name + " one by one"] = lambda t=translator: [
                    self.translate(t, [s], 1)[0] for s in self.source]
        if len(variants) == 1:
            return next(iter(variants.values()))
        return fastest(variants)

    def outputs(self):
        return [[int(i) for i in result.hypotheses[0]]
                for result in self.run()]

    def memory(self):
        Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
        self.run()
        return megabytes("VmHWM") - self.before


def answer(request, current):
    if "run" in request:
        return {"seconds": seconds(current.run)}, current
    if "outputs" in request:
        return {"outputs": current.outputs()}, current
    if "memory" in request:
        return {"megabytes": current.memory()}, current
    current = Translations(request)
    return {"ready": f"CTranslate2 {ctranslate2.__version__}"}, current


if __name__ == "__main__":
    serve(answer)
