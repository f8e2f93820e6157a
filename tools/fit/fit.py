"""Fits the weights of ranker hippo to questions with known answers.

    go -C tools run ./eval --data DIR --features > builtin.jsonl
    go -C tools run ./eval --data DIR --features --models static > static.jsonl
    python fit.py builtin.jsonl static.jsonl

The questions of each file count as sets of their own, so that the weights suit stores whose
vectors are not computed yet, too. The score of a candidate is a sum of its features, whose
weights depend linearly on the context of the question (internal/rank/context.go). Each question
is a softmax over what was reranked for it; the loss is the mean over the answers of the negative
logarithm of their share, plus a little of the squares of the weights, which are those of features
of standard deviation 1. From those weights a second descent raises what is wanted: the share of
the answers among the first ten, made smooth by a logistic function of how far each is from the
tenth of the others, and some of the first loss beside it, which is what puts an answer first.
Sets count the same, but for those of COUNTS.

More of a feature never counts less, whatever the context, but for those of EITHER: the weight of
a rising feature is a sum over the features c of the context of c*A + (1-c)*B, where A and B are
squares. The feature "feedback" depends on the weights: make the features again with the new ones,
and fit again. Prints recall@10 and hit@1 by cross-validation (five folds over conversations, over
questions where there is one corpus), with groups of features left out (--ablate), and writes the
weights fitted to all to internal/rank/fitted.go (--write).
"""

import argparse
import json
import re
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

RANK = Path(__file__).parents[2] / "internal" / "rank"
GROUPS = {
    "words": ["bm25.absolute", "coverage"],
    "vectors": ["cosine", "cosine.relative", "cosine.standard", "feedback"],
    "multilingual": ["multilingual", "multilingual.relative", "multilingual.standard", "foreign.standard"],
    "standard scores": ["cosine.standard", "multilingual.standard"],
    "feedback": ["feedback"],
    "late interaction": ["maxsim", "maxsim.relative", "maxsim.idf", "maxsim.lead", "previous.gain", "window.gain", "reply", "previous.maxsim"],
    "neighbours": ["previous.bm25", "previous.cosine", "previous.maxsim", "next.cosine", "reply", "previous.gain", "window.gain"],
    "session": ["session"], "author": ["names.author"], "length": ["length"], "questions": ["is.question", "reply"],
    "kind of answer": ["has.time", "has.number", "has.name"],
}
UNUSED = {"bm25.relative"}  # of the first stage only
FIRST = {"bm25.relative": 2, "cosine": 6, "multilingual": 4, "length": 2}  # as in internal/rank/weights.go
# What may speak for or against; all else speaks for.
EITHER = {"is.foreign", "length", "is.question", "previous.bm25", "previous.cosine", "previous.maxsim", "next.cosine"}
FOLDS, STEPS, DECAY = 5, 120, 5e-4
TOP, SLOPE, LOGS = 10, 0.3, 0.3  # of the second descent
# What is hard to hold beside the others, which otherwise outvote it, counts more; languages of one
# set and stores without contextual vectors count less.
COUNTS = {"realtalk": 2, "beam/100K": 2, "xquad_sentences": 1.5, "agents/team": 2, "agents/life": 1.5, "agents/world": 2}
FAMILIES = {"xquad_langs": 0.5}
STATIC = 0.4


def names(file, constant):
    """Names in JSON and in Go."""
    text = (RANK / file).read_text()
    block = re.search(rf"^const \((?:(?!^\)).)*?^\t{constant}$", text, re.S | re.M)[0]
    go = re.findall(r"^\t([A-Z]\w+)(?: \w+ = iota)?$", block, re.M)[:-1]
    found = re.findall(r'"([^"]+)"', re.search(rf"\[{constant}\]string\{{(.*?)\}}", text, re.S)[1])
    assert len(go) == len(found), (go, found)
    return dict(zip(found, go))


FEATURES, CONTEXT = names("features.go", "NumFeatures"), names("context.go", "NumContext")
NAMES, CONTEXTS = list(FEATURES), list(CONTEXT)
RISING = np.array([n not in EITHER for n in NAMES])


