"""Composes the stores that the ranker is fitted to beside the sets themselves.

    python stores.py DATA OUT

A store is a set of notes with others around it: chat, notes on other subjects, logs that hardly differ, long documents, source
code, notes in other languages; or its questions are asked otherwise: in capitals, twice, behind polite words, misspelt; or its notes
lie inside longer ones. Each has the form of the sets in DATA. The name of a store begins with that of its set, so that a question
falls into the same fold in all of them. No text of an evaluation bench or of the grid of lab/eval is used.
"""

import gzip
import json
import random
import re
import sys
from pathlib import Path

DATA, OUT = Path(sys.argv[1]), Path(sys.argv[2])
draw = random.Random(11)


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class Set:
    def __init__(self, docs, questions, answers):
        self.docs, self.questions, self.answers = docs, questions, answers

    def asked(self, form):
        return Set(self.docs, [q | {"text": form(q["text"])} for q in self.questions], self.answers)

    def beside(self, *others):
        return Set(sum(others, self.docs), self.questions, self.answers)

    def write(self, name, most):
        answered = {a[0] for a in self.answers}
        questions = [q for q in self.questions if q["_id"] in answered]
        if len(questions) > most:
            questions = random.Random(3).sample(questions, most)
        kept = {q["_id"] for q in questions}
        folder = OUT / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, list_ in ("corpus", self.docs), ("queries", questions):
            (folder / f"{file}.jsonl").write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in list_))
        answers = ["\t".join(a) + "\n" for a in self.answers if a[0] in kept]
        (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(answers))


def load(name):
    folder = DATA / name
    answers = [line.split("\t") for line in (folder / "qrels.tsv").read_text().splitlines()[1:] if line.strip()]
    return Set(rows(folder / "corpus.jsonl"), rows(folder / "queries.jsonl"), answers)


def notes(texts, prefix, importance=None):
    extra = {"importance": importance} if importance else {}
    return [{"_id": f"{prefix}{i}", "title": "", "text": t} | extra for i, t in enumerate(dict.fromkeys(texts))]


def chat_and_remarks():
    """Short turns of talk, and notes on many subjects, of the training pairs."""
    chat, remarks = [], []
    with gzip.open(DATA / "pairs/pairs-talk.jsonl.gz", "rt") as lines:
        for pair in map(json.loads, lines):
            chat += [t for t in (pair["a"], pair["b"]) if 2 <= len(t.split()) <= 16 and "\n" not in t]
    with gzip.open(DATA / "pairs/pairs-03.jsonl.gz", "rt") as lines:
        for i, pair in enumerate(map(json.loads, lines)):
            if i > 40_000:
                break
            if pair["source"].split("#")[-1] in ("next", "commit", "ict", "item") and 40 < len(pair["b"]) < 500:
                remarks.append(pair["b"])
    draw.shuffle(chat)
    draw.shuffle(remarks)
    return notes(chat[:700], "chat", 0.3), notes(remarks[:3000], "remark", 0.5)


def logs(n):
    pick, number = draw.choice, draw.randint
    services, places = ["quotes", "gateway", "billing", "search", "notifier", "ledger"], ["staging", "production", "canary"]
    line = lambda i: pick([
        f"Nightly backup of {pick(services)} finished at 0{number(1, 5)}:{number(10, 59)} with {number(20, 90)} GB in {number(5, 50)} minutes, no errors.",
        f"CI run {4000 + i} on branch main of {pick(services)}: {number(200, 900)} tests passed in {number(2, 9)}m{number(10, 59)}s, coverage {number(70, 90)} %.",
        f"Release v{number(1, 4)}.{number(0, 30)}.{number(0, 9)} of {pick(services)} rolled out to {pick(places)}; error rate stayed at 0.{number(1, 9)} %.",
    ])  # fmt: skip
    return notes([line(i) for i in range(n)], "log")


def misspelt(text):
    """Half of the longer words with two letters exchanged, one missing, or one twice."""
    out = []
    for w in text.split():
        if len(w) > 4 and draw.random() < 0.5:
            i, kind = draw.randint(0, len(w) - 2), draw.random()
            w = w[:i] + (w[i + 1] + w[i] + w[i + 2 :] if kind < 0.5 else w[i + 1 :] if kind < 0.8 else w[i] + w[i:])
        out.append(w)
    return " ".join(out)


