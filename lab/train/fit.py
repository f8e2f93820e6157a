"""Fits the table of token vectors to the teacher, and the weights of tokens to search."""

import time

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding_bag, kl_div, log_softmax, normalize, softmax

EPOCHS, BATCH, RATE = 5, 1024, .008
# The loss of a sentence is 1 - cosine, and this much of the divergence between the
# similarities in a batch: the order of neighbours is learned, too.
DIVERGENCE, TEMPERATURE = .05, .05
# Frequent tokens begin small: their share of the text beside this one halves them.
RARE = 1e-3
# The weights of search are learned in the last steps, while the table stands still for them.
SEARCH_FROM, SEARCH_BATCH, SEARCH_LOSS, SEARCH_RATE = .85, 512, .3, .02
# The position at which a token counts half of the first. In use, where texts are longer than
# the sides of pairs, it is more: see package static.
LEADING = 32


class Bags:
    """Texts as token ids, one after the other."""

    def __init__(self, ids):
        self.n = np.array([len(i) for i in ids], np.int64)
        self.flat = np.concatenate(ids).astype(np.int64)
        self.start = np.cumsum(self.n) - self.n

    def take(self, rows):
        """The ids of these texts, and where each begins."""
        n = self.n[rows]
        at = np.cumsum(n) - n
        where = np.repeat(self.start[rows] - at, n) + np.arange(n.sum())
        return torch.from_numpy(self.flat[where]), torch.from_numpy(at)


class Table(torch.nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.rows = torch.nn.Parameter(torch.tensor(rows, dtype=torch.float32))
        self.weights = torch.nn.Parameter(torch.zeros(len(rows)))

    def sentences(self, flat, at):
        return normalize(embedding_bag(flat, self.rows, at, mode="sum"), dim=1)

    def search(self, flat, at):
        n = torch.diff(torch.cat([at, torch.tensor([len(flat)])]))
        position = torch.arange(len(flat)) - torch.repeat_interleave(at, n)
        weights = torch.exp(self.weights)[flat] * LEADING / (LEADING + position)
        return normalize(embedding_bag(flat, self.rows.detach(), at, mode="sum", per_sample_weights=weights), dim=1)


def beginning(single, flat):
    """The table before learning: the teacher's vectors of single tokens, the frequent ones small."""
    share = np.bincount(flat, minlength=len(single)) / len(flat)
    return single * (RARE / (RARE + share))[:, None]


def likeness(v, y):
    """How far the vectors v are from the teacher's y."""
    off = -1e4 * torch.eye(len(v))
    mine, theirs = v @ v.T / TEMPERATURE + off, y @ y.T / TEMPERATURE + off
    return (1 - (v * y).sum(1)).mean() + DIVERGENCE * kl_div(log_softmax(mine, 1), softmax(theirs, 1), reduction="batchmean")


class Kinds:
    """Draws pairs: of all kinds, or of one, which are harder to tell apart."""

    def __init__(self, kinds, usable):
        kinds = np.array(kinds)
        self.all, names = np.flatnonzero(usable), sorted(set(kinds))
        self.of = [np.flatnonzero(usable & (kinds == k)) for k in names]
        share = np.array([len(o) for o in self.of]) ** .7
        self.share = share / share.sum()

    def draw(self, rng, one):
        pool = self.of[rng.choice(len(self.of), p=self.share)] if one else self.all
        return rng.choice(pool, SEARCH_BATCH, replace=len(pool) < SEARCH_BATCH)


def contrast(table, a, b, rows):
    """InfoNCE in both directions: each first side belongs to its second."""
    scores = table.search(*a.take(rows)) @ table.search(*b.take(rows)).T / TEMPERATURE
    target = torch.arange(len(rows))
    return (cross_entropy(scores, target) + cross_entropy(scores.T, target)) / 2


def fit(ids, vectors, single, pairs, seed):
    """Returns the rows of the table and the weights of tokens in a search."""
    torch.manual_seed(seed)
    rng, texts = np.random.default_rng(seed), Bags(ids)
    table = Table(beginning(single, texts.flat))
    kinds, a, b = pairs
    a, b = Bags(a), Bags(b)
    kinds = Kinds(kinds, (a.n > 0) & (b.n > 0))
    groups = [{"params": [table.rows], "rate": RATE}, {"params": [table.weights], "rate": SEARCH_RATE}]
    adam, begun = torch.optim.Adam(groups, betas=(.9, .99)), time.time()
    full = np.flatnonzero(texts.n > 0)
    per_epoch = len(full) // BATCH
    steps = EPOCHS * per_epoch
    for step in range(steps):
        if step % per_epoch == 0:
            order = rng.permutation(full)
        rows = order[step % per_epoch * BATCH:][:BATCH]
        y = normalize(torch.from_numpy(vectors[rows].astype(np.float32)), dim=1)
        loss = likeness(table.sentences(*texts.take(rows)), y)
        if step >= SEARCH_FROM * steps:
            loss = loss + SEARCH_LOSS * contrast(table, a, b, kinds.draw(rng, one=step % 2 == 1))
        for g in adam.param_groups:
            g["lr"] = g["rate"] * max(.01, 1 - step / steps)
        adam.zero_grad()
        loss.backward()
        adam.step()
        if step % 200 == 0:
            print(f"step {step} of {steps}: loss {loss.item():.4f}, {time.time() - begun:.0f} s", flush=True)
    return table.rows.detach().numpy(), table.weights.detach().numpy()
