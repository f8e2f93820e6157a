package drivertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

func contentChecks() []check {
	return []check{
		{"texts_come_back_unchanged", weirdContent},
		{"labels_come_back_unchanged", weirdLabels},
		{"largest_content", largestContent},
		{"most_and_longest_elements", mostElements},
	}
}

// lineTexts are one-line texts that some encoding, shell, query language or
// file system would like to change.
func lineTexts() []string {
	return []string{
		"plain", "a", "Ünïcödé", "日本語のテキスト", "Ελληνικά", "🦛", "👩🏽‍🚀👨‍👩‍👧‍👦 family", "🇺🇳",
		"עברית ואז English", "\u202eright to left override\u202c", "مرحبا 123",
		"cafe\u0301", "café", "Z\u0351\u036f\u033aalgo", "ﬁ ligature", "İstanbul ẞ ß", "\ufeffbyte order mark",
		"zero\u200bwidth", "line\u2028separator\u2029", "no\u00a0break", "\ufffd", "\uffff", "\U0010ffff",
		"../../etc/passwd", "..", ".", "/", `C:\Windows\system32`, "con", "name.json", ".hidden", "~", "*", "a/b/c",
		`"double" 'single' ` + "`back`", "'; DROP TABLE memories; --", `\`, `\n`, `\u0041`, "%s %d %", "$HOME ${HOME} $(id)",
		"<script>alert(1)</script> &amp;", "{{.}}", "{\"json\": true}", "null", "true", "0", "-1", "1e9", "[1,2]",
		"comma, separated, words", "semi;colon", "pipe|tab", "#hash", "key: value", "- item", "---", "a=b", "@at", "!",
		"two  spaces", "NULL", "NaN", "aux?", "e\u0301\u0301\u0301", strings.Repeat("x", 128),
	}
}

func weirdContent(t *testing.T, h Harness) {
	texts := append(lineTexts(),
		"unix\nlines\n", "dos\r\nlines\r\n", "mac\rlines\r", "mixed\n\r\n\r\n\n", "\n\nafter blanks", "\tindent\t", "  around  ",
		"---\ntitle: front matter\n---\nbody", "```go\nfunc main() {}\n```", "trailing space \n", "x\n\x20\x20\ny",
	)
	var ms []*hippo.Memory
	for i, text := range texts {
		ms = append(ms, withText(i, text))
	}
	roundTrip(t, h, ms...)
}

// weirdLabels uses the texts wherever a short text may stand, alone and in lists.
func weirdLabels(t *testing.T, h Harness) {
	var ms []*hippo.Memory
	var all []string
	for i, s := range lineTexts() {
		m := plain(i)
		if len(s) <= hippo.MaxType {
			m.Type = s
		}
		m.Namespace = s
		if s != "*" { // as a project it stands for all of them
			m.Project = s
		}
		m.Source = hippo.Source{Kind: hippo.SourceUser, Author: s, Client: s, Session: s, URI: s}
		m.Tags, m.Situation = []string{s}, []string{s}
		all = append(all, s)
		ms = append(ms, m)
	}
	lists := plain(1000)
	lists.Tags = all[:min(len(all), hippo.MaxTags)]
	lists.Situation = all[:min(len(all), hippo.MaxSituations)]
	again := plain(1001)
	again.Tags, again.Situation = []string{"b", "a", "B"}, []string{"same", "same, but longer", "sam"}
	roundTrip(t, h, append(ms, lists, again)...)
}

func largestContent(t *testing.T, h Harness) {
	var varied strings.Builder
	for i := 0; varied.Len() < 250_000; i++ {
		fmt.Fprintf(&varied, "line %d, %x, ö, 🦛\n", i, i*i*7919)
	}
	ms := []*hippo.Memory{
		withText(1, varied.String()),
		withText(2, strings.Repeat("é", hippo.MaxContent/2)),
		withText(3, strings.Repeat("\n", hippo.MaxContent-1)+"x"),
		withText(4, strings.Repeat("x", hippo.MaxContent)),
	}
	b := h.fresh(t)
	put(t, b, ms...)
	for i, m := range get(t, b, idsOf(ms)...) {
		if m.Content != ms[i].Content {
			t.Errorf("content %d of %d bytes came back changed, with %d bytes",
				i, len(ms[i].Content), len(m.Content))
		}
	}
}

func mostElements(t *testing.T, h Harness) {
	m := plain(1)
	for i := range hippo.MaxTags {
		m.Tags = append(m.Tags, fmt.Sprintf("%03d", i)+strings.Repeat("t", hippo.MaxTag-3))
	}
	for i := range hippo.MaxSituations {
		m.Situation = append(m.Situation, fmt.Sprintf("%03d", i)+strings.Repeat("s", hippo.MaxSituation-3))
	}
	m.Type = strings.Repeat("y", hippo.MaxType)
	m.Project, m.Namespace = strings.Repeat("p", hippo.MaxName), strings.Repeat("n", hippo.MaxName)
	roundTrip(t, h, m)
}
