"""Fits the weights of ranker hippo to questions with known answers.

    tools/fit/features.sh DATA OUT        (the features of the questions of all sets, in minutes)
    python fit.py OUT/*.jsonl

The score of a candidate is a sum of its features. Its weights are a mixture of experts: sets of
weights, mixed by a softmax of the context of the question (internal/rank/context.go). Each question
is a softmax over what was reranked for it; the loss is the mean over the answers of the negative
logarithm of their share, plus a little of the squares of the weights, which are those of features
of standard deviation 1. From those weights a second descent raises what is wanted: the share of
the answers among the first ten, made smooth by a logistic function of how far each is from the
tenth of the others, and some of the first loss beside it, which is what puts an answer first.
Sets count the same, but for those of COUNTS and CATEGORIES.

More of a feature never counts less, whatever the context, but for those of EITHER: the weights of
rising features are squares. The feature "feedback" depends on the weights: make the features again
with the new ones, and fit again. Prints recall@10 and hit@1 by cross-validation (five folds over
conversations, over questions where there is one corpus), with groups of features left out
(--ablate), and writes the weights fitted to all to internal/rank/fitted.go (--write).
"""

import argparse
import json
import re
import subprocess
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

RANK = Path(__file__).parents[2] / "internal" / "rank"
GROUPS = {
    "words": ["bm25.absolute", "coverage", "foreign.coverage"],
    "vectors": ["cosine", "cosine.relative", "cosine.standard", "feedback"],
    "multilingual": ["multilingual", "multilingual.relative", "multilingual.standard", "foreign.standard"],
    "standard scores": ["cosine.standard", "multilingual.standard"],
    "feedback": ["feedback"],
    "late interaction": ["maxsim", "maxsim.relative", "maxsim.idf", "maxsim.lead", "previous.gain", "window.gain", "reply", "previous.maxsim"],
    "code": ["code", "code.relative", "is.code"],
    "neighbours": ["previous.bm25", "previous.cosine", "previous.maxsim", "next.cosine", "reply", "previous.gain", "window.gain"],
    "versions": ["current", "former"], "session": ["session"], "author": ["names.author"], "length": ["length"], "questions": ["is.question", "reply"],
    "kind of answer": ["has.time", "has.number", "has.name"],
}
UNUSED = {"bm25.relative"}  # of the first stage only
FIRST = {"bm25.relative": 2, "cosine": 6, "multilingual": 4, "length": 2}  # as in internal/rank/weights.go
# What may speak for or against; all else speaks for.
EITHER = {"is.foreign", "is.code", "length", "is.question", "previous.bm25", "previous.cosine", "previous.maxsim", "next.cosine"}
FOLDS, STEPS = 5, 250
SEED = 2  # of the first weights: the best of four
DECAY, GATE_DECAY = 1e-4, 1e-4
TOP, SLOPE, LOGS = 10, 0.3, 0.6  # of the second descent
# What is hard to hold beside the others, which otherwise outvote it, counts more; languages of one
# set, small stores of a set that is there whole, and stores without contextual vectors count less.
COUNTS = {
    "realtalk": 2.5, "locomo": 1.5, "agents/code_py": 1.5, "beam/100K": 2.5, "xquad_sentences": 6, "agents/team": 2, "agents/life": 1.5, "agents/world": 2,
    "agents/lessons": 4, "agents/facts": 3, "agents/exact": 2, "agents/manpages": 2, "agents/code_go": 1.3, "joined": 2, "short_among": 0.7,
}
FAMILIES = {"xquad_langs": 0.8, "small": 0.5, "bare": 0.7}
CATEGORIES = {"now": 2, "paraphrase": 3, "cross": 3, "to-en": 3, "cross-en": 2, "asked": 2}
STATIC = 0.3


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
EXPERTS = int(re.search(r"NumExperts = (\d+)", (RANK / "weights.go").read_text())[1])
RISING = np.array([n not in EITHER for n in NAMES])


class Question:
    def __init__(self, line, file):
        r = json.loads(line)
        found = r["found"] or []
        self.x = np.array([[h["features"].get(n, 0) for n in NAMES] for h in found], np.float32).reshape(-1, len(NAMES))
        self.answers = np.array([float(h.get("answers", False)) for h in found], np.float32)
        self.context = np.array([(r["context"] or {}).get(n, 0) for n in CONTEXTS], np.float32)
        self.relevant, self.category = r["relevant"], r.get("category", "")
        self.set = r["set"] if file == "builtin" else f"{file}/{r['set']}" if file != r["set"] else file
        family = FAMILIES.get(self.set.split("/")[0], 1) * (STATIC if file == "static" else 1)
        self.counts = COUNTS.get(r["set"] if file == "static" else self.set, 1) * family
        self.category_counts = CATEGORIES.get(self.category.split("/")[-1], 1)
        conversation = r["group"] not in ("", r["set"], "corpus") and file in ("builtin", "static")
        self.fold = zlib.crc32((r["group"] if conversation else r["question"]).encode()) % FOLDS


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
        each = [q.counts * q.category_counts / share[q.set] / sum(counts.values()) for q in questions]
        self.weights = np.array(each, np.float32) * (count > 0)

    def scores(self, weights):
        return np.einsum("qnk,qk->qn", self.x, weights.astype(np.float32)) + self.mask

    def back(self, g):
        """The gradient of the weights of each question, given that of the scores."""
        return np.einsum("qn,qnk->qk", g.astype(np.float32), self.x)

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


