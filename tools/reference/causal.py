"""Makes the tiny causal transformers of internal/retrieval/embed/causal/testdata, and the reference figures of them and
of byte-level BPE.

    python causal.py ../../internal/retrieval/embed/causal/testdata ../../internal/retrieval/embed/token/testdata

Each has random weights in the layout of published files. texts.jsonl holds texts and their mean negative log
likelihood in nats a token, computed by transformers in 64 bits; null: fewer than two tokens. bpe-NAME.jsonl
holds texts and the numbers of their tokens, splits.txt what the expressions make of each character. The files
are the same on every run.
"""

import gzip
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import GPT2Config, GPT2LMHeadModel, Qwen2Config, Qwen2ForCausalLM

from models import save
from vectors_texts import texts

# QWEN is the expression of the tokenizer.json of Qwen2.
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

MORE = [
    "I'LL we'Ve it'S he'D 'twas 'S'T", "it'\u017f", "a\u00a0\u2003 b", "x \n \n y", "  lead", "trail  ", "\n\n\na", "a \r\n\r\n b", "tab\t\tb", "1234567",
    "١٢٣ ½ Ⅷ", "e\u0301 cafe\u0301", "<|endoftext|>after", "before <|endoftext|> and<|endoftext|>", "!!! ?? ...\n", "a.b,c;d", "''''s", "don''t",
    "\x85next", "\u2028line", "\u1680ogham", "\u180e", "𝔘𝔫𝔦 🤖🤖", "\ufffd", "a  b   c    d", "    indented\n        more", "x\x0by\x0cz",
]


def all_texts():
    return list(dict.fromkeys([t for t in texts() if len(t) < 500] + MORE))


def splitters():
    yield "gpt2", pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    yield "qwen2", pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN), "isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def merged(splitter, n):
    """n merges learned from the texts: trainers of tokenizers are not repeatable."""
    words = Counter(w for t in texts() for w, _ in splitter.pre_tokenize_str(t) if len(w) < 30)
    words = {tuple(w): k for w, k in words.items()}
    out = []
    for _ in range(n):
        pairs = Counter()
        for w, k in words.items():
            for p in zip(w, w[1:]):
                pairs[p] += k
        best = min(pairs, key=lambda p: (-pairs[p], p))
        out.append(best)
        words = {join(w, best): k for w, k in words.items()}
    return out


def join(word, pair):
    out, i = [], 0
    while i < len(word):
        if word[i:i + 2] == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def tokenizer(name, splitter):
    merges = merged(splitter, 160)
    vocab = sorted(pre_tokenizers.ByteLevel.alphabet()) + ["".join(m) for m in merges]
    t = Tokenizer(models.BPE({w: i for i, w in enumerate(dict.fromkeys(vocab))}, merges))
    t.pre_tokenizer = splitter
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    if name == "qwen2":
        t.normalizer = normalizers.NFC()
    t.add_special_tokens(["<|endoftext|>"])
    return t


def randomise(model, seed):
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            r = torch.randn(p.shape, generator=g)
            if p.ndim == 1:
                norm = "ln_" in name or "norm" in name
                p.copy_(1 + 0.2 * r if norm and name.endswith("weight") else 0.1 * r)
            elif "wte" in name or "wpe" in name or "embed" in name or "lm_head" in name:
                p.copy_(0.4 * r)
            else:
                p.copy_(r / max(p.shape) ** 0.5)
    return model.eval()


def gpt2(vocab):
    return GPT2LMHeadModel(GPT2Config(vocab_size=vocab, n_embd=48, n_layer=2, n_head=3, n_positions=64, bos_token_id=vocab - 1, eos_token_id=vocab - 1))


def qwen2(vocab):
    return Qwen2ForCausalLM(Qwen2Config(
        vocab_size=vocab, hidden_size=48, intermediate_size=80, num_hidden_layers=2, num_attention_heads=6, num_key_value_heads=2,
        max_position_embeddings=200, tie_word_embeddings=False, rope_parameters={"rope_type": "default", "rope_theta": 1000.0}))


def likelihood(model, tokenizer, text, positions):
    ids = tokenizer.encode(text).ids[:positions]
    if len(ids) < 2:
        return None
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits[0, :-1]
    p = torch.log_softmax(logits.double(), -1)
    return round(-p[torch.arange(len(ids) - 1), torch.tensor(ids[1:])].mean().item(), 6)


def splits(f, name, splitter):
    """One line for 4096 characters: a digest of the lengths in bytes into which each is split among others."""
    for block in range(0, 0x32000, 4096):  # no letter is beyond
        digest = hashlib.sha256()
        for c in map(chr, range(block, block + 4096)):
            if not 0xD800 <= ord(c) < 0xE000:
                text = f"a{c}b1{c}2 {c}.{c}\n{c} {c}'{c}"
                digest.update(bytes(len(text[a:b].encode()) for _, (a, b) in splitter.pre_tokenize_str(text)))
        f.write(f"{name} {block:06X} {digest.hexdigest()[:16]}\n")


def main():
    torch.set_num_threads(1)
    out, tokens = Path(sys.argv[1]), Path(sys.argv[2])
    with (tokens / "splits.txt").open("w") as f:
        for (name, splitter), make, seed in zip(splitters(), (gpt2, qwen2), (1, 2)):
            splits(f, name, splitter)
            t = tokenizer(name, splitter)
            (tokens / f"bpe-{name}.json.gz").write_bytes(gzip.compress(t.to_str().encode(), mtime=0))
            with (tokens / f"bpe-{name}.jsonl").open("w") as g:
                for text in all_texts():
                    g.write(json.dumps({"text": text, "ids": t.encode(text).ids}, separators=(",", ":")) + "\n")
            m = randomise(make(t.get_vocab_size()), seed)
            # As in published files: the base model of GPT-2, whose head is its embedding.
            tensors = {k.removeprefix("transformer."): v for k, v in m.state_dict().items() if name != "gpt2" or k != "lm_head.weight"}
            folder = out / name
            save(folder, t, m.config.to_dict(), tensors, torch.bfloat16 if name == "qwen2" else torch.float16)
            prefix = "transformer." if name == "gpt2" else ""
            m.load_state_dict({prefix + k: v.float() for k, v in load_file(folder / "model.safetensors").items()}, strict=False)
            m.tie_weights()
            m = m.double()
            positions = getattr(m.config, "n_positions", None) or m.config.max_position_embeddings
            with (folder / "texts.jsonl").open("w") as g:
                for text in [*all_texts()[::4], *(x for x in texts() if 500 < len(x) < 3000)]:
                    g.write(json.dumps({"text": text, "nats": likelihood(m, t, text, positions)}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
