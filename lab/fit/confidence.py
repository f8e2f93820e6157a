"""Fits the confidence of ranker hippo: confidence.sh says how to get the files.

    python confidence.py builtin.jsonl static.jsonl none.jsonl [--write]

Logistic regression of "the first hit answers the question". Right are questions of a store that has
the answer, where the first hit is right; those where another hit is right count as neither. Wrong
are questions that nothing answers, the same questions where the answers were removed, and those
of other stores. Every set weighs the same. A weight that would have the wrong sign is 0.

Prints for each set, with the set and its relatives left out of the fit, the area under the ROC curve, and
for each limit the share of right answers that it marks as weak and of wrong ones that it does not: the price
and the gain. --write writes the weights fitted to all into internal/retrieval/rank/fitted_confidence.go.
"""

import argparse
import json
import subprocess
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np

OUT = Path(__file__).parents[2] / "internal/retrieval/rank/fitted_confidence.go"
# The parts of a Support, their fields in Go, and the sign that each must have.
PARTS = {"margin": ("Margin", 1), "cosine": ("Cosine", 1), "multilingual": ("Multilingual", 1), "lead": ("Lead", 1), "tokens": ("Tokens", 1),
         "coverage": ("Coverage", 1), "unknown_names": ("UnknownNames", -1), "few": ("Few", 1)}
# The parts that are used, by what took part in the search. The cosines of other models have other scales.
MODES = {"Multilingual": ["margin", "cosine", "multilingual", "tokens", "unknown_names", "few"],
         "Semantic": ["margin", "lead", "tokens", "unknown_names", "few"], "Lexical": ["coverage", "unknown_names", "few"]}
FEW = 10  # fewMemories in internal/retrieval/rank/confidence.go
DECAY, STEPS = 1e-3, 25
# What the right and the wrong questions of a kind weigh together; groups smaller than FEWEST weigh less.
SHARES, FEWEST = {"whole": (1, 0.25), "removed": (0, 0.5), "unanswerable": (0, 0.25), "small": (0.15, 0.1)}, 20
LIMITS = [0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8]
RELATED = ("xquad", "code")


def relatives(name):
    """Sets that share texts or authors are left out together."""
    return next((part for part in RELATED if part in name), name)


class Trials:
    def __init__(self, lines):
        rows = [r for r in map(json.loads, lines) if r["kind"] in SHARES and (r["first"] or not r["right"])]
        self.none = np.array([not r["support"] or r["confidence"] == 0 for r in rows])  # nothing matched: weak
        support = [r["support"] or {} for r in rows]
        for s in support:
            s["few"] = FEW / (FEW + s.get("memories", 0))
        self.mode = self.modeof(support)
        self.names = MODES[self.mode]
        self.x = np.array([[1.0] + [s.get(n, 0) for n in self.names] for s in support])
        self.whole = np.array([s.get("coverage", 0) >= 1 for s in support])  # never weak
        self.right = np.array([r["right"] for r in rows])
        self.set = np.array([r["set"] for r in rows])
        self.relatives = np.array([relatives(s) for s in self.set])
        self.kind = np.array([r["kind"] for r in rows])
        self.size = np.array([r.get("size", 0) for r in rows])
        self.weight = np.zeros(len(rows))
        for s in set(self.set):
            for kind, shares in SHARES.items():
                for right in (True, False):
                    group = (self.set == s) & (self.kind == kind) & (self.right == right)
                    self.weight[group] = shares[not right] / max(FEWEST, group.sum())

    @staticmethod
    def modeof(support):
        if any(s.get("multilingual", 0) > 0 for s in support):
            return "Multilingual"
        return "Semantic" if any(s.get("semantic") for s in support) else "Lexical"


def fit(t, use):
    use = use & ~t.none
    x, y, w = t.x[use], t.right[use], t.weight[use] / t.weight[use].sum()
    signs = np.array([0] + [PARTS[n][1] for n in t.names])
    active = np.ones(len(signs), bool)
    while True:
        b = newton(x, y, w, active)
        wrong = active & (b * signs < 0)
        if not wrong.any():
            return b
        active[np.argmin(np.where(wrong, b * signs, 0))] = False