class Experts:
    """Weights [experts, features], and gates [1 + contexts, experts]; the first row is the bias."""

    def __init__(self, weights, gates):
        self.weights, self.gates = weights, gates

    def shares(self, context):
        z = self.gates[0] + context @ self.gates[1:]
        e = np.exp(z - z.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def of(self, context):
        return self.shares(context) @ self.weights


def fit(questions, scale, use=None):
    on = np.array([float(n not in UNUSED and (use is None or n in use)) for n in NAMES])
    batch, draw = Batch(questions, scale), np.random.default_rng(SEED)
    n = EXPERTS * len(NAMES)

    def experts(v):
        roots, gates = v[:n].reshape(EXPERTS, -1), v[n:].reshape(-1, EXPERTS)
        return roots, Experts(np.where(RISING, roots**2, roots) * on, gates)

    def descend(start, gain):
        def step(v):
            roots, m = experts(v)
            shares = m.shares(batch.context)
            value, gs = gain(batch.scores(shares @ m.weights))
            each = batch.back(gs)
            by_share = each @ m.weights.T
            by_gate = shares * (by_share - (shares * by_share).sum(1, keepdims=True))
            gw = 2 * DECAY * m.weights - shares.T @ each
            gg = 2 * GATE_DECAY * m.gates - np.concatenate([by_gate.sum(0)[None], batch.context.T @ by_gate])
            loss = DECAY * (m.weights**2).sum() + GATE_DECAY * (m.gates**2).sum() - value
            return loss, np.concatenate([(gw * on * np.where(RISING, 2 * roots, 1)).ravel(), gg.ravel()]).astype(np.float64)

        return minimize(step, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x

    def both(s):
        (a, ga), (b, gb) = batch.found(s), batch.logs(s)
        return a + LOGS * b, ga + LOGS * gb

    start = np.concatenate([0.8 + 0.3 * draw.standard_normal(n), 0.5 * draw.standard_normal((len(CONTEXTS) + 1) * EXPERTS)])
    _, m = experts(descend(descend(start, batch.logs), both))
    return Experts(m.weights / scale, m.gates)


def scores(q, m):
    return q.x @ m.of(q.context)


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


def literal(values, fields, indent):
    return "".join(f"{indent}{fields[n]}: {v:.3f},\n" for n, v in zip(fields, values) if n not in UNUSED and abs(v) >= 0.0005)


def go(m, base):
    tabs = "\t" * 3
    each = "".join(
        f"\nfunc expert{i + 1}() Expert {{\n\treturn Expert{{\n\t\tBias: {m.gates[0, i]:.3f},\n"
        f"\t\tGate: Context{{\n{literal(m.gates[1:, i], CONTEXT, tabs)}\t\t}},\n"
        f"\t\tFeatures: Features{{\n{literal(m.weights[i], FEATURES, tabs)}\t\t}},\n\t}}\n}}\n"
        for i in range(EXPERTS)
    )
    calls = ", ".join(f"expert{i + 1}()" for i in range(EXPERTS))
    bases = ", ".join(f"{g}: {base[i + 1]:.3f}" for i, g in enumerate(CONTEXT.values()))
    return f"""package rank

// The weights of the reranker were fitted by tools/fit on the development halves.

// experts are those of [Rerank.Experts].
func experts() [NumExperts]Expert {{
	return [NumExperts]Expert{{{calls}}}
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
            questions += [q for q in (Question(line, Path(path).stem) for line in lines) if len(q.x)]
    scale = np.concatenate([q.x for q in questions]).std(0) + 1e-6
    if o.validate or o.ablate:
        show("cross-validated", validate(questions, scale))
    if o.ablate:
        for name, group in GROUPS.items():
            show(f"without {name}", validate(questions, scale, group))
    w = fit(questions, scale)
    show("fitted to all", measure(questions, lambda _: w))
    if o.write:
        (RANK / "fitted.go").write_text(go(w, level(questions, w)))
        subprocess.run(["gofmt", "-w", RANK / "fitted.go"], check=True)


if __name__ == "__main__":
    main()