def polite(text):
    return draw.choice(["can you remember ", "please tell me ", "do you know ", "I was wondering ", "remind me "]) + text


def wrong_digit(s):
    """Asks for the tickets of a set with a digit changed."""
    tickets = [(d["_id"], m[0]) for d in s.docs if (m := re.search(r"\b[A-Z]{2,6}-\d{3,6}\b", d["text"]))]
    draw.shuffle(tickets)
    questions, answers = [], []
    for i, (doc, ticket) in enumerate(tickets[:120]):
        name, digits = ticket.split("-")
        k = draw.randrange(len(digits))
        digits = digits[:k] + str((int(digits[k]) + draw.randint(1, 9)) % 10) + digits[k + 1 :]
        questions.append({"_id": f"digit{i}", "text": f"{name}-{digits}", "category": "wrong-digit"})
        answers.append((f"digit{i}", doc, "1"))
    return Set(s.docs, questions, answers)


def inside(s, sentences, words):
    """The notes of a set inside longer ones of some number of words on other subjects."""
    docs = []
    for d in s.docs:
        around, have = [], len(d["text"].split())
        while have < words:
            around.append(draw.choice(sentences))
            have += len(around[-1].split())
        around.insert(draw.randint(0, len(around)), d["text"])
        docs.append(d | {"text": " ".join(around)})
    return Set(docs, s.questions, s.answers)


TOPICS = {
    "retries": "use exponential delays with jitter and give up after five attempts", "session tokens": "keep them in an http-only cookie for eight hours",
    "the tax rules": "read them from the vendor once a night", "dark mode": "leave it to the operating system",
    "the data warehouse": "load it every hour from replicas", "invoice numbers": "never reuse one even if the order is cancelled",
    "rate limiting": "count by account and not by address", "the design system": "publish it as a package with its own version",
    "feature toggles": "remove each within a month after launch", "image uploads": "resize in the browser before sending",
    "push notifications": "send at most two a day for each person", "the admin panel": "put it behind the company network",
    "schema migrations": "run them in a separate step before the rollout", "localisation": "let translators edit files in the repository",
    "the staging cluster": "rebuild it from scratch on Sundays", "error budgets": "freeze releases when one is used up",
}  # fmt: skip
REASONS = ["the vendor asked for it", "support had forty complaints in a month", "the last two incidents began there", "it is what most of us had used before", "it costs a third", "nobody could explain the old way"]
CHATTER = ["Thinking about {t}.", "{t} again in the meeting.", "Any news on {t}?", "Talked about {t} with Ines.", "{t}: no progress.", "Someone should document {t}.", "Link about {t} in the channel.", "{t} is on the list for next week.", "Not sure about {t}.", "Question on {t} from the new colleague.", "{t} postponed.", "We should really discuss {t}.", "{t} demo was fine.", "Read up on {t}.", "Still {t}.", "The {t} topic is tiring.", "Coffee, then {t}.", "{t}, part two."]
ASKED = ["how do we handle {t}", "what is the agreement on {t}", "what did we settle for {t}", "why did we do {t} that way", "{t} verdict", "the conclusion about {t}"]
SHORT = ["Decision on {t}: we {what}, since {why}.", "{t}: agreed to {what}. Reason: {why}.", "After a long discussion the team settled how to handle {t}. We {what}; {why}."]
LONG = [
    "The group met twice on {t}. The minutes of the first meeting list four ways, and the second one ended with a clear vote: we {what}. Those who were against it had tried the same elsewhere, but {why}, and that weighed more. Whoever is on duty keeps the page in the handbook up to date, and the costs are shared between both departments until the next budget.",
    "Final word on {t} from the round of leads: {what}. It took three drafts, since {why}. The other drafts stay in the archive for those who wonder; two were too slow in the trial and one needed a licence that nobody wants to pay. It holds for all teams from the next quarter on, and exceptions go through the leads.",
]


