"""Aligns words with eflomal on request, so that its runs alternate with ours.

One JSON line in, one out. {"source": FILE, "target": FILE, "threads": N}
prepares a case and answers {"ready": DESCRIPTION}; {"run": true} aligns once, in
both directions, and answers {"seconds": S}. What goes wrong is answered as
{"error": TEXT}.

With arguments SOURCE TARGET FORWARD REVERSE it aligns once and writes the links
of both directions, 0-based, source first.
"""

import os
import sys
import tempfile
import time
from importlib.metadata import version

import eflomal
from serve import serve


def align(source, target, forward, reverse):
    with open(source, encoding="utf-8") as src:
        with open(target, encoding="utf-8") as tgt:
            eflomal.Aligner().align(
                src, tgt, links_filename_fwd=forward, links_filename_rev=reverse)


def seconds(request):
    """Of aligning once, as its command does: files to files."""
    os.environ["OMP_NUM_THREADS"] = str(request["threads"])
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        align(request["source"], request["target"], folder + "/forward",
              folder + "/reverse")
        return time.perf_counter() - start


def answer(request, current):
    if "source" in request:
        return {"ready": f"eflomal {version('eflomal')}"}, request
    return {"seconds": seconds(current)}, current


if __name__ == "__main__":
    if len(sys.argv) == 5:
        align(*sys.argv[1:])
    else:
        serve(answer)
