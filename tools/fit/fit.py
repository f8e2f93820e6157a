"""Fits the weights of ranker hippo to questions with known answers.

    go -C tools run ./eval --data DIR --features > builtin.jsonl
    go -C tools run ./eval --data DIR --features --models minilm-l6-v2 > minilm.jsonl
    python fit.py builtin.jsonl minilm.jsonl

A model's cosines are like no other's, so the weights are those that suit several: the
questions of each file count as sets of their own. Each question is a softmax over what
was reranked for it; the loss is the mean over the answers of the negative
logarithm of their share, plus a little of the squares of the weights, which are those of
features of standard deviation 1. From those weights a second descent raises what is
wanted: the share of the answers among the first ten, made smooth by a logistic function
of how far each is from the tenth of the others, with a tenth of the first loss beside
it. Sets count the same, but for those of COUNTS. The feature "feedback" depends on the
weights: make the features again with the new ones, and fit again. Prints recall@10 and
hit@1 by cross-validation (five folds over conversations, over questions where there is
one corpus), with groups of features left out, and the weights fitted to all in the form of
internal/rank/features.go.
"""

import json
import re
import sys
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

GO = Path(__file__).parents[2] / "internal" / "rank" / "features.go"
GROUPS = {
    "words": ["bm25.absolute"], "vectors": ["cosine", "cosine.relative", "feedback"], "feedback": ["feedback"],
    "late interaction": ["maxsim", "maxsim.relative", "maxsim.idf", "maxsim.lead", "previous.gain", "window.gain", "reply", "previous.maxsim"],
    "bigrams": ["bigram"], "lead": ["maxsim.lead"], "shares of the best": ["cosine.relative", "maxsim.relative"],
    "neighbours": ["previous.bm25", "previous.cosine", "previous.maxsim", "next.cosine", "reply", "previous.gain", "window.gain"],
    "session": ["session"], "author": ["names.author"], "length": ["length"], "questions": ["is.question", "reply"],
    "kind of answer": ["has.time", "has.number", "has.name"], "names": ["has.name"],
}
UNUSED = {"bm25.relative"}  # of the first stage only
FIRST = {"bm25.relative": 2, "cosine": 6, "length": 2}  # as in internal/rank/weights.go
# What may speak for or against; all else speaks for.
EITHER = {"length", "is.question", "previous.bm25", "previous.cosine", "previous.maxsim", "next.cosine"}
MEAN_LENGTH = 3  # length_offset is in [0, 3]
FOLDS, STEPS, DECAY = 5, 80, 1e-3
TOP, SLOPE, LOGS = 10, 0.3, 0.1  # of the second descent
# What is hard to hold beside the others, which otherwise outvote it, counts more.
COUNTS = {"realtalk": 2, "beam/100K": 2, "xquad_sentences": 1.5}


def names():
    """The features: names in JSON and in Go."""
    text = GO.read_text()
    block = re.search(r"^const \((.*?)NumFeatures$", text, re.S | re.M)[1]
    go = re.findall(r"^\t([A-Z]\w+)(?: Feature = iota)?$", block, re.M)
    json_names = re.findall(r'"([^"]+)"', re.search(r"return \[NumFeatures\]string\{(.*?)\n\t\}", text, re.S)[1])
    assert len(go) == len(json_names)
    return dict(zip(json_names, go))


GO_NAMES = names()
NAMES = list(GO_NAMES)


class Question:
    def __init__(self, line, model=""):
        r = json.loads(line)
        found = r["found"] or []
        self.x = np.array([[h["features"].get(n, 0) for n in NAMES] for h in found], np.float32).reshape(-1, len(NAMES))
        self.answers = np.array([float(h.get("answers", False)) for h in found], np.float32)
        self.offset, self.relevant, self.set = r["length_offset"], r["relevant"], r["set"] + model
        self.counts = COUNTS.get(r["set"], 1)
        self.fold = zlib.crc32((r["group"] or r["question"]).encode()) % FOLDS


class Batch:
    """Questions padded to tensors."""

    def __init__(self, questions, scale):
        n = max(len(q.x) for q in questions)
        share, counts = defaultdict(int), {}
        for q in questions:
            share[q.set] += 1
            counts[q.set] = q.counts
        self.x = torch.zeros(len(questions), n, len(NAMES))
        answers, self.mask = torch.zeros(len(questions), n), torch.full((len(questions), n), -1e9)
        for i, q in enumerate(questions):
            k = len(q.x)
            self.x[i, :k], answers[i, :k], self.mask[i, :k] = torch.from_numpy(q.x / scale), torch.from_numpy(q.answers), 0
        self.offset = torch.tensor([q.offset for q in questions]).float()
        self.are, self.relevant = answers, torch.tensor([q.relevant for q in questions]).float()
        self.answers = answers / answers.sum(1, keepdim=True).clamp(min=1)
        self.weights = torch.tensor([q.counts / share[q.set] / sum(counts.values()) for q in questions]) * (answers.sum(1) > 0)

    def scores(self, w):
        return self.x @ w[0] + self.offset[:, None] * (self.x @ w[1]) + self.mask

    def logs(self, s):
        return (self.weights * (self.answers * torch.log_softmax(s, 1)).sum(1)).sum()

    def found(self, s):
        """Recall, made smooth."""
        others = s.masked_fill(self.are > 0, -1e9)
        tenth = others.topk(min(TOP, s.shape[1]), 1).values[:, -1:].clamp(min=-30)
        return (self.weights * (torch.sigmoid((s - tenth) / SLOPE) * self.are).sum(1) / self.relevant).sum()


