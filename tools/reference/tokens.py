"""Writes the golden files of internal/retrieval/embed/token/testdata.

    python tokens.py ../../internal/retrieval/embed/token/testdata FOLDER_OF_MINILM

wordpiece.jsonl holds texts and their numbers by the tokenizer of MiniLM, whose
vocabulary is copied beside it; characters.txt what it makes of each character. unigram-NAME.json.gz are small tokenizers in the
shapes of XLM-R files, trained here, unigram-NAME.jsonl texts and numbers by them.
"""

import gzip
import hashlib
import io
import json
import random
import struct
import sys
from pathlib import Path

import sentencepiece
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

from vectors_texts import texts

MORE = [
    "x" * 100, "x" * 101, "a" + "é" * 99, "a" + "é" * 100, "İstanbul", "ẞ", "ǅ", "Σίσυφος ΣΑΣ", "e\u0301e\u0301", "\u0301", "a\u0301\u0323b",
    "=\u0338", "<\u0338 x", "\u1e9b\u0323", "한글", "가각", "が ガ ｶﾞ", "豈 更", "\ufdfa", "①②③ ㎏ ㍿", "½ cup", "x²+y²=z²", "\u00a0\u2003\u3000a",
    "a\u200bb\u200cc\u200dd", "a\u00adb", "a\x00b", "a\x07b", "a\x85b", "a\u2028b", "\ue000private", "\U000e0001tag", "don't can't won't",
    "C++ C# .NET node.js", "snake_case camelCase PascalCase SCREAMING_CASE", "https://example.com/a?b=c&d=e#f", "user@example.com",
    "for i := range 10 { fmt.Println(i) }", "if (x <= y && !z) { return a[0]; }", "SELECT * FROM t WHERE a='b';", "[CLS] in text [SEP]",
    "[MASK]ed and [UNK]nown [PAD]", "<s>html</s> <unk> <mask>", "▁ under ▁mark", "  two  spaces   three    four ", "tab\there\nline\r\nend",
    "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪", "🤖" * 20, "ﷺ ﷽", "नमस्ते क्षत्रिय", "ไทยไทย", "ខ្មែរ", "မြန်မာ", "አማርኛ", "ქართული", "Հայերեն", "ᏣᎳᎩ", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝕏", "𠀀𠀁", "㐀㐁",
    "１２３ ＡＢＣ", "“quotes” ‘single’ «guillemets» „low“", "en–dash em—dash …", "1,234.56 €99 $5 50% §3 ¶", "\\n \\t \\\\", "`code` ~tilde~ ^caret^ |pipe|",
]


def corpus():
    """Texts of everyday words to train small tokenizers with."""
    rng = random.Random(3)
    words = " ".join(texts()).split()
    return [" ".join(rng.choices(words, k=rng.randint(3, 12))) for _ in range(6000)] + texts()


def spm(size, rule):
    """A SentencePiece model: its pieces and its character map."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(t for t in corpus() if t.strip()), model_writer=out, vocab_size=size, normalization_rule_name=rule,
        character_coverage=0.999, hard_vocab_limit=False, minloglevel=2, num_threads=1)
    from sentencepiece import sentencepiece_model_pb2 as pb
    m = pb.ModelProto()
    m.ParseFromString(out.getvalue())
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(p.piece, p.score) for p in m.pieces[3:]]
    return pieces + [("<mask>", 0.0)], m.normalizer_spec.precompiled_charsmap


def template(t):
    t.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    t.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    return t


def unigrams():
    """Tokenizers as the converters of different times wrote them."""
    pieces, charmap = spm(1200, "nmt_nfkc")
    old = Tokenizer(Unigram(pieces, unk_id=3))
    old.normalizer = normalizers.Precompiled(charmap)
    old.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    yield "split", template(old)
    new = Tokenizer(Unigram(pieces, unk_id=3))
    new.normalizer = normalizers.Sequence([normalizers.Precompiled(charmap), normalizers.Replace(Regex(" {2,}"), " ")])
    new.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    yield "metaspace", template(new)
    pieces = pieces[:-1] + [(f"<0x{b:02X}>", -20.0) for b in range(256)] + pieces[-1:]
    fallback = Tokenizer(Unigram(pieces, unk_id=3, byte_fallback=True))
    fallback.normalizer = normalizers.Sequence([normalizers.Strip(left=True, right=True), normalizers.Precompiled(charmap)])
    fallback.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    yield "bytes", template(fallback)


def write(path, tokenizer, special):
    with path.open("w") as f:
        for t in list(dict.fromkeys(texts() + MORE)):
            ids = tokenizer.encode(t).ids
            assert (ids[0], ids[-1]) == special, t
            f.write(json.dumps({"text": t, "ids": ids[1:-1]}, ensure_ascii=True, separators=(",", ":")) + "\n")


def characters(path, tokenizer):
    """One line for 4096 characters: a digest of what each is cut into between two letters."""
    with path.open("w") as f:
        for block in range(0, 0x110000, 4096):
            texts = [f"a{chr(c)}b" for c in range(block, block + 4096) if not 0xD800 <= c < 0xE000]
            digest = hashlib.sha256()
            for e in tokenizer.encode_batch(texts, add_special_tokens=False):
                digest.update(struct.pack(f"<{len(e.ids) + 1}H", len(e.ids), *e.ids))
            f.write(f"{block:06X} {digest.hexdigest()[:16]}\n")


def main():
    out, minilm = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(exist_ok=True)
    (out / "vocab.txt").write_bytes((minilm / "vocab.txt").read_bytes())
    t = Tokenizer.from_file(str(minilm / "tokenizer.json"))
    t.no_padding()
    t.no_truncation()
    write(out / "wordpiece.jsonl", t, (101, 102))
    characters(out / "characters.txt", t)
    for name, t in unigrams():
        (out / f"unigram-{name}.json.gz").write_bytes(gzip.compress(t.to_str().encode(), mtime=0))
        write(out / f"unigram-{name}.jsonl", t, (0, 2))


main()
