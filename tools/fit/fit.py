"""Fits the weights of ranker hippo to questions with known answers.

    go -C tools run ./eval --data DIR --signals > builtin.jsonl
    go -C tools run ./eval --data DIR --signals --models minilm-l6-v2 > minilm.jsonl
    python fit.py builtin.jsonl minilm.jsonl

A model's cosines are like no other's, so the weights are those that suit several: the
questions of each file count as sets of their own. Each question is a softmax over what
was looked at closely for it; the loss is the mean over the answers of the negative
logarithm of their share, plus a little of the squares of the weights, which are those of
signals of standard deviation 1. From those weights a second descent raises what is
wanted: the share of the answers among the first ten, made smooth by a logistic function
of how far each is from the tenth of the others, with a tenth of the first loss beside
it. Sets count the same, but for those of COUNTS. The evidence "feedback" depends on the
weights: make the signals again with the new ones, and fit again. Prints recall@10 and
hit@1 by cross-validation (five folds over conversations, over questions where there is
one corpus), with groups of signals left out, and the weights fitted to all in the form of internal/rank/evidence.go.
"""

import json
import re
import sys
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

GO = Path(__file__).parents[2] / "evidence.go"
GROUPS = {
    "words": ["strength"], "meaning": ["cosine", "cosine.best", "feedback"], "feedback": ["feedback"],
    "interaction": ["interaction", "interaction.best", "rare", "lead", "completed", "around", "reply", "before.interaction"],
    "phrases": ["phrase"], "beginning": ["lead"], "shares of the best": ["cosine.best", "interaction.best"],
    "neighbours": ["before.share", "before.cosine", "before.interaction", "after.cosine", "reply", "completed", "around"],
    "session": ["session"], "author": ["named"], "length": ["length"], "questions": ["asks", "reply"], "kind of answer": ["tells.time", "tells.number", "tells.name"], "names": ["tells.name"],
}
UNUSED = {"share"}  # of the first look only
FIRST = {"share": 2, "cosine": 6, "length": 2}  # as in internal/rank/weights.go
# What may speak for or against; all else speaks for.
EITHER = {"length", "asks", "before.share", "before.cosine", "before.interaction", "after.cosine"}
LONGEST = 3  # longer is in [0, 3]
FOLDS, STEPS, DECAY = 5, 80, 1e-3
TOP, SLOPE, LOGS = 10, 0.3, 0.1  # of the second descent
# What is hard to hold beside the others, which otherwise outvote it, counts more.
COUNTS = {"realtalk": 2, "beam/100K": 2, "xquad_sentences": 1.5}


def kinds():
    """The kinds of evidence: names in Go, and in JSON."""
    text = GO.read_text()
    go = re.findall(r"^\t(Evidence\w+)(?: EvidenceKind = iota)?$", text, re.M)
    names = re.search(r"return \[NumEvidence\]string\{(.*?)\n\t\}", text, re.S)[1]
    return dict(zip(re.findall(r'"([^"]+)"', names), go))


KINDS = kinds()
NAMES = list(KINDS)


class Question:
    def __init__(self, line, model=""):
        r = json.loads(line)
        found = r["found"] or []
        self.x = np.array([[h["signals"]["evidence"].get(n, 0) for n in NAMES] for h in found], np.float32).reshape(-1, len(NAMES))
        self.answers = np.array([float(h.get("answers", False)) for h in found], np.float32)
        self.longer, self.relevant, self.set = r["longer"], r["relevant"], r["set"] + model
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
        self.longer = torch.tensor([q.longer for q in questions]).float()
        self.are, self.relevant = answers, torch.tensor([q.relevant for q in questions]).float()
        self.answers = answers / answers.sum(1, keepdim=True).clamp(min=1)
        self.weights = torch.tensor([q.counts / share[q.set] / sum(counts.values()) for q in questions]) * (answers.sum(1) > 0)

    def scores(self, w):
        return self.x @ w[0] + self.longer[:, None] * (self.x @ w[1]) + self.mask

    def logs(self, s):
        return (self.weights * (self.answers * torch.log_softmax(s, 1)).sum(1)).sum()

    def found(self, s):
        """Recall, made smooth."""
        others = s.masked_fill(self.are > 0, -1e9)
        tenth = others.topk(min(TOP, s.shape[1]), 1).values[:, -1:].clamp(min=-30)
        return (self.weights * (torch.sigmoid((s - tenth) / SLOPE) * self.are).sum(1) / self.relevant).sum()


def fit(questions, scale, use=None):
    """Weights, and those for each unit of longer, of the signals to use."""
    on = torch.tensor([[float(n not in UNUSED and (use is None or n in use)) for n in NAMES]] * 2)
    rising = torch.tensor([n not in EITHER for n in NAMES])
    batch, ends = Batch(questions, scale), torch.full((2, len(NAMES)), 0.5, requires_grad=True)

    def weights():
        """Of the weights at both ends of longer; more evidence never counts less."""
        low, high = torch.where(rising, ends**2, ends) * on
        return torch.stack([low, (high - low) / LONGEST])

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
    return q.x @ w[0] + q.longer * (q.x @ w[1])


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
    """The base, and that for each unit of longer, with which the medians of both looks agree."""
    share = defaultdict(int)
    for q in questions:
        share[q.set] += 1
    first = np.array([FIRST.get(n, 0) for n in NAMES])
    rows = np.array([[1, q.longer, np.median(q.x @ first) - np.median(scores(q, w))] for q in questions])
    weights = np.sqrt([1 / share[q.set] for q in questions])[:, None]
    return np.linalg.lstsq(rows[:, :2] * weights, rows[:, 2] * weights[:, 0], rcond=None)[0]


def rounded(w):
    """To three digits, so that more evidence still counts no less at the end of longer."""
    short = np.round(w[0], 3)
    low = np.where([n in EITHER for n in NAMES], -np.inf, np.ceil(-short / LONGEST * 1000 - 1e-9) / 1000)
    return np.stack([short, np.maximum(np.round(w[1], 3), low)])


def literal(function, w):
    rows = "".join(f"\t\thippo.{KINDS[n]}: {v:.3f},\n" for n, v in zip(NAMES, w) if n not in UNUSED)
    return f"func {function}() hippo.Evidence {{\n\treturn hippo.Evidence{{\n{rows}\t}}\n}}\n"


def main():
    questions = []
    for path in sys.argv[1:]:
        with open(path) as lines:
            model = " " + Path(path).stem if len(sys.argv) > 2 else ""
            questions += [q for q in (Question(line, model) for line in lines) if len(q.x)]
    scale = np.concatenate([q.x for q in questions]).std(0) + 1e-6
    print("cross-validated     ", validate(questions, scale), flush=True)
    for name, signals in GROUPS.items():
        print(f"without {name:18}", validate(questions, scale, signals), flush=True)
    w = fit(questions, scale)
    print("fitted to all       ", measure(questions, lambda _: w))
    base, long = level(questions, w)
    print(f"EvidenceBase: {base:.3f}, EvidenceBaseLong: {long:.3f},")
    w = rounded(w)
    print(literal("evidenceWeights", w[0]))
    print(literal("evidenceLong", w[1]))


if __name__ == "__main__":
    main()