def newton(x, y, w, active):
    b = np.zeros(x.shape[1])
    scale = np.r_[0, x[:, 1:].std(0)]  # the decay is of standardised weights
    decay = 2 * DECAY * np.diag(scale**2)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ b))
        gradient = x.T @ (w * (p - y)) + decay @ b
        hessian = (x * (w * p * (1 - p))[:, None]).T @ x + decay + 1e-9 * np.eye(len(b))
        b[active] -= np.linalg.solve(hessian[np.ix_(active, active)], gradient[active])
    return b


def confidence(t, b):
    return np.where(t.none, 0, 1 / (1 + np.exp(-t.x @ b)))


def auroc(right, wrong):
    if not len(right) or not len(wrong):
        return np.nan
    both = np.sort(wrong)
    return float((np.searchsorted(both, right, "left") + np.searchsorted(both, right, "right")).mean() / 2 / len(both))


KINDS = ["unanswerable", "removed", "whole"]


def report(t, p):
    print(f"{'set':18} {'AUROC':16}" + "".join(f" {limit:18.2f}" for limit in LIMITS))
    print(f"{'':18} {'none rem. other':16}" + "  weak no rem oth   " * len(LIMITS))
    means = defaultdict(list)
    for s in [*sorted(set(t.set)), *(f"{n} memories" for n in sorted(set(t.size)) if n)]:
        if s.endswith(" memories"):
            here, kinds = t.size == int(s.split()[0]), ["unanswerable", "-", "small"]
        else:
            here, kinds = (t.set == s) & (t.size == 0), KINDS
        right = here & t.right
        wrong = [here & ~t.right & (t.kind == k) for k in kinds]
        line = f"{s:18} " + " ".join(f"{auroc(p[right], p[w]):.2f}".replace("nan", "   ") for w in wrong) + "  "
        for limit in LIMITS:
            weak = (p < limit) & ~t.whole | t.none
            cells = [weak[right].mean() if right.any() else np.nan, *((~weak[w]).mean() if w.any() else np.nan for w in wrong)]
            line += "  " + " ".join(f"{c:.2f}"[1 if c < 1 else 0:].rjust(4) for c in cells)
            if kinds is KINDS:
                means[limit].append(cells)
        print(line.replace("nan", "   ").replace(" an", "   "))
    print(f"{'mean of sets':35}" + "".join("  " + " ".join(f"{c:.2f}"[1 if c < 1 else 0:].rjust(4) for c in np.nanmean(means[x], 0)) for x in LIMITS))
    none = (t.kind == "unanswerable") & (t.size == 0)
    print("of all unanswerable questions unmarked: " + "  ".join(f"{x:.2f}: {(~((p < x) & ~t.whole | t.none))[none].mean():.3f}" for x in LIMITS), flush=True)


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("files", nargs="+")
    flags.add_argument("--write", action="store_true")
    o = flags.parse_args()
    lines = []
    for path in o.files:
        with open(path) as rows:
            t = Trials(rows)
        p = np.zeros(len(t.right))
        for r in set(t.relatives):
            test = t.relatives == r
            p[test] = confidence(t, fit(t, ~test))[test]
        print(f"{path}: {t.mode}")
        report(t, p)
        b = fit(t, np.ones(len(t.right), bool))
        weights = ", ".join(f"{n}: {v:.3f}" for n, v in zip(["Base", *(PARTS[n][0] for n in t.names)], b) if v)
        lines.append(f"\t\t{t.mode}: Logistic{{{weights}}},\n")
        print(lines[-1].strip())
    if o.write:
        OUT.write_text("package rank\n\n// confidence has the weights that lab/fit/confidence.py fitted on the development halves. weak is [Confidence.Weak].\n"
                       "func confidence(weak float64) Confidence {\n\treturn Confidence{\n" + "".join(lines) + "\t\tWeak: weak,\n\t}\n}\n")
        subprocess.run(["gofmt", "-w", OUT], check=True)


if __name__ == "__main__":
    main()