def upper(text):
    return text[0].upper() + text[1:]


def decide(forms, order):
    """Decisions among chatter about their topics, which were recorded before it, after it, or among it."""
    docs, questions, answers = [], [], []
    for i, (t, what) in enumerate(TOPICS.items()):
        docs.append({"_id": f"d{i}", "title": "", "text": upper(draw.choice(forms).format(t=t, what=what, why=draw.choice(REASONS)))})
        docs += [{"_id": f"c{i}-{k}", "title": "", "text": upper(c.format(t=t))} for k, c in enumerate(CHATTER)]
        for k, form in enumerate(ASKED):
            questions.append({"_id": f"q{i}-{k}", "text": form.format(t=t), "category": f"form{k}"})
            answers.append((f"q{i}-{k}", f"d{i}", "1"))
    if order == "after":
        docs.reverse()
    elif order == "among":
        draw.shuffle(docs)
    return Set(docs, questions, answers)


def around(own, chat, remarks, pages, code, world):
    """Sets of notes with others around them."""
    lines = logs(500)
    for name in "team", "life", "lessons", "exact":
        own[name].beside(chat[:500]).write(f"{name}_chat", 150)
        own[name].beside(remarks).write(f"{name}_many", 150)
    for name in "team", "lessons", "exact":
        own[name].beside(lines).write(f"{name}_logs", 150)
    for name in "team", "life":
        own[name].beside(pages.docs[:60]).write(f"{name}_man", 120)
        own[name].beside(world.docs).write(f"{name}_world", 150)
    own["lessons"].beside(code.docs[:600]).write("lessons_code", 120)
    few = Set(pages.docs[:60], pages.questions, [a for a in pages.answers if a[1] in {d["_id"] for d in pages.docs[:60]}])
    few.beside(own["team"].docs, own["life"].docs, remarks[:500]).write("man_notes", 120)


def languages(own, remarks, world):
    """Notes of other languages among English ones, and English ones among those."""
    english = own["team"].docs + own["lessons"].docs + own["exact"].docs
    world.beside(english, remarks[:2500]).write("world_in3", 200)
    world.beside(english[:200], remarks[:900]).write("world_in10", 200)
    sentences = load("xquad_sentences")
    half, mix = sentences.docs[:600], []
    for code in "de", "es", "ru", "zh", "ar":
        s = load(f"xquad_langs/{code}")
        few = s.docs[-60:]
        mix += s.docs[-120:]
        Set(half + remarks[:1200] + few, s.questions, [a for a in s.answers if a[1] in {d["_id"] for d in few}]).write(f"x3_{code}", 80)
    Set(half + mix, sentences.questions, [a for a in sentences.answers if a[1] in {d["_id"] for d in half}]).write("x_en_mix", 150)


def forms(own, remarks):
    """Questions asked otherwise."""
    for name in "team", "life", "lessons", "exact":
        s = own[name]
        s.asked(str.upper).write(f"{name}_caps", 100)
        s.asked(misspelt).write(f"{name}_typos", 100)
        s.beside(remarks[:1500]).asked(misspelt).write(f"{name}_typos_many", 100)
        if name != "exact":
            s.asked(lambda text: f"{text} {text}").write(f"{name}_twice", 100)
            s.asked(polite).write(f"{name}_polite", 100)
    wrong_digit(own["exact"]).write("exact_digit", 120)


def main():
    own = {name: load(f"agents/{name}") for name in ("team", "life", "lessons", "exact")}
    world, pages, code = load("agents/world"), load("agents/manpages"), load("agents/code_go")
    chat, remarks = chat_and_remarks()
    around(own, chat, remarks, pages, code, world)
    languages(own, remarks, world)
    forms(own, remarks)
    for order in "before", "after", "among":
        decide(SHORT, order).write(f"decide_{order}", 100)
        decide(LONG, order).write(f"decide_long_{order}", 100)
    sentences = [d["text"] for d in remarks]
    for words in 100, 500, 2000:
        for name in "life", "lessons":
            inside(own[name], sentences, words).write(f"{name}_inside{words}", 120)


main()
