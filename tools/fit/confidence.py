"""Fits the confidence of ranker hippo to questions asked of the right store and of another.

    go -C tools run ./eval --data DIR --abstention --features > semantic.jsonl
    go -C tools run ./eval --data DIR --abstention --features --models none > lexical.jsonl
    python confidence.py semantic.jsonl lexical.jsonl

Logistic regression of "the store is the right one", right and wrong counting half each and every
set the same, with a little of the squares of the weights. Prints, per set, the AUROC
by cross-validation (five folds over conversations, over questions where there is one corpus) and
with the set left out; then the weights fitted to all in the form of internal/rank/weights.go, and how many
answers each threshold would mark as weak.
"""

import json
import math
import sys
import zlib
from collections import defaultdict

import numpy as np

SCALE, MIN_TEXT = 5.0, -5.0  # rank.Rerank.Scale, minText in internal/rank/confidence.go
NAMES = ["Base", "Text", "Coverage", "Covered", "Lead", "UnknownNames"]
SIGNS = np.array([0, 1, 1, 1, 1, -1])  # what speaks for an answer must not speak against it
FOLDS, DECAY, STEPS = 5, 1e-4, 50
THRESHOLDS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4]
# What a group of questions weighs, and its least size. Unanswerable questions of all sets are one group for each size of store.
SHARES, FEWEST = {"whole": 1.0, "nameless": 0.25, "small": 0.25, "unanswerable": 1.0}, 40


def text_sum(text):
    u = -SCALE * math.log1p(-min(text, 1 - 1e-9))
    return MIN_TEXT if u <= 0 else max(MIN_TEXT, u + math.log(-math.expm1(-u)))


NOTHING = {"text": 0, "coverage": 0, "covered": 0, "lead": 0, "unknown_names": 0, "terms": 0, "memories": 0, "semantic": 0}


def features(s):
    text = text_sum(s["text"]) if s["semantic"] else 0.0  # lexical scores alone do not carry over to other stores
    return [1.0, text, s["coverage"], s["covered"], s["lead"], s["unknown_names"]]


class Trials:
    def __init__(self, lines):
        rows = [r for r in map(json.loads, lines) if r.get("category") != "abstention"]  # of BEAM, kept for judging the outcome
        for r in rows:
            r["support"] = r["support"] or NOTHING  # nothing matched
        self.rows = rows
        self.x = np.array([features(r["support"]) for r in rows])
        self.y = np.array([float(r["right"]) for r in rows])
        self.none = np.array([r["support"]["terms"] == 0 or r["confidence"] == 0 for r in rows])  # nothing matched
        self.set = np.array([r["set"] for r in rows])
        self.fold = np.array([zlib.crc32((r["group"] or r["question"]).encode()) % FOLDS for r in rows])
        self.recall = np.array([r["recall"] for r in rows])
        self.safe = np.array([r["support"]["coverage"] >= 1 or r["support"]["terms"] < 2 for r in rows])
        groups = defaultdict(list)
        for i, r in enumerate(rows):
            set_ = "all" if r["kind"] == "unanswerable" else r["set"]
            groups[set_, r["kind"], r.get("size", 0), r["right"]].append(i)
        self.groups = {k: np.array(v) for k, v in groups.items()}
        self.weight = np.zeros(len(rows))
        for k, v in self.groups.items():
            self.weight[v] = SHARES[k[1]] * (len(v) >= FEWEST) / len(v)
        self.weight /= self.weight.sum()


def fit(t, use):
    """Minimises the weighted logistic loss; a weight that would have the wrong sign is 0."""
    use = use & ~t.none
    x, y, w = t.x[use], t.y[use], t.weight[use]
    active = x.std(0) > 0
    active[0] = True
    while True:
        b = newton(x, y, w, active)
        wrong = active & (b * SIGNS < 0)
        if not wrong.any():
            return b
        active[np.argmin(np.where(wrong, b * SIGNS, 0))] = False


def newton(x, y, w, active):
    b = np.zeros(x.shape[1])
    decay = DECAY * np.diag([0.0] + [1.0] * (x.shape[1] - 1))
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ b))
        gradient = x.T @ (w * (p - y)) + decay @ b
        hessian = (x * (w * p * (1 - p))[:, None]).T @ x + decay
        b[active] -= np.linalg.solve(hessian[np.ix_(active, active)], gradient[active])
    return b


def confidence(t, b):
    return np.where(t.none, 0, 1 / (1 + np.exp(-t.x @ b)))


def auroc(right, wrong):
    both = np.sort(wrong)
    return float((np.searchsorted(both, right, "left") + np.searchsorted(both, right, "right")).mean() / 2 / len(both))


def table(t, cross, left):
    for set_, kind, size, right in sorted(t.groups):
        if not right:
            continue
        r, w = t.groups[set_, kind, size, True], t.groups[set_, kind, size, False]
        print(f"{set_:16} {kind:9} {size or '':4} cross-validated {auroc(cross[r], cross[w]):.3f}  set left out {auroc(left[r], left[w]):.3f}")


def thresholds(t, p):
    """Per set, in whole stores: right ones not marked, recall@10 of right ones that are, wrong ones that are."""
    for limit in THRESHOLDS:
        back = (p < limit) & ~t.safe
        out = []
        for set_, kind, size, right in sorted(t.groups):
            if right and kind == "whole":
                r, w = t.groups[set_, kind, size, True], t.groups[set_, kind, size, False]
                out.append(f"{set_} {1 - back[r].mean():.3f} -{(back[r] * t.recall[r]).mean():.4f} {(back[w] | t.none[w]).mean():.2f}")
            if kind == "unanswerable" and not size:
                w = t.groups[set_, kind, size, right]
                out.append(f"unanswerable {(back[w] | t.none[w]).mean():.2f}")
        print(f"below {limit:.2f}: " + "  ".join(out))


def main():
    for path in sys.argv[1:]:
        with open(path) as lines:
            t = Trials(lines)
        cross, left = np.zeros(len(t.y)), np.zeros(len(t.y))
        for f in range(FOLDS):
            test = t.fold == f
            cross[test] = confidence(t, fit(t, ~test))[test]
        for s in set(t.set):
            test = t.set == s
            left[test] = confidence(t, fit(t, ~test))[test]
        print(path)
        table(t, cross, left)
        b = fit(t, np.ones(len(t.y), bool))
        print("Logistic{" + ", ".join(f"{n}: {v:.2f}" for n, v in zip(NAMES, b)) + "}")
        print("cross-validated: right ones not marked, recall@10 of right ones that are, wrong ones that are")
        thresholds(t, cross)
        print("set left out:")
        thresholds(t, left)


if __name__ == "__main__":
    main()