class Question:
    def __init__(self, line, model=""):
        r = json.loads(line)
        found = r["found"] or []
        self.x = np.array([[h["features"].get(n, 0) for n in NAMES] for h in found], np.float32).reshape(-1, len(NAMES))
        self.answers = np.array([float(h.get("answers", False)) for h in found], np.float32)
        self.context = np.array([(r["context"] or {}).get(n, 0) for n in CONTEXTS], np.float32)
        self.relevant, self.set, self.category = r["relevant"], r["set"] + model, r.get("category", "")
        self.counts = COUNTS.get(r["set"], 1) * FAMILIES.get(r["set"].split("/")[0], 1) * (STATIC if "static" in model else 1)
        self.fold = zlib.crc32((r["group"] + r["question"] * (r["group"] in ("", r["set"], "corpus"))).encode()) % FOLDS


class Batch:
    """Questions padded to arrays."""

    def __init__(self, questions, scale):
        n = max(len(q.x) for q in questions)
        share, counts = defaultdict(int), {}
        for q in questions:
            share[q.set] += 1
            counts[q.set] = q.counts
        self.x = np.zeros((len(questions), n, len(NAMES)), np.float32)
        self.are, self.mask = np.zeros((len(questions), n), np.float32), np.full((len(questions), n), -1e9, np.float32)
        for i, q in enumerate(questions):
            k = len(q.x)
            self.x[i, :k], self.are[i, :k], self.mask[i, :k] = q.x / scale, q.answers, 0
        self.context = np.stack([q.context for q in questions])
        self.relevant = np.array([q.relevant for q in questions], np.float32)
        count = self.are.sum(1)
        self.answers = self.are / np.maximum(count, 1)[:, None]
        self.weights = np.array([q.counts / share[q.set] / sum(counts.values()) for q in questions], np.float32) * (count > 0)

    def scores(self, w):
        each = w[0] + self.context @ w[1:]
        return np.einsum("qnk,qk->qn", self.x, each.astype(np.float32)) + self.mask

    def back(self, g):
        """The gradient of the weights, given that of the scores."""
        each = np.einsum("qn,qnk->qk", g, self.x)
        return np.concatenate([each.sum(0)[None], self.context.T @ each])

    def logs(self, s):
        top = s.max(1, keepdims=True)
        e = np.exp(s - top)
        total = e.sum(1, keepdims=True)
        value = (self.weights * (self.answers * (s - top - np.log(total))).sum(1)).sum()
        has = self.answers.sum(1, keepdims=True)
        return value, self.weights[:, None] * (self.answers - has * e / total)

    def found(self, s):
        """Recall, made smooth."""
        others = np.where(self.are > 0, -1e9, s)
        k = min(TOP, s.shape[1]) - 1
        at = np.argpartition(-others, k, 1)[:, k]
        rows = np.arange(len(s))
        tenth = np.maximum(others[rows, at], -30)
        p = 1 / (1 + np.exp(-np.clip((s - tenth[:, None]) / SLOPE, -60, 60)))
        gain = self.weights[:, None] * self.are / self.relevant[:, None]
        g = gain * p * (1 - p) / SLOPE
        value = (gain * p).sum()
        whole = g.copy()
        whole[rows, at] -= np.where(others[rows, at] > -30, g.sum(1), 0)
        return value, whole


def weights_of(ends, on):
    """The weights, and those by feature of the context, of ends [2, contexts, features]."""
    low, high = ends
    low, high = np.where(RISING, low**2, low) * on, np.where(RISING, high**2, high) * on
    return np.concatenate([low.sum(0)[None], high - low])


