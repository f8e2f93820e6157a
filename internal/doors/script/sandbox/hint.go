package sandbox

import "regexp"

// hint says what to write instead of something that Starlark lacks.
type hint struct {
	// message and source are patterns of the message of a failure and of its line; empty: any.
	message, source string
	text            string
}

// hints returns the hints; the first that matches counts.
func hints() []hint {
	return []hint{
		{"", `^(import|from)\b`, "there is no import: json, time, math and struct are here already"},
		{"got string literal|got bytes literal|undefined: f$", `\b[fF]["']`, `there are no f-strings: write "%s: %d" % (a, n), or "{}: {}".format(a, n)`},
		{"", `^(try|except|finally|raise)\b`, `there are no exceptions: test first with if. An error ends the program, and then nothing is stored; fail("why") does so on purpose`},
		{"", `^with\b`, "there is no with: a program has no files"},
		{"", `^class\b`, "there are no classes: use a dict, or struct(a=1, b=2)"},
		{"", `^(async|await|yield)\b|\byield\b`, "there are no generators and nothing to await: build a list"},
		{"", `^(global|nonlocal)\b`, "there is no global: keep the value in a dict or a list, and change that"},
		{"", `^assert\b`, `there is no assert: write if not ok: fail("why")`},
		{"", `^del\b`, "there is no del: use d.pop(key), or build a new list"},
		{"", `\bis (not )?(None|True|False|\w)`, "there is no is: use == or !="},
		{"", `\*\*\s*[\w(]`, "there is no power operator: multiply, or use math.pow"},
		{"", `:=`, "there is no := : assign on a line of its own"},
		{"return statement not within", "", "end the program with the value itself, or assign it to result"},
		{"got ':'|want '='|want newline", `^\w+\s*:\s*\w+.*=`, "there are no type annotations: write x = 1"},
		{"called recursively", "", "recursion is off: use a loop with a list as a stack"},
		{"more than .* steps|computed for more", "", "is there an endless loop? Filter in search (limit, tags, when) rather than in the program"},
		{"undefined: (datetime|timedelta|date)", "", `use time: time.now(), m.created > time.now() - time.parse_duration("48h"), m.created.format("2006-01-02"); or m.date`},
		{"undefined: (re|regex)", "", `there are no regular expressions: use "x" in s, s.startswith, s.find, s.split`},
		{"undefined: (open|os|sys|subprocess|requests|urllib|input)", "", "a program has no files, network or environment: only the memory"},
		{"undefined: isinstance", "", `use type(x) == "string" ("list", "dict", "int", "float", "memory")`},
		{"undefined: (map|filter)", "", "use a comprehension: [f(x) for x in xs if x.score > 0.5]"},
		{"undefined: (defaultdict|Counter|collections)", "", "use d[k] = d.get(k, 0) + 1"},
		{"undefined: load|load not implemented", "", "there is nothing to load: json, time, math and struct are here already"},
		{`has no \.sort`, "", "use sorted(list, key=lambda x: ..., reverse=True)"},
		{`has no \.copy`, "", "use list(x) or dict(x)"},
		{`has no \.(strftime|isoformat)`, "", `use t.format("2006-01-02 15:04"), which is that date in the form that is wanted`},
		{`has no \.(text|body|message|summary)`, "", "the text of a memory is m.content, the beginning of it m.preview"},
		{`has no \.(time|timestamp|created_at)`, "", "the time of a memory is m.created, as text m.date"},
		{"string value is not iterable", "", `iterate over the characters with s.elems(), over lines with s.splitlines()`},
		{"unknown conversion|%[.0-9]+[a-z]|unknown index|expected '}'|format spec features not supported", "", `formats have no width or precision: write "%s" % round(x, 2)`},
		{"too many open files|unknown time zone", "", "times are in UTC or have an offset, like 2026-03-01T12:00:00+01:00"},
		{`unknown binary op: (string \+|\w+ \+ string)`, "", "turn other values into text with str(x)"},
	}
}

// hintFor returns the hint for a failure; empty if there is none.
func hintFor(f *Failure) string {
	for _, h := range hints() {
		if (h.message == "" || regexp.MustCompile(h.message).MatchString(f.Message)) && (h.source == "" || regexp.MustCompile(h.source).MatchString(f.Source)) {
			if h.message == "" && !isSyntax(f) {
				continue
			}
			return h.text
		}
	}
	return ""
}

// isSyntax reports whether a failure is one of the parser or the resolver.
func isSyntax(f *Failure) bool {
	return regexp.MustCompile(`^(got |syntax error|undefined|unexpected|.*not an identifier|.*reserved)`).MatchString(f.Message)
}
