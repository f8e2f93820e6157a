"""Trains the table for source code: see models/README.md.

    python code_table.py --data DIR --builtin models/builtin.bin --out models/code.bin --work DIR

It downloads the packages of code_packages.txt (2 GB) with pip and go. DIR has the evaluation sets,
of which nothing is learned: their questions and functions are left out of what the packages have.
"""

import argparse
import json
import re
import struct
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

import functions
import pack

NAME, SPACE, DIMENSION, SEED = "code@1", "code", 176, 1
SETS = ("agents/code_go", "agents/code_py", "cosqa_dev")
EVERY = 2  # one of two functions is learned from
EPOCHS, BATCH, BLOCK, RATE, TEMPERATURE = 7, 1024, 32, 0.01, 0.05
# Shares of the steps in which the question is the name of the function, and in which it is the
# sentence and the code lacks the name; and of the tokens that are left out.
NAMES, MASKED, DROPPED = 0.25, 0.3, 0.1
QUESTION, CODE = 64, 512  # tokens
LINE, COMMON = 12, 8  # characters of a distinctive line; functions that may have it
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|_+")


class Builtin:
    """The vocabulary and the rows of the built-in table, and its tokenizer."""

    def __init__(self, path):
        b = path.read_bytes()
        n, = struct.unpack_from("<I", b, 12)
        h, at = json.loads(b[20:20 + n]), 20 + n

        def section(size):
            nonlocal at
            at += -at % pack.ALIGN
            at += size
            return b[at - size:at]

        section(2 * h["slots"])
        ends, texts = np.frombuffer(section(4 * h["pieces"]), "<u4"), section(h["texts"])
        scales = (np.frombuffer(section(2 * h["pieces"]), "<u2").astype(np.uint32) << 16).view(np.float32)
        section(2 * h["pieces"])
        self.rows = np.frombuffer(section(h["pieces"] * h["dimension"]), np.int8).reshape(h["pieces"], -1) * scales[:, None]
        self.pieces = [texts[a:e].decode() for a, e in zip([0, *ends[:-1]], ends)]
        unknown = {p: i for i, p in enumerate([*self.pieces, "[UNK]"])}
        self.tokenizer = Tokenizer(models.WordPiece(unknown, unk_token="[UNK]"))
        self.tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        self.tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()

    def bags(self, texts, limit):
        """A row for each text: a token that it has n times counts log2(1 + n)."""
        ids = [np.array(e.ids[:limit]) for e in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        ids = [i[i < len(self.pieces)] for i in ids]
        ends = np.cumsum([0, *map(len, ids)])
        out = sp.csr_matrix((np.ones(ends[-1], np.float32), np.concatenate(ids), ends), (len(texts), len(self.pieces)))
        out.sum_duplicates()
        out.data = np.log2(1 + out.data)
        return out


def words(text):
    """The words of a text, as the reranker splits it."""
    return " ".join(re.findall(r"[^\W_]+", text))


def lines(code):
    return {s for s in map(str.strip, code.splitlines()) if len(s) >= LINE}


def unseen(rows, data):
    """Leaves out what the evaluation sets ask or have: functions of equal or of half the lines."""
    at, sizes, asked = defaultdict(list), [], set()
    for s in SETS:
        read = lambda f: [json.loads(x)["text"] for x in (data / s / f).read_text().splitlines()]
        asked |= {words(q).lower() for q in read("queries.jsonl")}
        for d in read("corpus.jsonl"):
            own = lines(re.sub(r'"""[\s\S]*?"""', "", d))
            for x in own:
                at[x].append(len(sizes))
            sizes.append(len(own))
    at = {x: l for x, l in at.items() if len(l) <= COMMON}
    known = set()
    for row in rows:
        _, _, sentence, code = row
        own = lines(code)
        shared = Counter(e for x in own & at.keys() for e in at[x])
        key = words(sentence).lower(), words(code).lower()
        copied = any(n >= sizes[e] / 2 or n >= len(own) / 2 for e, n in shared.items())
        if key[0] not in asked and key not in known and not copied:
            known.add(key)
            yield row


def beginning(rows, questions, codes):
    """The main components of the built-in table, each row times how rare its token is."""
    counts = np.asarray(questions.sum(0) + codes.sum(0)).ravel() + 1
    share = np.sqrt(counts / counts.sum())[:, None]
    _, _, basis = np.linalg.svd((rows * share)[np.argsort(-counts)[:12_000]], full_matrices=False)
    have = sum(np.asarray((x > 0).sum(0)).ravel() for x in (questions, codes)) + 5
    idf = np.log(questions.shape[0] / have).clip(0.3)[:, None]
    table = rows @ basis[:DIMENSION].T * idf / idf.mean()
    return (table / np.linalg.norm(table, axis=1).mean()).astype(np.float32)


class Table:
    """Rows that are learned by Adam, with one second moment for each row."""

    def __init__(self, rows):
        self.rows, self.first, self.second, self.steps = rows, np.zeros_like(rows), np.zeros((len(rows), 1), np.float32), 0

    def vectors(self, bags):
        v = bags @ self.rows
        length = np.linalg.norm(v, axis=1, keepdims=True) + 1e-6
        return v / length, length

    def step(self, bags, gradient, rate):
        self.steps += 1
        at = np.unique(bags.indices)
        g = bags.T.tocsr()[at] @ gradient
        self.first[at] = 0.9 * self.first[at] + 0.1 * g
        self.second[at] = 0.99 * self.second[at] + 0.01 * (g * g).mean(1, keepdims=True)
        self.rows[at] -= rate * self.first[at] / (np.sqrt(self.second[at] / (1 - 0.99**self.steps)) + 1e-7)


def softmax(s, axis):
    e = np.exp(s - s.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def contrast(table, questions, codes, equal, rate):
    """A step that makes each question similar to its own code among those of the batch (InfoNCE)."""
    (u, lu), (d, ld) = table.vectors(questions), table.vectors(codes)
    s = u @ d.T / TEMPERATURE
    s[equal] = -30
    both = softmax(s, 1), softmax(s, 0)
    loss = -np.log(np.diag(both[0]) + 1e-9).mean()
    g = (sum(both) - 2 * np.eye(len(s), dtype=np.float32)) / (2 * len(s) * TEMPERATURE)
    g[equal] = 0
    gu, gd = g @ d, g.T @ u
    gu, gd = (gu - u * (gu * u).sum(1, keepdims=True)) / lu, (gd - d * (gd * d).sum(1, keepdims=True)) / ld
    table.step(sp.vstack([questions, codes], format="csr"), np.vstack([gu, gd]).astype(np.float32), rate)
    return loss


def blocks(files, draw):
    """The numbers of functions in blocks of neighbours of one file, which are hard to tell apart."""
    order = np.argsort(files + draw.random(len(files)) * 0.99)
    cut = [order[i:i + BLOCK] for i in range(draw.integers(BLOCK), len(order), BLOCK)]
    draw.shuffle(cut)
    return np.concatenate(cut)


def train(builtin, rows):
    files, names, sentences, codes = zip(*rows)
    masked = [re.sub(rf"\b{re.escape(n)}\b", "f", c) for n, c in zip(names, codes)]
    q, c = builtin.bags([words(s) for s in sentences], QUESTION), builtin.bags(codes, CODE)
    n, m = builtin.bags([words(CAMEL.sub(" ", s)) for s in names], QUESTION), builtin.bags(masked, CODE)
    files, same = (np.unique(x, return_inverse=True)[1] for x in (files, [words(s).lower() for s in sentences]))
    draw, table = np.random.default_rng(SEED), Table(beginning(builtin.rows, q, c))
    steps, order, losses = EPOCHS * len(rows) // BATCH, [], []

    def dropped(bags):
        bags = bags.copy()
        bags.data *= draw.random(len(bags.data)) > DROPPED
        return bags

    for step in range(steps):
        if len(order) < BATCH:
            order = blocks(files, draw)
        b, order = order[:BATCH], order[BATCH:]
        x = draw.random()
        asked, code = (n, m) if x < NAMES else (q, m) if x < NAMES + MASKED else (q, c)
        equal = same[b][:, None] == same[b][None]
        np.fill_diagonal(equal, False)
        rate = RATE * min(1, (step + 1) / 100) * max(0.02, 1 - step / steps)
        losses.append(contrast(table, dropped(asked[b]), dropped(code[b]), equal, rate))
        if step % 100 == 99:
            print(f"step {step + 1} of {steps}, loss {np.mean(losses[-100:]):.3f}", flush=True)
    return table.rows


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--data", "--builtin", "--out", "--work"):
        p.add_argument(name, type=Path, required=True)
    o = p.parse_args()
    packages = (Path(__file__).parent / "code_packages.txt").read_text().split()
    archives = functions.download(packages, o.work)
    every = [r for i, r in enumerate(x for a in archives for x in functions.functions(a)) if i % EVERY == 0]
    rows = list(unseen(every, o.data))
    print(f"{len(rows)} functions", flush=True)
    builtin = Builtin(o.builtin)
    pack.save(o.out, NAME, SPACE, [s.encode() for s in builtin.pieces], train(builtin, rows), np.ones(len(builtin.pieces)))


if __name__ == "__main__":
    main()
