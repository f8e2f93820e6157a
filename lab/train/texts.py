"""The texts and pairs that the model learns from, out of a folder of evaluation and training data."""

import gzip
import json
import random
import re
from collections import defaultdict

from everyday import sentences

# Kinds of pairs of which both sides are kept: they read like what people say.
SPOKEN = {"example", "reply", "faq", "synonym", "define", "desc"}
# How many texts of each sort teach sentence vectors.
TALK, WRITTEN, OTHER, LONG, EVERYDAY = 105_000, 150_000, 340_000, 25_000, 160_000
SHORT_CHARS, LONG_CHARS = 330, 900
# The share of the pairs of a kind that teach search; of others, REST.
SHARES = {
    "talk": 1, "code": 1, "symbol": .8, "snippet": 1, "command": .7, "faq": 1, "heading": .35, "define": .35, "synonym": .5,
    "example": 1, "next": .2, "reply": 1, "desc": 1, "commit": .4, "commitnext": .2, "item": .5,
}
REST = .3
HELD_OUT_SHARD = "pairs-07"
HELD_OUT_TALK = 20  # every 20th of them
BREAK = re.compile(r"(?<=[.!?])\s+")


def records(data, held_out):
    """Yields (kind, a, b) of one side of the split."""
    for path in sorted((data / "pairs").glob("pairs-*.jsonl.gz")):
        talk = "talk" in path.name
        if not talk and path.name.startswith(HELD_OUT_SHARD) != held_out:
            continue
        with gzip.open(path, "rt") as lines:
            for n, line in enumerate(lines):
                if talk and (n % HELD_OUT_TALK == 0) != held_out:
                    continue
                r = json.loads(line)
                yield "talk" if talk else r["source"].split("#")[-1], r["a"], r["b"]


def words(text):
    return " ".join(re.findall(r"\w+", text.lower()))


def evaluated(data):
    """The sentences of the evaluation pairs, which must not be learned from."""
    out = set()
    for path in (data / "stsb").glob("*.tsv"):
        for line in path.read_text().splitlines()[1:]:
            out.update(words(s) for s in line.split("\t")[1:3])
    return out


def sides(kind, a, b, rng):
    """Yields (sort, text) of what is taken of a pair."""
    if kind == "talk":
        for side in (a, b):
            yield kind, side
            yield from ((kind, s) for s in BREAK.split(side) if len(s) > 12)
    elif rng.random() < .04:
        yield "long", b
    elif kind in SPOKEN:
        yield from (("written", a), ("written", b))
    else:
        yield "other", rng.choice((a, b))


def teaching(data, held_out, scale, seed):
    """Texts for sentence vectors, shuffled. scale 1 makes all of them."""
    rng, sorts, seen = random.Random(seed), defaultdict(list), evaluated(data)
    for kind, a, b in records(data, held_out):
        for sort, text in sides(kind, a, b, rng):
            text = " ".join(text.split())[:LONG_CHARS if sort == "long" else SHORT_CHARS]
            key = words(text)
            if len(text) >= 4 and key not in seen:
                seen.add(key)
                sorts[sort].append(text)
    out = []
    for sort, count in (("talk", TALK), ("written", WRITTEN), ("other", OTHER), ("long", LONG)):
        out += rng.sample(sorts[sort], min(int(scale * count), len(sorts[sort])))
    if not held_out:
        out += [s for s in sentences(int(scale * EVERYDAY), seed) if words(s) not in seen]
    rng.shuffle(out)
    return out


def pairs(data, scale, seed):
    """Pairs for search: kinds, first sides, second sides."""
    rng = random.Random(seed)
    taken = [(k, a[:500], b[:700]) for k, a, b in records(data, False) if rng.random() < scale * SHARES.get(k, REST)]
    return tuple(zip(*taken))
