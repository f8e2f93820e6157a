"""Writes the reference vectors of internal/retrieval/embed/bert/testdata.

    python vectors.py ../../internal/retrieval/embed/bert/testdata [FOLDER_OF_MODELS]

For each tiny model of models.py it writes vectors.f32, and, if there is a folder
with real ones, NAME.f16 for those: little-endian numbers, the vector of each
text of texts.json in order. Long texts are cut into the windows that package
bert documents; the vectors of windows come from transformers (and, for texts of
one window, are checked against sentence-transformers where it knows the model).
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from transformers import AutoModel, BertConfig, BertModel, XLMRobertaConfig, XLMRobertaModel

from models import load_nomic
from vectors_texts import texts
from windows import plain, windows

# MODELS: name, most tokens of a window, prefix, pooling. The tests know them, too.
TINY = [("bert", 64, "", "mean"), ("xlm-roberta", 64, "query: ", "first"), ("nomic", 100, "search_document: ", "mean")]
REAL = [("minilm-l6-v2", 256, "", "mean")]


def unit(v):
    return v / np.linalg.norm(v)


def embed(model, tokenizer, text, prefix, size, pooling):
    total = 0
    parts = list(windows(tokenizer, text, prefix, size))
    for ids, fresh in parts:
        with torch.no_grad():
            x = model(input_ids=torch.tensor([ids])).last_hidden_state[0].double().numpy()
        total = total + unit(x.mean(0) if pooling == "mean" else x[0]) * (fresh if len(parts) > 1 else 1)
    return unit(total)


def load(folder):
    """A model in float32, from weights of any kind."""
    tensors = {k: v.float() for k, v in load_file(folder / "model.safetensors").items()}
    config = json.loads((folder / "config.json").read_text())
    if config["model_type"] == "nomic_bert":
        return load_nomic(folder, tensors)
    kinds = {"bert": (BertConfig, BertModel), "xlm-roberta": (XLMRobertaConfig, XLMRobertaModel)}
    make, kind = kinds[config["model_type"]]
    m = kind(make(**config), add_pooling_layer=False)
    m.load_state_dict({k.removeprefix("roberta."): v for k, v in tensors.items()})
    return m.eval()


def real(folder, size):
    """A published model, and its vectors by sentence-transformers."""
    from sentence_transformers import SentenceTransformer

    m = SentenceTransformer(str(folder), device="cpu")
    m.max_seq_length = size
    return AutoModel.from_pretrained(folder).float().eval(), m


def main():
    torch.set_num_threads(1)
    out = Path(sys.argv[1])
    all_texts = texts()
    assert len(all_texts) >= 300
    (out / "texts.json").write_text(json.dumps(all_texts, indent=0) + "\n")
    for name, size, prefix, pooling in TINY:
        model, tokenizer = load(out / name), plain(out / name)
        v = [embed(model, tokenizer, t, prefix, size, pooling) for t in all_texts]
        (out / name / "vectors.f32").write_bytes(np.array(v, dtype="<f4").tobytes())
        print(name, len(v), len(v[0]), "similarity", round(float(np.mean(np.array(v) @ np.array(v).T)), 3))
    for name, size, prefix, pooling in REAL if len(sys.argv) > 2 else []:
        folder = Path(sys.argv[2]) / name
        (model, check), tokenizer = real(folder, size), plain(folder)
        v = np.array([embed(model, tokenizer, t, prefix, size, pooling) for t in all_texts])
        one = [i for i, t in enumerate(all_texts) if len(list(windows(tokenizer, t, prefix, size))) == 1]
        other = check.encode([prefix + all_texts[i] for i in one], normalize_embeddings=True)
        worst = float(np.min((v[one] * other).sum(1)))
        assert worst > 1 - 1e-5, worst
        (out / f"{name}.f16").write_bytes(v.astype("<f2").tobytes())
        print(name, len(v), "with sentence-transformers", len(one), "least cosine", worst)


if __name__ == "__main__":
    main()
