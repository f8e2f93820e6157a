"""Makes the tiny encoders of internal/retrieval/embed/bert/testdata: random weights in the
layouts of published models, so that their vectors can be checked without any.

    python models.py ../../internal/retrieval/embed/bert/testdata

The weights are the same on every run. vectors.py writes the reference vectors.
"""

import json
import sys
from collections import Counter
from math import log
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, BertModel, NomicBertConfig, NomicBertModel, XLMRobertaConfig, XLMRobertaModel

from vectors_texts import texts

# NOMIC maps names of transformers to those of the published files.
NOMIC = [
    ("embeddings.LayerNorm.", "emb_ln."),
    ("layers.", "encoder.layers."),
    ("self_attn.o_proj.", "attn.out_proj."),
    ("mlp.up_proj.", "mlp.fc11."),
    ("mlp.gate_proj.", "mlp.fc12."),
    ("mlp.down_proj.", "mlp.fc2."),
    ("post_attention_layernorm.", "norm1."),
    ("post_mlp_layernorm.", "norm2."),
]


def randomise(model, seed):
    """Weights large enough that attention is far from even, and no norm is neutral."""
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            r = torch.randn(p.shape, generator=g)
            if name.endswith("LayerNorm.weight") or "layernorm.weight" in name:
                p.copy_(1 + 0.2 * r)
            elif p.ndim == 1:
                p.copy_(0.1 * r)
            elif "embeddings" in name:
                p.copy_(r)
            else:
                p.copy_(r * 1.5 / p.shape[1] ** 0.5)
    return model.eval()


def frequent(pieces, n):
    """The n most frequent, with their counts; trainers of tokenizers are not repeatable."""
    return sorted(Counter(pieces).items(), key=lambda p: (-p[1], p[0]))[:n]


def wordpiece():
    normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    words = [w for t in texts() for w, _ in splitter.pre_tokenize_str(normalizer.normalize_str(t))]
    letters = [c for c, _ in frequent("".join(words), 90)]
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + c for c in letters)]
    vocab += [w for w, _ in frequent((w for w in words if len(w) > 1), 150)]
    vocab += ["##" + w for w, _ in frequent((w[-n:] for w in words for n in (2, 3) if len(w) > n), 60)]
    t = Tokenizer(models.WordPiece({w: i for i, w in enumerate(vocab)}, unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizer, splitter
    t.add_special_tokens(vocab[:5])
    return bracket(t, "[CLS]", "[SEP]")


def unigram():
    splitter = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    words = [w for t in texts() for w, _ in splitter.pre_tokenize_str(t)]
    letters = frequent("".join(words), 150)
    parts = frequent((w[a:b] for w in words if len(w) < 20 for a in range(3) for b in range(a + 2, len(w) + 1)), 250)
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    total = sum(n for _, n in letters + parts)
    vocab = [(s, 0.0) for s in special] + [(p, round(log(n / total), 4)) for p, n in letters + parts]
    t = Tokenizer(models.Unigram(vocab, unk_id=3, byte_fallback=False))
    t.pre_tokenizer = splitter
    t.add_special_tokens(special)
    return bracket(t, "<s>", "</s>")


def bracket(t, first, last):
    from tokenizers.processors import TemplateProcessing

    ids = [(s, t.token_to_id(s)) for s in (first, last)]
    t.post_processor = TemplateProcessing(single=f"{first} $A {last}", special_tokens=ids)
    return t


def save(folder, tokenizer, config, tensors, dtype):
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    tensors = {k: v.detach().to(dtype).contiguous() for k, v in tensors.items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)


def bert(folder):
    t = wordpiece()
    c = BertConfig(
        vocab_size=t.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=64, pad_token_id=0, attn_implementation="eager")
    m = randomise(BertModel(c, add_pooling_layer=False), 1)
    save(folder, t, c.to_dict(), m.state_dict(), torch.float32)


def xlm_roberta(folder):
    t = unigram()
    c = XLMRobertaConfig(
        vocab_size=t.get_vocab_size(), hidden_size=48, num_hidden_layers=2, num_attention_heads=3,
        intermediate_size=100, max_position_embeddings=66, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        type_vocab_size=1, layer_norm_eps=1e-5)
    m = randomise(XLMRobertaModel(c, add_pooling_layer=False), 2)
    # As in files of which the encoder is a part.
    save(folder, t, c.to_dict(), {"roberta." + k: v for k, v in m.state_dict().items()}, torch.float16)


def nomic(folder):
    t = wordpiece()
    m = randomise(NomicBertModel(nomic_config(t.get_vocab_size()), add_pooling_layer=False), 3)
    tensors = {}
    for name, v in m.state_dict().items():
        for old, new in NOMIC:
            name = name.replace(old, new)
        tensors[name] = v
    for name in [n for n in tensors if "q_proj" in n]:
        parts = [tensors.pop(name.replace("q_proj", p + "_proj")) for p in "qkv"]
        tensors[name.replace("self_attn.q_proj", "attn.Wqkv")] = torch.cat(parts)
    save(folder, t, {
        "model_type": "nomic_bert", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_inner": 128, "n_positions": 8192,
        "max_trained_positions": 2048, "vocab_size": t.get_vocab_size(), "type_vocab_size": 2, "pad_token_id": 0,
        "layer_norm_epsilon": 1e-12, "activation_function": "swiglu", "rotary_emb_base": 1000,
        "rotary_emb_fraction": 1.0, "rotary_emb_interleaved": False, "rotary_emb_scale_base": None,
        "rotary_scaling_factor": None, "prenorm": False, "parallel_block": False, "causal": False,
        "use_rms_norm": False, "qkv_proj_bias": False, "mlp_fc1_bias": False, "mlp_fc2_bias": False,
    }, tensors, torch.bfloat16)


def nomic_config(vocab):
    return NomicBertConfig(
        vocab_size=vocab, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
        rope_parameters={"rope_type": "default", "rope_theta": 1000.0})


def load_nomic(folder, tensors):
    """The reference model for a folder that nomic() made."""
    vocab = json.loads((folder / "config.json").read_text())["vocab_size"]
    m = NomicBertModel(nomic_config(vocab), add_pooling_layer=False)
    state = {}
    for name, v in tensors.items():
        parts = [name]
        if "Wqkv" in name:
            parts = [name.replace("attn.Wqkv", f"self_attn.{p}_proj") for p in "qkv"]
        for part, value in zip(parts, v.chunk(len(parts))):
            for new, old in NOMIC:
                part = part.replace(old, new)
            state[part] = value
    m.load_state_dict(state)
    return m.eval()


if __name__ == "__main__":
    out = Path(sys.argv[1])
    bert(out / "bert")
    xlm_roberta(out / "xlm-roberta")
    nomic(out / "nomic")
