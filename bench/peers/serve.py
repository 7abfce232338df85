"""What the peers of the bench have in common: one JSON line in, one out."""

import json
import sys


def serve(answer):
    """Answers each request by answer(request, current), which gives the reply
    and the case that is current after it."""
    current = None
    for line in sys.stdin:
        try:
            reply, current = answer(json.loads(line), current)
        except Exception as error:  # whatever it is, the other side must know
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)
