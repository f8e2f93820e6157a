package when_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct{ phrase, rest, span string }{
		"what did we do last week about auth":         {"last week", "what did we do about auth", "2026-11-09 .. 2026-11-16"},
		"bugs from january":                           {"from january", "bugs", "2026-01-01 .. 2026-02-01"},
		"Bugs from January?":                          {"from January", "Bugs?", "2026-01-01 .. 2026-02-01"},
		"What broke yesterday morning, and why?":      {"yesterday morning", "What broke, and why?", "2026-11-19 05:00 .. 2026-11-19 12:00"},
		"notes (last week)":                           {"last week", "notes", "2026-11-09 .. 2026-11-16"},
		"the “last week” report":                      {"last week", "the report", "2026-11-09 .. 2026-11-16"},
		"In March, what did we decide?":               {"In March", "what did we decide?", "2026-03-01 .. 2026-04-01"},
		"last week":                                   {"last week", "", "2026-11-09 .. 2026-11-16"},
		"Last week?":                                  {"Last week", "", "2026-11-09 .. 2026-11-16"},
		"what did Anna say on Tuesday about caching":  {"on Tuesday", "what did Anna say about caching", "2026-11-17 .. 2026-11-18"},
		"what did we decide tuesday?":                 {"tuesday", "what did we decide?", "2026-11-17 .. 2026-11-18"},
		"what did May say in June?":                   {"in June", "what did May say?", "2026-06-01 .. 2026-07-01"},
		"who said it in May?":                         {"in May", "who said it?", "2026-05-01 .. 2026-06-01"},
		"in 2022 we moved":                            {"in 2022", "we moved", "2022-01-01 .. 2023-01-01"},
		"who came on 7 May 2023?":                     {"on 7 May 2023", "who came?", "2023-05-07 .. 2023-05-08"},
		"on May 7 we met":                             {"on May 7", "we met", "2026-05-07 .. 2026-05-08"},
		"last summer trip":                            {"last summer", "trip", "2026-06-21 .. 2026-09-23"},
		"in the spring we planted trees":              {"in the spring", "we planted trees", "2026-03-20 .. 2026-06-21"},
		"what did we eat at Christmas":                {"at Christmas", "what did we eat", "2025-12-22 .. 2025-12-29"},
		"yesterday's standup":                         {"yesterday's", "standup", "2026-11-19 .. 2026-11-20"},
		"since last tuesday what broke":               {"since last tuesday", "what broke", "2026-11-17 .."},
		"changes between 2026-01-01 and 1 May in git": {"between 2026-01-01 and 1 May", "changes in git", "2026-01-01 .. 2026-05-02"},
		"meeting yesterday at 3pm":                    {"yesterday at 3pm", "meeting", "2026-11-19 15:00 .. 2026-11-19 16:00"},
		"yesterday or two weeks ago":                  {"two weeks ago", "yesterday or", "2026-11-02 .. 2026-11-09"},
		"builds 2 hours ago":                          {"2 hours ago", "builds", "2026-11-20 11:30 .. 2026-11-20 13:30"},
		"release notes 2026-03-05":                    {"2026-03-05", "release notes", "2026-03-05 .. 2026-03-06"},
		"was haben wir last-week gemacht":             {"last-week", "was haben wir gemacht", "2026-11-09 .. 2026-11-16"},
		"先週 last week の会議":                            {"last week", "先週 の会議", "2026-11-09 .. 2026-11-16"},
	} {
		f, ok := when.Find(query, friday())
		if !ok {
			t.Errorf("%q: nothing found", query)
			continue
		}
		if got := query[f.Start:f.End]; got != want.phrase || f.Rest != want.rest || show(f.Span) != want.span {
			t.Errorf("%q: got %q, rest %q, %s; want %+v", query, got, f.Rest, show(f.Span), want)
		}
	}
}

func TestFind_IsNotFooled(t *testing.T) {
	t.Parallel()
	for _, query := range []string{
		"", " ", "?", "may i see it", "v1.10-3 release", "march on", "the second half of the game", "sun", "fall over", "spring boot",
		"port 2024", "last-minute changes", "at the last minute", "the last day of school", "black friday sale", "deploy every monday",
		"plan for next week", "what comes tomorrow", "what did June say", "in 2000 lines of code", "between 1950 and 2000 tokens",
		"may 7 users log in", "chapter 7 may contain it", "dependency injection in spring", "in the spring boot config",
		"at christmas dinner", "christmas tree", "24/7 support", "1/2 of it", "10-3", "q3 results", "meeting at 3pm", "the most recent commit",
		"errors in 5 days", "CVE-2024-0301", "in december 2027", "2027-01-01", "we march 3 miles", "the 7th floor", "on the 2nd attempt",
		"say it a second time", "last time", "the past tense", "error code 1999", "monday.com import", "in 2024 items", "not-last-week-but",
		"mail from april@example.com", "the summer of love", "Feb 30", "on 2026-02-31", "morning routine", "good night", "friday deploys",
	} {
		if f, ok := when.Find(query, friday()); ok {
			t.Errorf("%q: found %q", query, query[f.Start:f.End])
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		when.Find("What did Melanie say about the caching bug last week in the office?", friday())
	}
}