def fit(questions, scale, use=None):
    """Weights, and those for each unit of length_offset, of the features to use."""
    on = torch.tensor([[float(n not in UNUSED and (use is None or n in use)) for n in NAMES]] * 2)
    rising = torch.tensor([n not in EITHER for n in NAMES])
    batch, ends = Batch(questions, scale), torch.full((2, len(NAMES)), 0.5, requires_grad=True)

    def weights():
        """Of the weights at both ends of length_offset; more of a feature never counts less."""
        low, high = torch.where(rising, ends**2, ends) * on
        return torch.stack([low, (high - low) / MEAN_LENGTH])

    def descend(gain):
        descent = torch.optim.LBFGS([ends], max_iter=STEPS, line_search_fn="strong_wolfe")

        def step():
            descent.zero_grad()
            w = weights()
            value = DECAY * (w**2).sum() - gain(batch.scores(w))
            value.backward()
            return value

        descent.step(step)

    descend(batch.logs)
    descend(lambda s: batch.found(s) + LOGS * batch.logs(s))
    return weights().detach().numpy() / scale


def scores(q, w):
    return q.x @ w[0] + q.offset * (q.x @ w[1])


def measure(questions, weights):
    """Recall@10 and hit@1 by set; weights(q) are those to use."""
    out = defaultdict(list)
    for q in questions:
        hits = q.answers[np.argsort(-scores(q, weights(q)), kind="stable")[:10]]
        out[q.set].append((hits.sum() / q.relevant, hits[:1].sum()))
    return "  ".join(f"{s} {np.mean([a for a, _ in v]):.3f} / {np.mean([b for _, b in v]):.3f}" for s, v in sorted(out.items()))


def validate(questions, scale, without=()):
    use = [n for n in NAMES if n not in without]
    folds = [fit([q for q in questions if q.fold != f], scale, use) for f in range(FOLDS)]
    return measure(questions, lambda q: folds[q.fold])


def level(questions, w):
    """The base, and that for each unit of length_offset, with which the medians of both stages agree."""
    share = defaultdict(int)
    for q in questions:
        share[q.set] += 1
    first = np.array([FIRST.get(n, 0) for n in NAMES])
    rows = np.array([[1, q.offset, np.median(q.x @ first) - np.median(scores(q, w))] for q in questions])
    weights = np.sqrt([1 / share[q.set] for q in questions])[:, None]
    return np.linalg.lstsq(rows[:, :2] * weights, rows[:, 2] * weights[:, 0], rcond=None)[0]


def rounded(w):
    """To three digits, so that more of a feature still counts no less at the end of length_offset."""
    short = np.round(w[0], 3)
    low = np.where([n in EITHER for n in NAMES], -np.inf, np.ceil(-short / MEAN_LENGTH * 1000 - 1e-9) / 1000)
    return np.stack([short, np.maximum(np.round(w[1], 3), low)])


def literal(function, w):
    rows = "".join(f"\t\t{GO_NAMES[n]}: {v:.3f},\n" for n, v in zip(NAMES, w) if n not in UNUSED)
    return f"func {function}() Features {{\n\treturn Features{{\n{rows}\t}}\n}}\n"


def main():
    questions = []
    for path in sys.argv[1:]:
        with open(path) as lines:
            model = " " + Path(path).stem if len(sys.argv) > 2 else ""
            questions += [q for q in (Question(line, model) for line in lines) if len(q.x)]
    scale = np.concatenate([q.x for q in questions]).std(0) + 1e-6
    print("cross-validated     ", validate(questions, scale), flush=True)
    for name, group in GROUPS.items():
        print(f"without {name:18}", validate(questions, scale, group), flush=True)
    w = fit(questions, scale)
    print("fitted to all       ", measure(questions, lambda _: w))
    base, long = level(questions, w)
    print(f"Base: {base:.3f}, BaseByLength: {long:.3f},")
    w = rounded(w)
    print(literal("featureWeights", w[0]))
    print(literal("lengthWeights", w[1]))


if __name__ == "__main__":
    main()
