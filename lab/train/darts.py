"""A double-array trie in the layout of the Darts-clone library, as SentencePiece uses it.

A unit is 32 bits: the label of a node in bits 0 to 7, whether a key ends there in bit 8, and from bit 10 the
exclusive or of the node's position and that of its children. The child of label c is at (children ^ c); that
of label 0 is the value of the key, with bit 31 set.
"""

import numpy as np

BLOCK = 256
# A block that is older than this many is not searched for free units any more.
OPEN = 16


class _Units:
    def __init__(self):
        self.units, self.free, self.used = [], [], []

    def grow(self):
        """Adds a block of free units."""
        first = len(self.units)
        self.units += [0] * BLOCK
        self.used += [False] * BLOCK
        self.free.append(set(range(first, first + BLOCK)))

    def place(self, labels):
        """A base that no other node has, at which the units of all labels are free."""
        first = labels[0]
        for block in self.free[-OPEN:]:
            for unit in block:
                base = unit ^ first
                if not self.used[base] and all(base ^ c in block for c in labels):
                    return base
        self.grow()
        return len(self.units) - BLOCK

    def take(self, unit):
        self.free[unit // BLOCK].discard(unit)


def build(values):
    """The units of a dict from keys, which are bytes without zeros, to numbers below 2^31."""
    keys = sorted(values)
    assert keys and keys[0] and all(0 not in k for k in keys)
    out = _Units()
    out.grow()
    out.take(0)
    stack = [(0, 0, len(keys), 0)]
    while stack:
        at, lo, hi, depth = stack.pop()
        groups = []
        leaf = len(keys[lo]) == depth
        i = lo + leaf
        while i < hi:
            j, c = i + 1, keys[i][depth]
            while j < hi and keys[j][depth] == c:
                j += 1
            groups.append((c, i, j))
            i = j
        labels = [0] * leaf + [c for c, *_ in groups]
        base = out.place(labels)
        out.used[base] = True
        offset = at ^ base
        assert offset < 1 << 21
        out.units[at] |= offset << 10 | leaf << 8
        for c in labels:
            out.take(base ^ c)
        if leaf:
            out.units[base] = values[keys[lo]] | 1 << 31
        for c, i, j in groups:
            out.units[base ^ c] = c
            stack.append((base ^ c, i, j, depth + 1))
    return np.array(out.units, "<u4")


def prefixes(units, key):
    """The lengths and values of the keys that key begins with."""
    units, found = units.tolist(), []
    at = units[0] >> 10
    for n, c in enumerate(key, 1):
        at ^= c
        if at >= len(units) or units[at] & 0x800000FF != c:
            break
        leaf = units[at] >> 8 & 1
        at ^= units[at] >> 10
        if leaf:
            found.append((n, units[at] & 0x7FFFFFFF))
    return found
