"""The file that package internal/retrieval/embed/static reads; the format is described there."""

import json
import struct

import numpy as np

VERSION, ALIGN, SLOTS, BYTES = 1, 64, 1 << 16, 128
# Columns of a panel of codes, and rows whose codes of a column are together: those of package internal/retrieval/embed/gemm.
CODE_COLUMNS, CODE_ROWS = 32, 4


CRC = np.arange(256, dtype=np.uint32)
for _ in range(8):
    CRC = CRC >> 1 ^ np.where(CRC & 1, np.uint32(0x82F63B78), np.uint32(0))


def crc32c(data):
    table, crc = CRC.tolist(), 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def fnv1a(data):
    h = 2166136261
    for byte in data:
        h = (h ^ byte) * 16777619 & 0xFFFFFFFF
    return h


def upper(numbers):
    """The upper halves of float32 numbers, rounded to the nearest."""
    bits = np.asarray(numbers, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")


def quantise(rows):
    """Rows of int8, and what one unit of each is worth."""
    # .4 % of room, because the scale itself is rounded.
    scales = upper(np.maximum(np.abs(rows).max(1), 1e-8) / 127 * 1.004)
    worth = (scales.astype(np.uint32) << 16).view(np.float32)
    return np.clip(np.rint(rows / worth[:, None]), -127, 127).astype(np.int8), scales


def panels(codes):
    """A matrix of int8 that rows are multiplied with, as SetQuantized of package internal/retrieval/embed/gemm takes it."""
    rows, cols = codes.shape
    groups = codes.reshape(rows // CODE_ROWS, CODE_ROWS, cols // CODE_COLUMNS, CODE_COLUMNS).transpose(2, 0, 3, 1)
    return groups.view(np.uint8) ^ np.uint8(0x80)


def place(pieces):
    slots = np.zeros(SLOTS, "<u2")
    for i, piece in enumerate(pieces):
        at = fnv1a(piece) % SLOTS
        while slots[at]:
            at = (at + 1) % SLOTS
        slots[at] = i + 1
    return slots


def with_bytes(vocabulary, rows, weights, seed):
    """Leaves out the special pieces and adds one for each byte outside of ASCII."""
    keep = [i for i, p in enumerate(vocabulary) if not (len(p) > 2 and p[0] == "[" and p[-1] == "]")]
    norm = np.median(np.linalg.norm(rows[keep], axis=1))
    noise = np.random.default_rng(seed).standard_normal((BYTES, rows.shape[1]))
    noise *= norm / 2 / np.linalg.norm(noise, axis=1, keepdims=True)
    pieces = [vocabulary[i].encode() for i in keep] + [b"<0x%02X>" % (0x80 + i) for i in range(BYTES)]
    return pieces, np.vstack([rows[keep], noise]).astype(np.float32), np.concatenate([np.exp(weights[keep]), np.ones(BYTES)])


def write(path, name, space, vocabulary, rows, weights, seed):
    """Writes the model; weights are the logarithms of what tokens count in a search."""
    save(path, name, space, *with_bytes(vocabulary, rows, weights, seed))


def save(path, name, space, pieces, rows, weights):
    """Writes pieces as bytes, with their rows and weights."""
    values, scales = quantise(rows)
    texts = b"".join(pieces)
    ends = np.cumsum([len(p) for p in pieces]).astype("<u4")
    header = json.dumps({
        "id": name, "space": space, "dimension": rows.shape[1], "pieces": len(pieces), "slots": SLOTS, "texts": len(texts),
    }, separators=(",", ":")).encode()
    out = bytearray(b"HIPPOVEC" + struct.pack("<III", VERSION, len(header), crc32c(header)) + header)
    for section in (place(pieces).tobytes(), ends.tobytes(), texts, scales.tobytes(), upper(weights).tobytes(), values.tobytes()):
        out += bytes(-len(out) % ALIGN) + section
    path.write_bytes(out)
