#!/usr/bin/env python3
"""Writes tests/golden/eval/*.json: scores that sacreBLEU gives to perturbed
sentences in several languages and scripts. All sentences are invented. Needs
sacreBLEU (2.6.0 was used); run it by hand when a case is added:

    python3 tests/golden/make_eval.py
"""

import json
import logging
import pathlib
import random

from sacrebleu.metrics import BLEU, CHRF, TER

logging.disable(logging.WARNING)
FOLDER = pathlib.Path(__file__).parent / "eval"

# Each line: a sentence and another way to say it.
SENTENCES = {
    "english": [
        ("The baker's dog sleeps under the old table.",
         "Under the old table sleeps the dog of the baker."),
        ("We paid $4.50 for 3-4 apples, didn't we?",
         "Didn't we pay $4.50 for three or four apples?"),
        ("\"Stop!\" she cried; nobody listened (of course).",
         "She cried \"stop\", but of course nobody listened."),
        ("It rained for 12,500 days and 1.5 nights.",
         "For 12,500 days and one and a half nights it rained."),
        ("The U.S. team - well-known, e.g. for its speed - lost 3-2.",
         "The team of the U.S., known for its speed, lost 3-2."),
        ("Go.", "Leave now."),
        ("A red kite and a blue kite fly above the red roof and the blue roof.",
         "Above the red and the blue roof fly a red and a blue kite."),
    ],
    "german": [
        ("Der Müller-Sohn kaufte gestern 2,5 kg Äpfel.",
         "Gestern kaufte der Sohn des Müllers 2,5 kg Äpfel."),
        ("„Schöne Grüße“, schrieb sie an die Straßenbahnfahrerin.",
         "Sie schrieb der Straßenbahnfahrerin schöne Grüße."),
        ("Im Jahr 1998/99 fuhren wir oft nach Köln-Süd.",
         "Wir fuhren 1998/99 oft nach Köln-Süd."),
        ("Weil es regnete, blieb die ganze Familie zu Hause.",
         "Die ganze Familie blieb zu Hause, weil es regnete."),
        ("ÄRGER IM HAUS: Die Tür geht nicht auf!",
         "Ärger im Haus: Die Tür lässt sich nicht öffnen!"),
        ("Ja.", "Doch."),
    ],
    "french": [
        ("L'été dernier, j'ai vu un phare près de l'île.",
         "J'ai vu un phare près de l'île l'été dernier."),
        ("« Où vas-tu\u00a0? » demanda-t-elle à l'élève.",
         "Elle demanda à l'élève\u202f: où vas-tu\u202f?"),
        ("Le prix est de 1\u202f250,75\u00a0€ environ.",
         "Cela coûte environ 1\u202f250,75\u00a0€."),
        ("Nous n'avons rien mangé depuis ce matin.",
         "Depuis ce matin nous n'avons rien mangé."),
        ("Aujourd'hui, c'est aujourd'hui; demain, c'est demain.",
         "Aujourd'hui est aujourd'hui et demain est demain."),
    ],
    "russian": [
        ("Старый мост через реку давно закрыт.",
         "Давно закрыт старый мост через реку."),
        ("Мы купили 3 кг яблок, 2,5 л молока и хлеб.",
         "Мы купили яблоки (3 кг), молоко (2,5 л) и хлеб."),
        ("«Привет», – сказала СОСЕДКА из дома № 7.",
         "Соседка из дома № 7 сказала: «Привет»."),
        ("Кто-то оставил зонт у двери.", "У двери кто-то оставил зонт."),
    ],
    "greek": [
        ("Ο ΔΡΟΜΟΣ ΕΙΝΑΙ ΜΑΚΡΥΣ, αλλά ωραίος.",
         "Ο δρόμος είναι μακρύς αλλά ωραίος."),
        ("Ο Νίκος πήγε στο χωριό με τους φίλους του.",
         "Με τους φίλους του πήγε ο Νίκος στο χωριό."),
        ("Πού είσαι; Σε περιμένω εδώ.", "Σε περιμένω εδώ, πού είσαι;"),
    ],
    "turkish": [
        ("İstanbul'da IŞIK çok güzel.", "Işık İstanbul'da çok güzel."),
        ("Küçük kız 3,5 saat kitap okudu.",
         "Kitabı 3,5 saat okudu küçük kız."),
        ("Iğdır'ın kayısısı İYİDİR.", "Iğdır'da iyi kayısı var."),
    ],
    "chinese": [
        ("我昨天在河边看见了一只白色的鸟。", "昨天我在河边看到一只白鸟。"),
        ("这本书一共有 320 页,我读了3.5天。",
         "我用3.5天读完了这本有 320 页的书。"),
        ("“你好!”他说。", "他说:“你好。”"),
        ("春天来了,花开了。", "花开了,春天来了。"),
    ],
    "japanese": [
        ("きのう、駅の前で古い友達に会いました。",
         "古い友達に駅の前できのう会った。"),
        ("このカメラは(たぶん)5,000円です。",
         "このカメラはたぶん5,000円だ。"),
        ("雨が降っているので、家にいます。",
         "家にいるのは、雨が降っているからです。"),
    ],
    "korean": [
        ("어제 시장에서 사과 3개와 배 2개를 샀어요.",
         "시장에서 어제 사과 세 개, 배 두 개를 샀습니다."),
        ("바람이 많이 불어서 창문을 닫았다.",
         "창문을 닫았다, 바람이 많이 불어서."),
        ("그 영화는 정말 재미있었다!", "정말 재미있는 영화였다!"),
    ],
    "arabic": [
        ("ذهب الولد إلى السوق مع أمه.", "مع أمه ذهب الولد إلى السوق."),
        ("اشترينا ٣ كتب، وقلمين.", "اشترينا قلمين و٣ كتب."),
        ("هل الباب مفتوح؟ نعم، مفتوح.", "نعم، الباب مفتوح."),
    ],
    "hindi": [
        ("कल हमने नदी के किनारे खाना खाया।",
         "नदी के किनारे हमने कल खाना खाया।"),
        ("उसकी दुकान में 25.50 रुपये की चाय मिलती है।",
         "चाय उसकी दुकान में 25.50 रुपये में मिलती है।"),
        ("क्या तुम आओगे? हाँ, ज़रूर।", "हाँ, मैं ज़रूर आऊँगा।"),
    ],
    "signs": [
        ("&quot;Fish &amp; chips&quot; cost &lt; $5.00, e.g. at A/B.",
         "\"Fish & chips\" cost < $5.00 (A/B)."),
        ("Wait... what?! 1,,2 a.,b 3.,4 x--y 3--4",
         "Wait, what? 1,2 a,b 3,4 x-y 3-4"),
        ("<skipped> 50%-off (1.5) [a_b] {c}~d ^ `e` | f\\g",
         "50 % off: 1.5, a_b, c, d, e, f"),
        ("cafe\u0301 caf\u00e9 \U0001f600\U0001f469\u200d\U0001f680 \u2014 \u201cok\u201d\u2026",
         "café \U0001f600 \u2014 ok\u2026"),
        ("tab\there\u2003wide\u3000space \u00a0end\u2009",
         "tab here wide space end"),
        ("", "nothing"),
        ("-5 2-3 x-y U.S. 5. 6, .7 ,8 9-", "-5 2 - 3 x-y U.S. 5. 6,"),
        ("* # @ user@mail.example http://a.example/b?c=d&e=f +1 -1 ='",
         "user@mail.example http://a.example/b?c=d&e=f"),
    ],
    "long": [
        (" ".join(f"w{i % 7} x{i}" for i in range(40)),
         " ".join(f"x{i} w{i % 5}" for i in range(38))),
        (" ".join("abcdefgh"[i * i % 8] for i in range(60)),
         " ".join("abcdefgh"[i * 3 % 8] for i in range(40))),
        ("a b c d e f g h i j k l m n o p q r s t u v w x y z",
         "n o p q r s t u v w x y z a b c d e f g h i j k l m"),
        (" ".join(f"v{i}" for i in range(90)), "v1 v89 v0"),
    ],
}


