"""Fits the weights of ranker hippo to questions with known answers.

    python stores.py DATA OUT/stores     (the stores that are composed for it)
    lab/fit/features.sh DATA OUT        (the features of the questions of all sets and stores)
    python fit.py OUT/*.jsonl [--cold] [--validate] [--hold REGEXP] [--write]

The score of a candidate is a sum of its features. Its weights are a mixture of experts: sets of weights, mixed by a softmax
of the context of the question and of the kind of the candidate (internal/retrieval/rank/context.go). Nothing in them depends on what
else is in the store. Each question is a softmax over what was reranked for it; the loss is the mean over the answers of the
negative logarithm of their share, plus a little of the squares of the weights, which are those of features of standard
deviation 1. From those weights a second descent raises what is wanted: the share of the answers among the first ten, made
smooth by a logistic function of how far each is from the tenth of the others, and some of the first loss beside it, which is
what puts an answer first. Sets count the same, but for those of COUNTS and CATEGORIES.

More of a feature never counts less, whatever the context, but for those of EITHER: the weights of rising features are
squares. The feature "feedback" depends on the weights: make the features again with the new ones, and fit again. Questions of
identifiers alone take no part: their weights are not fitted.

The descent starts from the present weights, because there are many local optima: those of November 29 are the result of three
descents with a DECAY of 1e-4, 1e-4 and 6e-5. --cold starts from chance, as --validate and --hold do.

--validate prints recall@10 and hit@1 of what was left out, five folds over questions; a question that is asked in several
stores and forms is in one fold. --hold leaves out whole sets by name, and prints those. --write writes the weights fitted to
all to internal/retrieval/rank/fitted.go.
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

RANK = Path(__file__).parents[2] / "internal" / "retrieval" / "rank"
UNUSED = {"bm25.relative", "in.session"}  # of the first stage, and of the kind
FIRST = {"bm25.relative": 2, "cosine": 6, "multilingual": 4, "length": 2}  # as in internal/retrieval/rank/weights.go
# What may speak for or against; all else speaks for.
EITHER = {"is.foreign", "is.code", "length"}
# What is known of a candidate whatever the question: large weights of it bury right answers in stores unlike those of the fit.
ALONE = {"is.foreign", "is.code", "length"}
FOLDS, STEPS = 5, 150
SEED = 31  # of the first weights of a cold start: the best of six
DECAY = 6e-5
HEAVY = 10  # times the decay of weights of ALONE
TOP, SLOPE, LOGS = 10, 0.3, 1.0  # of the second descent
KEPT, EVERY = 45, 6  # candidates of a question that take part: the first ones, and each sixth of the others
MOST = 300  # questions of a set
# What is hard to hold beside the others, which otherwise outvote it, counts more; languages of one set, the stores of one set of notes,
# small stores of a set that is there whole, and stores without contextual vectors count less.
COUNTS = {
    "realtalk": 5, "locomo": 3, "code_py": 3, "100K": 5.5, "xquad_sentences": 6, "team": 5, "life": 4, "world": 4, "lessons": 5,
    "facts": 4, "exact": 2, "manpages": 2, "code_go": 2.5, "cosqa_dev": 1.5, "short_among": 3,
}
# Factors of what matches, by family and set.
MORE = {
    "notes/": 1.5, "code": 7, "talk": 2, "100K": 1.3, "^short_among": 2, "/world": 1.3, "/facts$": 2, "manpages": 3,
    "exact_(typos|digit)": 1.5, "_chat": 5, "_logs": 2, "inside": 4, "typos": 2, "man": 1.5,
}
FAMILIES = {"stores": 0.45, "small": 0.5, "bare": 0.6, "static": 0.25, "joined": 2.5, "xquad": 0.8}
CATEGORIES = {"now": 2, "paraphrase": 3, "cross": 3, "to-en": 3, "cross-en": 2, "asked": 2}


def names(file, constant):
    """Names in JSON and in Go."""
    text = (RANK / file).read_text()
    block = re.search(rf"^const \((?:(?!^\)).)*?^\t{constant}$", text, re.S | re.M)[0]
    go = re.findall(r"^\t([A-Z]\w+)(?: \w+ = iota)?$", block, re.M)[:-1]
    found = re.search(rf"\[{constant}\]string\{{(.*?)\}}", text, re.S)
    found = re.findall(r'"([^"]+)"', found[1]) if found else go
    assert len(go) == len(found), (go, found)
    return dict(zip(found, go))


FEATURES, CONTEXT, KINDS = names("features.go", "NumFeatures"), names("context.go", "NumContext"), names("context.go", "NumKinds")
NAMES, CONTEXTS = list(FEATURES), list(CONTEXT)
EXPERTS = int(re.search(r"NumExperts = (\d+)", (RANK / "weights.go").read_text())[1])
AT = {n: i for i, n in enumerate(NAMES)}
RISING = np.array([n not in EITHER for n in NAMES] + [False])  # the last is the base of an expert
HELD = np.array([HEAVY if n in ALONE else 1.0 for n in NAMES] + [1.0])
USED = np.array([float(n not in UNUSED) for n in NAMES] + [1.0])


def kinds(x, context):
    """The kinds of candidates, as kindOf of internal/retrieval/rank/context.go."""
    c = dict(zip(CONTEXTS, context))
    foreign = x[:, AT["is.foreign"]]
    long = np.clip(x[:, AT["length"]] - 0.6, 0, 0.6)
    return np.stack([foreign, foreign * (1 - c["english"]), x[:, AT["in.session"]] * c["coherence"], long, x[:, AT["is.code"]]], 1)


def present(scale):
    """The weights and gates of fitted.go, as a descent starts from them."""
    text = (RANK / "fitted.go").read_text()

    def row(name):
        found = re.search(rf"^\t+{name}:?[:= ]+(?:\[NumExperts\]float64)?{{(.*?)}}", text, re.M)
        return [float(x) for x in found[1].split(",")] if found else [0.0] * EXPERTS

    weights = np.array([row(go) for go in FEATURES.values()] + [row("base")]).T
    gates = np.array([row("bias")] + [row(go) for go in [*CONTEXT.values(), *KINDS.values()]])
    weights[:, :-1] *= scale
    return np.concatenate([np.where(RISING, np.sqrt(np.maximum(weights, 1e-4)), weights).ravel(), gates.ravel()])


class Question:
    def __init__(self, line, file):
        r = json.loads(line)
        found = r["found"] or []
        found = [h for i, h in enumerate(found) if i < KEPT or h.get("answers") or i % EVERY == 0]
        features = [[h["features"].get(n, 0) for n in NAMES] for h in found]
        self.x = np.array(features, np.float32).reshape(-1, len(NAMES))
        self.answers = np.array([float(h.get("answers", False)) for h in found], np.float32)
        self.context = np.array([(r["context"] or {}).get(n, 0) for n in CONTEXTS], np.float32)
        self.verbatim = (r["context"] or {}).get("verbatim", 0) > 0
        self.relevant, self.category = r["relevant"], r.get("category", "")
        name = r["set"].split("/")[-1]
        self.set = f"{file}/{name}"
        family = FAMILIES.get(file, 1)
        more = np.prod([factor for match, factor in MORE.items() if re.search(match, self.set)])
        self.counts = COUNTS.get(name, 1) * family * more * CATEGORIES.get(self.category.split("/")[-1], 1)
        self.fold = zlib.crc32(f"{name.split('_')[0]}/{r['id']}".encode()) % FOLDS


def whole(x):
    """Without what is too small to matter: processors take long for denormal numbers."""
    return np.where(np.abs(x) < 1e-20, 0, x).astype(np.float32)


class Batch:
    """Candidates of many questions, one after the other."""

    def __init__(self, questions, scale):
        self.len = np.array([len(q.x) for q in questions])
        self.at = np.concatenate([[0], np.cumsum(self.len)[:-1]])
        self.row = np.repeat(np.arange(len(questions)), self.len)
        x = np.concatenate([q.x for q in questions])
        self.x = np.concatenate([x / scale, np.ones((len(x), 1), np.float32)], 1).astype(np.float32)
        self.gates = np.concatenate([np.concatenate([np.repeat(q.context[None], len(q.x), 0), kinds(q.x, q.context)], 1) for q in questions]).astype(np.float32)
        self.are = np.concatenate([q.answers for q in questions])
        self.has = np.add.reduceat(self.are, self.at)
        self.relevant = np.array([max(q.relevant, 1) for q in questions], np.float32)
        share, most = defaultdict(int), defaultdict(float)
        for q in questions:
            share[q.set] += 1
            most[q.set] = max(most[q.set], q.counts)
        each = np.array([q.counts / share[q.set] for q in questions]) / sum(most.values())
        self.weights = (each * (self.has > 0)).astype(np.float32)
        self.padded = np.full((len(questions), self.len.max()), -1)
        for i, (at, n) in enumerate(zip(self.at, self.len)):
            self.padded[i, :n] = np.arange(at, at + n)

    def shares(self, gates):
        z = gates[0] + self.gates @ gates[1:]
        e = whole(np.exp(z - z.max(1, keepdims=True)))
        return e / e.sum(1, keepdims=True)

    def scores(self, weights, gates):
        """The scores, and what they are made of: those by each expert, and the shares of the experts."""
        each, shares = self.x @ weights.T, self.shares(gates)
        return (each * shares).sum(1), each, shares

    def logs(self, s):
        top = np.maximum.reduceat(s, self.at)
        e = whole(np.exp(s - top[self.row]))
        total = np.add.reduceat(e, self.at)
        wanted = self.are / np.maximum(self.has, 1)[self.row] * self.weights[self.row]
        value = (wanted * (s - top[self.row] - np.log(total)[self.row])).sum()
        return value, wanted - self.weights[self.row] * e / total[self.row]

    def found(self, s):
        """Recall, made smooth."""
        others = np.where(self.are > 0, -1e9, s)
        padded = np.where(self.padded >= 0, others[np.maximum(self.padded, 0)], -1e9)
        rows, k = np.arange(len(padded)), min(TOP, padded.shape[1]) - 1
        column = np.argpartition(-padded, k, 1)[:, k]
        is_there = padded[rows, column] > -30
        tenth = np.maximum(padded[rows, column], -30)
        p = 1 / (1 + np.exp(-np.clip((s - tenth[self.row]) / SLOPE, -60, 60)))
        gain = self.weights[self.row] * self.are / self.relevant[self.row]
        g = gain * p * (1 - p) / SLOPE
        moved = g.copy()
        np.subtract.at(moved, self.padded[rows, column][is_there], np.add.reduceat(g, self.at)[is_there])
        return (gain * p).sum(), moved


class Experts:
    """Weights [experts, features and base], and gates [1 + contexts and kinds, experts]; the first row is the bias."""

    def __init__(self, weights, gates, scale):
        self.weights, self.gates, self.scale = weights, gates, scale

    def scores(self, questions):
        b = Batch(questions, self.scale)
        s = b.scores(self.weights, self.gates)[0]
        return [s[at : at + n] for at, n in zip(b.at, b.len)]


def fit(questions, cold=True, steps=STEPS):
    scale = (np.concatenate([q.x for q in questions]).std(0) + 1e-6).astype(np.float32)
    batch, draw = Batch(questions, scale), np.random.default_rng(SEED)
    count, width = EXPERTS * len(USED), 1 + len(CONTEXTS) + len(KINDS)

    def unpack(v):
        roots = v[:count].reshape(EXPERTS, -1)
        return roots, np.where(RISING, roots**2, roots) * USED, v[count:].reshape(width, EXPERTS)

    def descend(start, gain):
        def step(v):
            roots, weights, gates = unpack(v)
            s, each, shares = batch.scores(whole(weights), whole(gates))
            value, g = gain(s)
            g = whole(g)
            by_weight = (shares * g[:, None]).T @ batch.x
            by_gate = g[:, None] * shares * (each - s[:, None])
            gw = 2 * DECAY * HELD * weights - by_weight
            gg = 2 * DECAY * gates - np.concatenate([by_gate.sum(0)[None], batch.gates.T @ by_gate])
            loss = DECAY * ((HELD * weights**2).sum() + (gates**2).sum()) - value
            return loss, np.concatenate([(gw * USED * np.where(RISING, 2 * roots, 1)).ravel(), gg.ravel()]).astype(np.float64)

        return minimize(step, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x

    def both(s):
        (a, ga), (b, gb) = batch.found(s), batch.logs(s)
        return a + LOGS * b, ga + LOGS * gb

    start = np.concatenate([0.8 + 0.3 * draw.standard_normal(count), 0.5 * draw.standard_normal(width * EXPERTS)])
    if not cold:
        start = present(scale)
    _, weights, gates = unpack(descend(descend(start, batch.logs), both))
    return Experts(weights.astype(np.float32), gates.astype(np.float32), scale)


def measure(questions, scores):
    """Recall@10 and hit@1 of each question, by set."""
    out = defaultdict(list)
    for q, s in zip(questions, scores):
        hits = q.answers[np.argsort(-s, kind="stable")[:TOP]]
        out[q.set].append((hits.sum() / q.relevant, hits[0]))
    return out


def show(title, *tables):
    """Prints figures by set and by family of sets, a column for each table."""
    print(title)
    families = defaultdict(list)
    for s in sorted(tables[0]):
        families[s.split("/")[0]].append(s)
        print(f"  {s:40} {len(tables[0][s]):5} " + "  ".join("{:.3f} / {:.3f}".format(*np.mean(t[s], 0)) for t in tables))
    for f, sets in families.items():
        print(f"  = {f:38} {len(sets):5} " + "  ".join("{:.3f} / {:.3f}".format(*np.mean([np.mean(t[s], 0) for s in sets], 0)) for t in tables))
    print(flush=True)


def before(questions):
    """The order of the ranker that wrote the features."""
    return [-np.arange(len(q.x), dtype=np.float32) for q in questions]


def held_out(questions, hold, folds):
    """Measures what takes no part in the fit: by fold, or what matches hold, with the fold left out as well."""
    was, now = defaultdict(list), defaultdict(list)
    for f in range(folds):
        test = [q for q in questions if q.fold == f and re.search(hold, q.set)]
        train = [q for q in questions if q.fold != f and (hold == "." or not re.search(hold, q.set))]
        experts = fit(train)
        for out, scores in ((was, before(test)), (now, experts.scores(test))):
            for s, v in measure(test, scores).items():
                out[s] += v
    return was, now


RIDGE = 100  # holds the base of a context near that of all: relevance is a scale, and contexts unlike those of the fit have to be on it


def level(questions, scores):
    """The base, and that by feature of the context, with which the medians of both stages agree."""
    share = defaultdict(int)
    for q in questions:
        share[q.set] += 1
    first = np.array([FIRST.get(n, 0) for n in NAMES])
    x = np.array([q.context for q in questions])
    y = np.array([np.median(q.x @ first) - np.median(s) for q, s in zip(questions, scores)])
    weights = np.array([1 / share[q.set] for q in questions])
    middle, mean = np.average(x, 0, weights), np.average(y, weights=weights)
    x, y = x - middle, y - mean
    by = np.linalg.solve((x * weights[:, None]).T @ x + RIDGE * np.eye(x.shape[1]), (x * weights[:, None]).T @ y)
    return [mean - middle @ by, *by]


def numbers(values):
    return "{" + ", ".join(f"{v:.3f}" if abs(v) >= 0.0005 else "0" for v in values) + "}"


def table(rows, fields):
    """A line for each field, a column for each expert."""
    used = [(go, row) for (n, go), row in zip(fields.items(), rows) if n not in UNUSED and np.abs(row).max() >= 0.0005]
    return "".join(f"\t\t{go}: {numbers(row)},\n" for go, row in used)


def go(m, base):
    weights, n = (m.weights[:, :-1] / m.scale).T, 1 + len(CONTEXTS)
    bases = ", ".join(f"{g}: {base[i + 1]:.3f}" for i, g in enumerate(CONTEXT.values()))
    return f"""package rank

