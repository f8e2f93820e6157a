"""Residual product quantization of the vectors of pieces, for package internal/retrieval/embed/cnn.

A vector is divided by its length and mapped to a basis in which its components are independent and an error
counts the same in every direction (Karhunen-Loeve transform in the metric). Parts of 8 components have as many
codes of 8 bits as they are worth.
"""

import ctypes

import numpy as np

PART, WORDS, SEED = 8, 256, 3
# The ends of the ranges of pieces, by rank, and what an error in a row of each counts: more in frequent pieces,
# but less than they are frequent, because rare words tell more of what a text is about.
ENDS, COUNTS = (1000, 16000, 64000, None), np.array([12, 3, 1.45, 1])
# The share of the error that a code of 8 bits for 8 components leaves.
LEFT = 0.29
LEVELS = 6
SAMPLE, EPOCHS, ROUNDS = 24000, 8, 4


def logarithms(rows):
    """The logarithms of the lengths of vectors, for components of variance 1."""
    return np.log(np.linalg.norm(rows, axis=1) / np.sqrt(rows.shape[1]))


def normalised(rows, low, step):
    """The lengths of vectors as whole numbers, what these are worth, and the vectors without them."""
    gains = np.rint((logarithms(rows) - low) / step).astype(np.uint8)
    scales = np.exp(low + step * np.arange(256))
    return gains, scales, rows / scales[gains][:, None].astype(np.float32)


def fit(rows, metric, rounded):
    """The parameters that a Quantizer needs, for vectors and what an error of them counts."""
    logs = logarithms(rows)
    low, step = logs.min(), np.ptp(logs) / 255
    _, _, unit = normalised(rows, low, step)
    values, vectors = np.linalg.eigh(metric)
    root = (vectors * np.sqrt(values)) @ vectors.T
    variances, axes = np.linalg.eigh(root @ (unit.T @ unit / len(rows)) @ root)
    variances, axes = variances[::-1], axes[:, ::-1]
    variances = variances.reshape(-1, PART).mean(1)
    # Every part has components of about variance 1, so that one unit suits all codewords.
    spread = np.repeat(np.sqrt(variances), PART)
    basis, scale = rounded(spread[:, None] * np.linalg.inv(root @ axes))
    return {"low": low, "step": step, "variances": variances, "basis": basis, "scale": scale}


class Quantizer:
    """What fit returns decides the bytes: with it, sums in another order change nothing that is rounded later."""

    def __init__(self, rows, fitted, library):
        self.nearest = ctypes.CDLL(str(library.resolve())).nearest
        self.rng = np.random.default_rng(SEED)
        self.ends = [end or len(rows) for end in ENDS]
        self.gains, self.scales, unit = normalised(rows, fitted["low"], fitted["step"])
        self.variances, self.basis = fitted["variances"], fitted["basis"]
        self.y = (unit @ np.linalg.inv(self.basis * fitted["scale"])).astype(np.float32)

    def allocate(self, size):
        """The number of levels of each part in each tier: those that pay most per byte, of size bytes in all."""
        rows = np.diff([0, *self.ends])
        worth = (COUNTS[:, None] * self.variances)[None] * (LEFT ** np.arange(LEVELS))[:, None, None]
        low, high = worth.min(), worth.max()
        for _ in range(60):
            least = np.sqrt(low * high)
            if ((worth >= least).sum((0, 2)) * rows).sum() > size:
                low = least
            else:
                high = least
        return (worth >= high).sum(0)

    def assign(self, x, words):
        x, words = np.ascontiguousarray(x, np.float32), np.ascontiguousarray(words, np.float32)
        codes = np.empty(len(x), np.uint8)
        pointer = lambda a: a.ctypes.data_as(ctypes.c_void_p)
        self.nearest(pointer(x), ctypes.c_long(len(x)), pointer(words), pointer(codes))
        return codes

    def means(self, x, codes, weights, words):
        total = np.bincount(codes, weights, WORDS)
        sums = np.stack([np.bincount(codes, weights * column, WORDS) for column in x.T], 1)
        return np.where(total[:, None] > 0, sums / np.maximum(total, 1e-30)[:, None], words).astype(np.float32)

    def part(self, x, levels, weights, train):
        """The codewords and codes of a part, and what is left: levels are those of the rows x."""
        rest, books, codes = x.copy(), [], []
        for level in range(levels.max()):
            on = levels > level
            r, w = rest[on & train], weights[on & train]
            words = r[self.rng.choice(len(r), WORDS, replace=False, p=w / w.sum())]
            for _ in range(EPOCHS):
                words = self.means(r, self.assign(r, words), w, words)
            codes.append(self.assign(rest[on], words))
            books.append(words)
            rest[on] -= words[codes[-1]]
        for last in [False] * ROUNDS + [True]:
            for level, words in enumerate(books):
                on = levels > level
                r = rest[on] + words[codes[level]]
                if last:
                    words = np.clip(np.rint(words / self.unit), -127, 127) * np.float32(self.unit)
                else:
                    t = train[on]
                    words = self.means(r[t], codes[level][t], weights[on][t], words)
                codes[level] = self.assign(r, words)
                books[level] = words
                rest[on] = r - words[codes[level]]
        return books, codes, rest

    def compress(self, size):
        """The sections of the table."""
        levels = self.allocate(size)
        tier = np.searchsorted(self.ends, np.arange(len(self.y)), "right")
        train = np.zeros(len(self.y), bool)
        train[:4000] = True
        train[self.rng.choice(len(self.y), SAMPLE, replace=False)] = True
        # Nearly all components are within 5 standard deviations.
        self.unit = 5 / 127
        books, codes, left = {}, {}, 0
        for p, first in enumerate(range(0, self.y.shape[1], PART)):
            x = np.ascontiguousarray(self.y[:, first:first + PART])
            b, c, rest = self.part(x, levels[tier, p], COUNTS[tier], train)
            left += self.variances[p] * np.bincount(tier, (rest ** 2).sum(1)) / np.bincount(tier)
            for level in range(len(b)):
                books[level, p] = np.rint(b[level] / self.unit).astype(np.int8)
                codes[level, p] = c[level]
        print("error by tier", left / self.variances.sum() / PART)
        parts = [[int((row > level).sum()) for level in range(levels.max())] for row in levels]
        self.tiers = [{"pieces": end, "parts": of} for end, of in zip(self.ends, parts)]
        out, begin = [], 0
        for end, of in zip(self.ends, parts):
            # The rows with a code are the first ones, because frequent pieces have more levels.
            out.append(np.stack([codes[level, p][begin:end] for level, n in enumerate(of) for p in range(n)], 1).ravel())
            begin = end
        return {
            "gains": self.gains, "scales": (self.scales * self.unit).astype("<f4"),
            "books": np.concatenate([books[level, p].ravel() for level, n in enumerate(parts[0]) for p in range(n)]),
            "codes": np.concatenate(out),
        }
