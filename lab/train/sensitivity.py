"""How much each direction of the vectors of pieces matters to the vectors of texts.

The texts are public: the translations of the messages of Django (BSD), in 16 languages, and English pairs.
"""

import gettext
import gzip
import json
import re
from itertools import islice
from pathlib import Path

import django
import numpy as np

LANGUAGES = "ar de es fr it ja ko nl pl pt ru th tr zh_Hans zh_Hant".split()
PER_LANGUAGE, ENGLISH, LETTERS, BATCH, REPEATS, SEED = 24, 360, 200, 30, 2, 11
FIRST, LAST, SPECIAL = 1, 2, 6
# The share of all directions alike, because the estimate is noisy; chosen by halves of the texts.
EVEN = 0.15


def messages(language):
    """The messages of Django in a language, without what stands for values."""
    found = set()
    for path in Path(django.__file__).parent.glob(f"**/locale/{language}/LC_MESSAGES/django.mo"):
        with path.open("rb") as f:
            catalog = gettext.GNUTranslations(f)._catalog
        found |= {re.sub(r"<[^>]*>|%\(\w+\)s|%[sd]|\{[^}]*\}", "", t) for source, t in catalog.items() if source and isinstance(t, str)}
    return sorted(t for t in found if len(t) > 20)


def translations(rng):
    out = []
    for language in LANGUAGES:
        known = messages(language)
        out += [known[i] for i in rng.choice(len(known), PER_LANGUAGE, replace=False)]
    return out


def english(data):
    with gzip.open(data / "pairs" / "pairs-03.jsonl.gz", "rt") as f:
        pairs = [json.loads(line) for line in islice(f, 3000)]
    return [p[side][:LETTERS] for p in pairs[::10] for side in ("a", "b")][:ENGLISH]


def gradients(network, rows, tokenizer, texts, rng):
    """The mean of g g^T for gradients g of random directions of a text's vector by that of a token, relative to
    the token's length and to 1/sqrt(tokens of the text); its trace is the dimension."""
    lengths = np.linalg.norm(rows, axis=1)
    dim = rows.shape[1]
    total = np.zeros((dim, dim))
    for at in range(0, len(texts), BATCH):
        network.batch([[FIRST, *tokenizer.encode(t), LAST] for t in texts[at:at + BATCH]])
        vectors = network.forward(rows[network.tokens])
        factor = (lengths[network.tokens] * np.sqrt(network.sizes)[network.text])[:, None]
        for _ in range(REPEATS):
            g = network.backward(rng.standard_normal(vectors.shape).astype(np.float32)) * factor
            g = g[network.tokens >= SPECIAL]
            total += g.T @ g
    return total * (dim / np.trace(total))


def metric(network, rows, tokenizer, data):
    """What an error in each direction counts, for translations and English alike."""
    rng = np.random.default_rng(SEED)
    total = sum(gradients(network, rows, tokenizer, texts, rng) for texts in (translations(rng), english(data)))
    return (1 - EVEN) / 2 * total + EVEN * np.eye(len(total))
