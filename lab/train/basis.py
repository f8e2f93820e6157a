"""Fits the basis in which multilingual.py compresses the vectors of pieces.

    python basis.py --data DATA --out basis.npz

It is a part of the repository, because its last digits depend on the machine, and the codes of all pieces on them.
"""

import argparse
from pathlib import Path

import numpy as np
import sentencepiece

import multilingual
import quantize
import sensitivity
from network import Network


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--data", type=Path, required=True, help="the folder with pairs")
    args.add_argument("--out", type=Path, required=True)
    o = args.parse_args()
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(multilingual.RESOURCES / "sp.model"))
    with np.load(multilingual.RESOURCES / "weights.npz") as z:
        rows = multilingual.table(z, pieces.get_piece_size())
        metric = sensitivity.metric(Network(z), rows, pieces, o.data)
    np.savez_compressed(o.out, **quantize.fit(rows, metric, multilingual.rounded))


if __name__ == "__main__":
    main()