def fit(questions, scale, use=None):
    on = np.array([float(n not in UNUSED and (use is None or n in use)) for n in NAMES])
    batch = Batch(questions, scale)
    shape = (2, len(CONTEXTS), len(NAMES))

    def descend(start, gain):
        def step(v):
            ends = v.reshape(shape)
            w = weights_of(ends, on)
            value, gs = gain(batch.scores(w))
            gw = 2 * DECAY * w - batch.back(gs.astype(np.float32))
            low, high = gw[0][None] - gw[1:], gw[1:]
            g = np.stack([low, high]) * on * np.where(RISING, 2 * ends, 1)
            return DECAY * (w**2).sum() - value, g.ravel().astype(np.float64)

        return minimize(step, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x

    def both(s):
        (a, ga), (b, gb) = batch.found(s), batch.logs(s)
        return a + LOGS * b, ga + LOGS * gb

    v = descend(np.full(shape, 0.3).ravel(), batch.logs)
    return weights_of(descend(v, both).reshape(shape), on) / scale


def scores(q, w):
    return q.x @ (w[0] + q.context @ w[1:])


def measure(questions, weights):
    """Recall@10 and hit@1 by set and category; weights(q) are those to use."""
    out = defaultdict(list)
    for q in questions:
        hits = q.answers[np.argsort(-scores(q, weights(q)), kind="stable")[:10]]
        for name in {q.set, f"{q.set} - {q.category}" if q.category and "/" in q.set else q.set}:
            out[name].append((hits.sum() / q.relevant, hits[:1].sum()))
    return {s: (np.mean([a for a, _ in v]), np.mean([b for _, b in v]), len(v)) for s, v in sorted(out.items())}


def show(title, table):
    print(title)
    for s, (recall, hit, n) in table.items():
        print(f"  {s:45} {n:5} {recall:.3f} / {hit:.3f}")
    print(flush=True)


def validate(questions, scale, without=()):
    use = [n for n in NAMES if n not in without]
    folds = [fit([q for q in questions if q.fold != f], scale, use) for f in range(FOLDS)]
    return measure(questions, lambda q: folds[q.fold])


def level(questions, w):
    """The base, and that by feature of the context, with which the medians of both stages agree."""
    share = defaultdict(int)
    for q in questions:
        share[q.set] += 1
    first = np.array([FIRST.get(n, 0) for n in NAMES])
    rows = np.array([[1, *q.context, np.median(q.x @ first) - np.median(scores(q, w))] for q in questions])
    weights = np.sqrt([1 / share[q.set] for q in questions])[:, None]
    x, y = rows[:, :-1] * weights, rows[:, -1] * weights[:, 0]
    return np.linalg.solve(x.T @ x + 1e-2 * np.eye(x.shape[1]), x.T @ y)


def rounded(w):
    """To three digits, so that more of a rising feature still counts no less in any context."""
    w = np.round(w, 3)
    lowest = w[0] + np.minimum(w[1:], 0).sum(0)
    w[0] += np.where(RISING, np.maximum(-lowest, 0), 0)
    return w


def literal(w, indent):
    return "".join(f"{indent}{FEATURES[n]}: {v:.3f},\n" for n, v in zip(NAMES, w) if n not in UNUSED and abs(v) >= 0.0005)


def go(w, base):
    by = "".join(f"\t\t{g}: by{g}(),\n" for g in CONTEXT.values())
    each = "".join(f"\nfunc by{g}() Features {{\n\treturn Features{{\n{literal(w[i + 1], chr(9) * 2)}\t}}\n}}\n" for i, g in enumerate(CONTEXT.values()))
    bases = ", ".join(f"{g}: {base[i + 1]:.3f}" for i, g in enumerate(CONTEXT.values()))
    return f"""package rank

// The weights of the reranker were fitted by tools/fit on the development halves.

// featureWeights are those of [Rerank.Features].
func featureWeights() Features {{
	return Features{{
{literal(w[0], chr(9) * 2)}	}}
}}

// contextWeights are those of [Rerank.By].
func contextWeights() [NumContext]Features {{
	return [NumContext]Features{{
{by}	}}
}}
{each}
// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = {base[0]:.3f}

func baseWeights() Context {{
	return Context{{{bases}}}
}}
"""


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("files", nargs="+")
    flags.add_argument("--ablate", action="store_true")
    flags.add_argument("--validate", action="store_true")
    flags.add_argument("--write", action="store_true")
    o = flags.parse_args()
    questions = []
    for path in o.files:
        with open(path) as lines:
            model = " " + Path(path).stem if len(o.files) > 1 else ""
            questions += [q for q in (Question(line, model) for line in lines) if len(q.x)]
    scale = np.concatenate([q.x for q in questions]).std(0) + 1e-6
    if o.validate or o.ablate:
        show("cross-validated", validate(questions, scale))
    if o.ablate:
        for name, group in GROUPS.items():
            show(f"without {name}", validate(questions, scale, group))
    w = fit(questions, scale)
    show("fitted to all", measure(questions, lambda _: w))
    if o.write:
        (RANK / "fitted.go").write_text(go(rounded(w), level(questions, w)))


if __name__ == "__main__":
    main()
