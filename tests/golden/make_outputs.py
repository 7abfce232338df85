#!/usr/bin/env python3
"""Writes tests/golden/eval/outputs.json: twenty real outputs, which are
translations by the model in the box with different options, and the scores that
sacreBLEU gives them. Sentences and references were written for this file. Needs
sacreBLEU (2.6.0 was used) and the command:

    python3 tests/golden/make_outputs.py build/release/fovea
"""

import json
import pathlib
import subprocess
import sys

from sacrebleu.metrics import BLEU, CHRF, TER

FILE = pathlib.Path(__file__).parent / "eval" / "outputs.json"

PAIRS = [
    ("The old woman buys three red apples at the market.",
     "La vieille dame achète trois pommes rouges au marché."),
    ("We don't know where the children are.",
     "Nous ne savons pas où sont les enfants."),
    ("Is your brother at home today?",
     "Ton frère est-il à la maison aujourd'hui ?"),
    ("He said that he would come at 5:30, but nobody believed him.",
     "Il a dit qu'il viendrait à 17 h 30, mais personne ne l'a cru."),
    ("My sister reads a book in the garden every evening.",
     "Ma sœur lit un livre dans le jardin tous les soirs."),
    ("Why didn't you tell me the truth?",
     "Pourquoi ne m'as-tu pas dit la vérité ?"),
    ("The train to Lyon leaves in ten minutes.",
     "Le train pour Lyon part dans dix minutes."),
    ("I'd like a cup of tea, please.",
     "Je voudrais une tasse de thé, s'il vous plaît."),
    ("They have lived in this small village since 1998.",
     "Ils habitent ce petit village depuis 1998."),
    ("If it rains tomorrow, we'll stay at home.",
     "S'il pleut demain, nous resterons chez nous."),
    ("Her cat is bigger than my dog.",
     "Son chat est plus grand que mon chien."),
    ("Nobody was hurt in the accident.",
     "Personne n'a été blessé dans l'accident."),
    ("Can you help me find my keys?",
     "Peux-tu m'aider à trouver mes clés ?"),
    ("The teacher gave us too much homework.",
     "Le professeur nous a donné trop de devoirs."),
    ("I have never seen such a beautiful house!",
     "Je n'ai jamais vu une aussi belle maison !"),
    ("He works at night and sleeps during the day.",
     "Il travaille la nuit et dort pendant la journée."),
    ("What time does the museum open on Sundays?",
     "À quelle heure le musée ouvre-t-il le dimanche ?"),
    ("The soup is too hot; wait a little.",
     "La soupe est trop chaude ; attends un peu."),
    ("She forgot her umbrella on the bus again.",
     "Elle a encore oublié son parapluie dans le bus."),
    ("There are twelve eggs and a bottle of milk in the fridge.",
     "Il y a douze œufs et une bouteille de lait dans le réfrigérateur."),
    ("Don't open the window, it's cold outside.",
     "N'ouvre pas la fenêtre, il fait froid dehors."),
    ("We were all very tired after the long journey.",
     "Nous étions tous très fatigués après ce long voyage."),
    ("Who painted this picture?", "Qui a peint ce tableau ?"),
    ("Tom asked Mary whether she could swim.",
     "Tom a demandé à Mary si elle savait nager."),
    ("The shop around the corner sells fresh bread.",
     "Le magasin du coin vend du pain frais."),
    ("I'm sorry, I can't hear you.", "Désolé, je ne t'entends pas."),
    ("Thank you.", "Merci."),
    ("The boy who broke the window ran away.",
     "Le garçon qui a cassé la fenêtre s'est enfui."),
    ("My grandfather was a doctor in a hospital near the sea.",
     "Mon grand-père était médecin dans un hôpital près de la mer."),
    ("Yesterday evening we watched an old film and went to bed late.",
     "Hier soir, nous avons regardé un vieux film et nous nous sommes couchés "
     "tard."),
]

# What to translate with, and for lists of the best which of them to take.
SYSTEMS = {
    "greedy": (["--beam-size", "1"], 0),
    "beam 5": (["--beam-size", "5"], 0),
    "beam 12": (["--beam-size", "12"], 0),
    "short ones": (["--length-penalty", "0"], 0),
    "long ones": (["--length-penalty", "3"], 0),
    **{f"rank {rank + 1} of 5": (["--n-best", "5"], rank)
       for rank in range(1, 5)},
    **{f"temperature {heat}, seed {seed}":
       (["--sample", "--temperature", heat, "--seed", seed], 0)
       for heat in ("0.5", "1", "1.2") for seed in ("1", "2", "3")},
    "of ten": (["--sample", "--top-k", "10"], 0),
    "of two": (["--sample", "--top-k", "2", "--temperature", "2"], 0),
}

METRICS = {"bleu": BLEU(), "chrf": CHRF(), "chrf++": CHRF(word_order=2),
           "ter": TER()}


def translated(command, flags, rank):
    """What the model in the box makes of the sentences."""
    source = "".join(english + "\n" for english, _ in PAIRS)
    done = subprocess.run([command, "translate", "--quiet", *flags],
                          input=source, capture_output=True, text=True,
                          check=True)
    lines = done.stdout.split("\n")[:-1]
    each = len(lines) // len(PAIRS)
    # Of several for a sentence, a line has number, text and scores.
    return [line.split(" ||| ")[min(1, line.count(" ||| "))]
            for line in lines[rank::each]]


def main():
    references = [[french for _, french in PAIRS]]
    cases = []
    for name, (flags, rank) in SYSTEMS.items():
        output = translated(sys.argv[1], flags, rank)
        assert len(output) == len(PAIRS), name
        cases.append({
            "name": name,
            "hypotheses": output,
            "references": references,
            "scores": {m: metric.corpus_score(output, references).score
                       for m, metric in METRICS.items()},
            "sentences": {}})
    assert len(cases) == 20, len(cases)
    FILE.write_text(json.dumps({"cases": cases}, ensure_ascii=False, indent=1)
                    + "\n")


if __name__ == "__main__":
    main()