def perturb(sentence, rate, rng):
    """A hypothesis: words dropped, doubled, swapped, changed, moved."""
    words = sentence.split(" ")
    out = []
    for word in words:
        draw = rng.random()
        if draw < rate * 0.25:
            continue
        if draw < rate * 0.4:
            out += [word, word]
        elif draw < rate * 0.6 and word:
            at = rng.randrange(len(word))
            out.append(word[:at] + word[at + 1:] + word[at])
        elif draw < rate * 0.75:
            out.append(rng.choice([word.upper(), word.lower(), word[::-1]]))
        elif draw < rate * 0.85:
            out.append(rng.choice(words))
        else:
            out.append(word)
    if len(out) > 3 and rng.random() < 2 * rate:  # move a block
        begin = rng.randrange(len(out) - 1)
        block = out[begin:begin + rng.randint(1, 4)]
        rest = out[:begin] + out[begin + len(block):]
        to = rng.randint(0, len(rest))
        out = rest[:to] + block + rest[to:]
    if rng.random() < rate * 0.2:
        out = out[:len(out) // 2]
    return " ".join(out)


METRICS = {
    "bleu": lambda: BLEU(effective_order=False),
    "bleu none": lambda: BLEU(tokenize="none"),
    "bleu lowercase": lambda: BLEU(lowercase=True),
    "bleu floor": lambda: BLEU(smooth_method="floor"),
    "bleu floor 0.01": lambda: BLEU(smooth_method="floor", smooth_value=0.01),
    "bleu add-k": lambda: BLEU(smooth_method="add-k"),
    "bleu unsmoothed": lambda: BLEU(smooth_method="none"),
    "bleu effective": lambda: BLEU(effective_order=True),
    "chrf": lambda: CHRF(),
    "chrf++": lambda: CHRF(word_order=2),
    "chrf lowercase": lambda: CHRF(lowercase=True),
    "chrf eps": lambda: CHRF(word_order=2, eps_smoothing=True),
    "chrf order 3 beta 1": lambda: CHRF(char_order=3, beta=1),
    "ter": lambda: TER(),
    "ter cased": lambda: TER(case_sensitive=True),
    "ter normalized": lambda: TER(normalized=True),
    "ter no punct": lambda: TER(no_punct=True),
    "ter asian": lambda: TER(normalized=True, no_punct=True,
                             asian_support=True),
}
BY_SENTENCE = ("bleu effective", "chrf", "chrf++", "ter")


def case(hypotheses, references):
    scores = {}
    for name, make in METRICS.items():
        metric = make()
        scores[name] = metric.corpus_score(hypotheses, references).score
    sentences = {}
    for name in BY_SENTENCE:
        metric = METRICS[name]()
        sentences[name] = [
            metric.sentence_score(h, [r[i] for r in references]).score
            for i, h in enumerate(hypotheses)]
    return {"hypotheses": hypotheses, "references": references,
            "scores": scores, "sentences": sentences}


def main():
    FOLDER.mkdir(exist_ok=True)
    for language, lines in SENTENCES.items():
        first, second = map(list, zip(*lines))
        cases = []
        for rate in (0.15, 0.5, 0.9):
            rng = random.Random(f"{language} {rate}")
            hypotheses = [perturb(s, rate, rng) for s in first]
            cases.append(case(hypotheses, [first]))
            cases.append(case(hypotheses, [first, second]))
        cases.append(case(second, [first]))
        cases.append(case(first, [second, first[1:] + first[:1], first]))
        path = FOLDER / f"{language}.json"
        path.write_text(json.dumps({"cases": cases}, ensure_ascii=False,
                                   indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