// The weights of the reranker were fitted by lab/fit on the development halves. In the tables each expert has a column.

// experts are those of [Rerank.Experts].
func experts() (out [NumExperts]Expert) {{
	bias := [NumExperts]float64{numbers(m.gates[0])}
	base := [NumExperts]float64{numbers(m.weights[:, -1])}
	gates := [NumContext][NumExperts]float64{{
{table(m.gates[1:n], CONTEXT)}	}}
	kinds := [NumKinds][NumExperts]float64{{
{table(m.gates[n:], KINDS)}	}}
	features := expertFeatures()
	for i := range out {{
		e := &out[i]
		e.Bias, e.Base = bias[i], base[i]
		for k := range gates {{
			e.Gate[k] = gates[k][i]
		}}
		for k := range kinds {{
			e.Kind[k] = kinds[k][i]
		}}
		for k := range features {{
			e.Features[k] = features[k][i]
		}}
	}}
	return out
}}

// expertFeatures are [Expert.Features].
func expertFeatures() [NumFeatures][NumExperts]float64 {{
	return [NumFeatures][NumExperts]float64{{
{table(weights, FEATURES)}	}}
}}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = {base[0]:.3f}

func baseWeights() Context {{
	return Context{{{bases}}}
}}
"""


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("files", nargs="+")
    flags.add_argument("--cold", action="store_true")
    flags.add_argument("--validate", action="store_true")
    flags.add_argument("--hold", default="")
    flags.add_argument("--folds", type=int, default=FOLDS)
    flags.add_argument("--write", action="store_true")
    o = flags.parse_args()
    sets = defaultdict(list)
    for path in o.files:
        with open(path) as lines:
            for q in (Question(line, Path(path).stem) for line in lines):
                if len(q.x) and not q.verbatim:
                    sets[q.set].append(q)
    questions = [q for s in sets.values() for q in s[:: max(1, -(-len(s) // MOST))]]
    if o.validate:
        show("left out: question, fold by fold; before, fitted", *held_out(questions, ".", o.folds))
    if o.hold:
        show(f"left out: {o.hold}; before, fitted", *held_out(questions, o.hold, o.folds))
    m = fit(questions, o.cold)
    scores = m.scores(questions)
    show("fitted to all; before, fitted", measure(questions, before(questions)), measure(questions, scores))
    if o.write:
        (RANK / "fitted.go").write_text(go(m, level(questions, scores)))
        subprocess.run(["gofmt", "-w", RANK / "fitted.go"], check=True)


if __name__ == "__main__":
    main()
