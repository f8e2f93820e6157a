"""How package internal/retrieval/embed/bert divides a text into windows of tokens."""

from tokenizers import Tokenizer


def common(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


def windows(tokenizer, text, prefix, size):
    """Lists of ids, and how many of each no window before had."""
    first, *_, last = tokenizer.encode("").ids
    encode = lambda s: tokenizer.encode(s, add_special_tokens=False).ids
    ids = encode(prefix + text)
    lead = ids[: common(encode(prefix), ids)]
    ids = ids[len(lead):]
    room = size - 2 - len(lead)
    step = room - min(size // 8, room // 2)
    at = done = 0
    while True:
        end = min(at + room, len(ids))
        yield [first, *lead, *ids[at:end], last], end - done
        done = end
        if done == len(ids):
            return
        at += step


def plain(folder):
    """The tokenizer of a model without padding and truncation."""
    t = Tokenizer.from_file(str(folder / "tokenizer.json"))
    t.no_padding()
    t.no_truncation()
    return t
