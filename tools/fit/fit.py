"""Fits the weights of ranker hippo to questions with known answers.

    hippo eval --data DIR --signals > signals.jsonl
    python fit.py signals.jsonl

Each question is a softmax over what was found for it; the loss is the mean over
the answers of the negative logarithm of their share, every set counting the same, plus a little of
the squares of the weights. Prints recall@10 and hit@1 by cross-validation (five folds
over conversations, over questions where there is one corpus), with each signal left out,
and the weights fitted to all in the form of internal/rank/weights.go.
"""

import json
import math
import sys
import zlib
from collections import defaultdict

import numpy as np
import torch

SIGNALS = {
    "Share": lambda s: s["share"], "Cosine": lambda s: s["cosine"], "Interaction": lambda s: s["interaction"], "Named": lambda s: s["named"],
    "ShareBefore": lambda s: s["before"]["share"], "ShareAfter": lambda s: s["after"]["share"],
    "InteractionBefore": lambda s: s["before"]["interaction"], "InteractionAfter": lambda s: s["after"]["interaction"],
    "Session": lambda s: s["session"], "Length": lambda s: s["length"],
}
GROUPS = {
    "words": ["Share"], "meaning": ["Cosine"], "interaction": ["Interaction", "InteractionBefore", "InteractionAfter"], "author": ["Named"],
    "neighbours": ["ShareBefore", "ShareAfter", "InteractionBefore", "InteractionAfter"], "session": ["Session"], "length": ["Length"],
}
MEAN_LENGTH = 3.0  # where the weights that depend on length have no say
FOLDS, STEPS, DECAY = 5, 40, 1e-3


class Question:
    def __init__(self, line):
        r = json.loads(line)
        found = [h for h in r["found"] if h["signals"]["interaction"] > 0]  # those that were looked at closely
        x = np.array([[f(h["signals"]) for f in SIGNALS.values()] for h in found], np.float32).reshape(-1, len(SIGNALS))
        z = math.log1p(r["mean_length"]) - MEAN_LENGTH
        self.x = torch.from_numpy(np.hstack([x, z * x]))
        self.answers = torch.tensor([float(h.get("answers", False)) for h in found])
        self.relevant, self.set = r["relevant"], r["set"]
        self.fold = zlib.crc32((r["group"] or r["question"]).encode()) % FOLDS


def batch(questions):
    """Pads questions to one tensor: signals, answers, mask, weights."""
    n = max(len(q.x) for q in questions)
    share = defaultdict(int)
    for q in questions:
        share[q.set] += 1
    x = torch.zeros(len(questions), n, 2 * len(SIGNALS))
    answers, mask = torch.zeros(len(questions), n), torch.full((len(questions), n), -1e9)
    for i, q in enumerate(questions):
        x[i, :len(q.x)], answers[i, :len(q.x)], mask[i, :len(q.x)] = q.x, q.answers, 0
    weights = torch.tensor([1 / share[q.set] / len(share) for q in questions])
    return x, answers / answers.sum(1, keepdim=True).clamp(min=1), mask, weights * (answers.sum(1) > 0)


def fit(questions, without=()):
    x, answers, mask, weights = batch(questions)
    use = torch.tensor([0.0 if n in without else 1.0 for n in SIGNALS]).repeat(2)
    w = torch.zeros(2 * len(SIGNALS), requires_grad=True)
    descent = torch.optim.LBFGS([w], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss():
        descent.zero_grad()
        log = torch.log_softmax(x @ (w * use) + mask, 1)
        value = -(weights * (answers * log).sum(1)).sum() + DECAY * (w ** 2).sum()
        value.backward()
        return value

    descent.step(loss)
    return (w * use).detach()


def measure(questions, weights):
    """Recall@10 and hit@1 by set; weights(q) are those to use."""
    out = defaultdict(list)
    for q in questions:
        top = torch.argsort(q.x @ weights(q), descending=True, stable=True)[:10]
        hits = q.answers[top]
        out[q.set].append((hits.sum().item() / q.relevant, hits[:1].sum().item()))
    return "  ".join(f"{s} {np.mean([a for a, _ in v]):.3f} / {np.mean([b for _, b in v]):.3f}" for s, v in out.items())


def validate(questions, without=()):
    folds = [fit([q for q in questions if q.fold != f], without) for f in range(FOLDS)]
    return measure(questions, lambda q: folds[q.fold])


def literal(name, w):
    return f"{name}: Evidence{{\n\t" + ", ".join(f"{n}: {v:.2f}" for n, v in zip(SIGNALS, w.tolist())) + ",\n},"


def main():
    with open(sys.argv[1]) as lines:
        questions = [q for q in map(Question, lines) if len(q.x)]
    print("cross-validated     ", validate(questions), flush=True)
    for name, signals in GROUPS.items():
        print(f"without {name:12}", validate(questions, signals), flush=True)
    w = fit(questions)
    print("fitted to all       ", measure(questions, lambda _: w))
    print(literal("Evidence", w[:len(SIGNALS)]))
    print(literal("EvidenceLong", w[len(SIGNALS):]))


if __name__ == "__main__":
    main()
