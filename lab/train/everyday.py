"""Sentences about everyday life, put together from the words of everyday.txt: what people do, say, ask, plan and feel."""

import random
from pathlib import Path


def words():
    """The sections of everyday.txt: name to list of entries."""
    out, name = {}, None
    for line in Path(__file__).with_name("everyday.txt").read_text().splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            out[name] = ""
        elif name and line:
            out[name] += " " + line
    return {n: [e.strip() for e in text.split("|")] for n, text in out.items()}


def upper(text):
    return text[:1].upper() + text[1:]


class Speaker:
    """Makes sentences; the same seed makes the same ones."""

    KINDS = {"scene": 26, "picture": 5, "trip": 18, "mood": 8, "taste": 10, "news": 12, "request": 8, "question": 8, "comparison": 5}

    def __init__(self, seed):
        self.random, self.words = random.Random(seed), words()

    def pick(self, section):
        return self.random.choice(self.words[section])

    def chance(self, p):
        return self.random.random() < p

    def said(self, text):
        """A remark: with or without an opening and an ending."""
        opening = self.pick("opening") + " " if self.chance(.5) else ""
        ending = self.pick("ending") if self.chance(.5) else "."
        return opening + text + ("" if ending[0] in ",.!?" else " ") + ending

    def person(self):
        """A name as it stands inside a sentence."""
        name = self.pick("name")
        first = name.split()[0]
        return name[0].lower() + name[1:] if first in {"She", "He", "They", "We", "My", "The", "Our"} else name

    def scene(self):
        if self.chance(.15):
            who = self.pick("group")
            plural = who.split()[0] in {"two", "three", "several", "some", "both", "most"} or who.startswith("a few")
            article = "" if plural or who.startswith("a ") else self.random.choice(["a ", "the "])
        else:
            who, plural = self.pick("who"), False
            who = self.pick("adjective") + " " + who if self.chance(.3) else who
            article = self.random.choice(["an " if who[0] in "aeiou" else "a ", "the ", "one ", "that "])
        verb = "are " if plural else self.random.choice(["is ", "is ", "is ", "was "])
        rest = ("not " if self.chance(.05) else "") + self.pick("do") + (" " + self.pick("where") if self.chance(.4) else "")
        return upper(article + who + " " + verb + rest) + ("." if self.chance(.85) else "")

    def picture(self):
        start = self.random.choice(["There is a", "I see a", "Here is a", "A picture of a", "A photo of a"])
        return f"{start} {self.pick('adjective')} {self.pick('who')} {self.pick('do')}."

    def trip(self):
        return self.said(f"{self.pick('name')} {self.pick('went')} {self.pick('event')} {self.pick('when')}")

    def mood(self):
        verb = self.random.choice(["felt", "was", "got", "seemed", "is feeling", "has been"])
        return self.said(f"{self.pick('name')} {verb} {self.pick('feeling')} {self.pick('why')}")

    def taste(self):
        more = f" and {self.pick('thing')}" if self.chance(.3) else ""
        return self.said(f"I {self.pick('like')} {self.pick('thing')}{more}")

    def news(self):
        source = " " + self.pick("source") if self.chance(.8) else ""
        return self.pick("newsmaker") + " " + self.pick("news") + source + self.random.choice([".", ""])

    def request(self):
        return f"{self.pick('ask')} {self.pick('topic')}{self.random.choice(['?', '', '.'])}"

    def question(self):
        who, event, thing, when = self.person(), self.pick("event"), self.pick("thing"), self.pick("when")
        return self.random.choice([
            f"When did {who} go to {event}?", f"What does {who} think about {thing}?", f"Why was {who} {self.pick('feeling')} {when}?",
            f"Where did {who} buy {thing}?", f"What did {who} do {when}?", f"Who went to {event} with {who}?",
            f"How often does {who} go to {event}?", f"What kind of food does {who} like?", f"Which hobby did {who} start {when}?",
            f"How many times did {who} visit {event}?",
        ])

    def comparison(self):
        verb = self.random.choice(["is", "was", "will be"])
        how = self.random.choice(["better than", "as good as", "nothing like", "similar to", "more fun than", "cheaper than", "worse than"])
        return f"{upper(self.pick('thing'))} {verb} {how} {self.pick('thing')}."

    def sentence(self):
        kind = self.random.choices(list(self.KINDS), self.KINDS.values())[0]
        return getattr(self, kind)()


def sentences(count, seed):
    """count different sentences, in random order."""
    speaker, made = Speaker(seed), {}
    while len(made) < count:
        made[speaker.sentence()] = None
    return list(made)


if __name__ == "__main__":
    print("\n".join(sentences(40, 1)))
