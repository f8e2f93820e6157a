"""The texts that vectors are compared for: at least 300, of many scripts and kinds."""

import itertools

FIXED = [
    "", " ", "\n\t ", "a", "A", "!", "...", "1", "3.14159", "2026-11-21T11:23:17Z", "\u200b", "\u00ad", "\ufeff",
    "The quick brown fox jumps over the lazy dog.", "the quick brown fox jumps over the lazy dog",
    "Prefers tabs over spaces in Go, and never a trailing comma in JSON.",
    "When deploying on Fridays, ask twice. The last rollback took four hours.",
    "café", "cafe\u0301", "Ünïcödé wörds àré fün", "naïve façade résumé", "Ångström ﬁnds ﬂuff ½ ² ™",
    "Straße, groß, Fußball; İstanbul ve ılık çay", "Zażółć gęślą jaźń", "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "Η ταχεία καφέ αλεπού", "Съешь же ещё этих мягких французских булок", "Щастя, здоров'я і миру",
    "שלום עולם, זה מבחן", "مرحبا بالعالم، هذا اختبار", "سلام دنیا", "नमस्ते दुनिया, यह एक परीक्षण है", "வணக்கம் உலகம்",
    "สวัสดีชาวโลก", "你好,世界。今天天气很好。", "東京は日本の首都です。カタカナとひらがな", "안녕하세요 세계", "ﾊﾝｶｸ ｶﾅ",
    "Tokyo 東京 mixed スクリプト text", "😀", "👩‍👩‍👧‍👦 family 👍🏽 thumbs 🇩🇪 flag", "❤️ vs ❤", "x² + y² = z² ∀x∈ℝ ∃y: ∑ᵢ xᵢ ≤ ∞",
    "func main() {\n\tfmt.Println(\"hello, world\")\n}", "SELECT * FROM memories WHERE id = ? ORDER BY created_at DESC LIMIT 10;",
    "def f(x: int) -> str:\n    return f\"{x!r}\" if x else None", "for (let i=0;i<n;i++){a[i]??=b?.c}", "#include <stdio.h>\r\nint main(void);",
    "https://example.org/path/to?q=1&r=%20#frag", "user@example.com", "C:\\Users\\x\\AppData", "/usr/local/bin:/usr/bin",
    "snake_case camelCase PascalCase kebab-case SCREAMING_CASE", "error: cannot find package \"foo\" in any of: GOROOT",
    "a" * 101, "ab" * 200, "x " * 60, "don't can't won't it's", "\"quoted\" 'single' «guillemets» “curly”", "tab\tnew\nline\rreturn\x0bvt",
    "control\x00\x01\x1fchars", "\ud55c\uae00", "e\u0301\u0323\u0308 stacked marks", "\u0644\u0627 ligature \ufefb", "１２３ full width ＡＢＣ",
    "▁ metaspace ▁▁ itself", "##ing ##ed pieces",
]

WHO = ["the user", "our team", "a new colleague", "the build server", "Dr. Müller", "the agent", "nobody", "the café owner"]
DOES = ["prefers", "forgot to document", "asked about", "benchmarked", "is allergic to", "rewrote", "never trusts"]
WHAT = [
    "SQLite in WAL mode", "a vegetarian menu for 12 people", "goroutine leaks in v1.26", "the meeting on Tuesday at 3pm",
    "flaky integration tests", "peanuts and shellfish", "UTF-8 in file names",
]


def story(words):
    """A text of that many words that does not repeat itself soon."""
    parts = itertools.cycle(f"{w} {d} {x}, number {i}." for i, (w, d, x) in enumerate(itertools.product(WHO, DOES, WHAT)))
    out = []
    while len(out) < words:
        out += next(parts).split()
    return " ".join(out[:words])


def texts():
    combined = [f"{w} {d} {x}." for i, (w, d, x) in enumerate(itertools.product(WHO, DOES, WHAT)) if i % 3]
    lengths = [story(n) for n in (20, 29, 30, 31, 32, 33, 47, 48, 49, 50, 61, 62, 63, 64, 65, 90, 120, 150, 200, 250, 300, 600, 2000)]
    return FIXED + combined + lengths + ["東京は日本の首都です。" * 40, "nospaces" * 100]
