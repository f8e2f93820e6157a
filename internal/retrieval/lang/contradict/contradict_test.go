package contradict_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
)

// pairs that cannot both be true, and the reason.
// contradiction reports whether two texts contradict each other, and in what.
func contradiction(a, b string) (contradict.Reason, bool) {
	return contradict.Parse(a).Contradicts(contradict.Parse(b))
}

func contradicting() [][3]string {
	return [][3]string{
		{"The API timeout is 30 seconds", "The API timeout is 60 s", "30 seconds / 60 s"},
		{"The API timeout is now 60 s.", "The API timeout is 30 s because the gateway is slow.", "60 s / 30 s"},
		{"The timeout was changed to 60 s", "The timeout is 30 s", "60 s / 30 s"},
		{"The rate limit is 100 requests per minute", "The rate limit is 200 requests per minute", "100 / 200"},
		{"The staging server listens on port 8080", "The staging server listens on port 9090", "8080 / 9090"},
		{"A full build takes about 5 minutes", "A full build takes 12 minutes", "5 minutes / 12 minutes"},
		{"The index uses 2 GB of memory", "The index uses 8 GB of memory", "2 GB / 8 GB"},
		{"Test coverage is 80 %", "Test coverage is 65%", "80 % / 65%"},
		{"The team has three developers in Berlin", "The team has five developers in Berlin", "three / five"},
		{"The licence costs $20 a month", "The licence costs $35 a month", "$20 / $35"},
		{"max_retries = 3", "max_retries = 5", "3 / 5"},
		{"max_retries=3", "max_retries: 5", "3 / 5"},
		{"Port: 8080", "Port: 9090", "8080 / 9090"},
		{"The client retries 3 times before it gives up", "The client retries 5 times before it gives up", "3 / 5"},
		{"The project uses Go 1.25", "The project uses Go 1.26", "1.25 / 1.26"},
		{"The current version is v1.2.3", "The current version is 1.3.0", "v1.2.3 / 1.3.0"},
		{"The service requires Node 18.2", "The service requires Node 20.1", "18.2 / 20.1"},
		{"The release is planned for 2026-03-01", "The release is planned for 2026-04-01", "2026-03-01 / 2026-04-01"},
		{"The deadline is March 5", "The deadline is 12 March", "March 5 / 12 March"},
		{"The certificate expires on 2026-09-30", "The certificate expires on 2027-09-30", "2026-09-30 / 2027-09-30"},
		{"The weekly standup is on Monday", "The weekly standup is on Tuesday", "Monday / Tuesday"},
		{"The standup is at 10:00", "The standup is at 9:30", "10:00 / 9:30"},
		{"The config lives in /etc/app/app.conf", "The config lives in ~/.config/app.toml", "/etc/app/app.conf / ~/.config/app.toml"},
		{"Logs are stored in /var/log/app", "Logs are stored in /srv/logs", "/var/log/app / /srv/logs"},
		{"The dashboard is at https://a.example/x", "The dashboard is at https://b.example/y", "https://a.example/x / https://b.example/y"},
		{"We deploy on Fridays", "We never deploy on Fridays", "one denies it"},
		{"The API supports batch requests", "The API does not support batch requests", "one denies it"},
		{"The API doesn't support batch requests", "The API supports batch requests.", "one denies it"},
		{"The worker uses Redis", "The worker no longer uses Redis", "one denies it"},
		{"There is an index on users.email", "There is no index on users.email", "one denies it"},
		{"Commit generated files", "Don't commit generated files", "one denies it"},
		{"Always squash commits", "Never squash commits", "one denies it"},
		{"Windows can't delete open files", "Windows can delete open files", "one denies it"},
		{"Caching is enabled in production", "Caching is disabled in production", "enabled / disabled"},
		{"Caching is enabled", "Caching is disabled", "enabled / disabled"},
		{"The feature flag new_checkout is on", "The feature flag new_checkout is off", "on / off"},
		{"Use tabs in Makefiles", "Avoid tabs in Makefiles", "Use / Avoid"},
		{"Run migrations before the deploy", "Run migrations after the deploy", "before / after"},
		{"The situation field is required", "The situation field is optional", "required / optional"},
		{"The repository is public", "The repository is private", "public / private"},
		{"Force pushes are allowed on main", "Force pushes are forbidden on main", "allowed / forbidden"},
		{"The scheduler is stable under load", "The scheduler is unstable under load", "stable / unstable"},
		{"The default branch is main", "The default branch is trunk", "main / trunk"},
		{"The staging database is Postgres", "The staging database is MySQL", "Postgres / MySQL"},
		{"log_level = debug", "log_level = info", "debug / info"},
		{"Ana's favourite colour is green", "Ana's favourite colour is blue", "green / blue"},
		{"The owner of the billing service is Bob", "The owner of the billing service is Carol", "Bob / Carol"},
		{"Editor: Vim", "Editor: Emacs", "Vim / Emacs"},
		{"The build is green. The nightly job runs at 02:00.", "The nightly job runs at 03:30", "02:00 / 03:30"},
		{"The default region was changed to eu-west-1", "The default region is us-east-2", "eu-west-1 / us-east-2"},
	}
}

// pairs that may both be true.
func harmless() [][2]string {
	return [][2]string{
		// the same, said otherwise
		{"The API timeout is 30 seconds", "The API timeout is 30 s"},
		{"The API timeout is 1 minute", "The API timeout is 60 seconds"},
		{"The cache holds 1 GB", "The cache holds 1024 MB"},
		{"A build takes about 30 minutes", "A build takes 33 minutes"},
		{"The limit is 1,000 requests", "The limit is 1000 requests"},
		{"The team has three developers in Berlin", "The team has 3 developers in Berlin"},
		{"The project uses version 1.2", "The project uses version 1.2.4"},
		{"The deadline is 5 March", "The deadline is March 5, 2026"},
		{"The release is planned for 2026-03", "The release is planned for 2026-03-09"},
		{"The config lives in internal/app.toml", "The config lives in /repo/internal/app.toml"},
		{"The staging database is Postgres", "The staging database is PostgreSQL"},
		{"The feature flag is on", "The feature flag is not off"},
		{"Don't use port 80", "Never use port 80"},
		{"Caching is enabled", "Caching is not disabled"},
		{"The worker no longer uses Redis", "The worker doesn't use Redis any more"},
		// other subjects
		{"Server alpha has 8 GB of memory", "Server beta has 16 GB of memory"},
		{"The API timeout is 30 s", "The database timeout is 60 s"},
		{"The timeout in staging is 30 s", "The timeout in production is 60 s"},
		{"Ana works in Berlin", "Bob works in Madrid"},
		{"Caching is enabled in staging", "Caching is disabled in production"},
		{"The minimum is 3", "The maximum is 5"},
		{"Retry at least 3 times", "Retry at most 5 times"},
		{"The repository hippo is public", "The repository zebra is private"},
		{"Tests of the store take 3 minutes", "Tests of the index take 5 minutes"},
		{"The iOS app supports dark mode", "The web app does not support dark mode"},
		{"Ticket 4711 is closed", "Ticket 4712 is closed"},
		{"Ticket 4711 is closed", "Ticket 4712 is open"},
		{"Chapter 3 is about maps", "Chapter 4 is about maps"},
		{"Python 3.11 supports exception groups", "Python 3.12 supports exception groups"},
		{"Go 1.21 was released", "Go 1.22 was released"},
		{"Picture of the day: 7 August 2013", "Picture of the day: 11 April 2013"},
		{"Room 12 has a projector", "Room 14 has a projector"},
		{"Port 8080 is used by the API", "Port 9090 is used by the API"},
		// numbers of other things
		{"The server has 8 GB of memory", "The server has 4 cores"},
		{"The server has 8 GB of memory", "The server has 500 GB of disk"},
		{"Ana has 2 dogs", "Ana has 3 cats"},
		{"The build takes 5 minutes on 4 cores", "The build takes 3 minutes on 8 cores"},
		{"Version 1.2 was released on 2026-01-01", "Version 1.3 was released on 2026-02-01"},
		{"The limit is 5 MB", "The limit is 5 files"},
		{"Latency is good at 100 users", "Latency is good at 200 users"},
		{"The bug is tracked in issue 12", "The bug is tracked in issue 13"},
		// events happen again
		{"Ana visited Paris on 2025-03-01", "Ana visited Paris on 2026-04-02"},
		{"I ran 5 km this morning", "I ran 10 km this morning"},
		{"We fixed 3 bugs", "We fixed 5 bugs"},
		{"The outage was on 2026-01-02", "The outage was on 2026-02-03"},
		{"The meeting with Bob went well on Monday", "The meeting with Bob went well on Tuesday"},
		{"Bob bought 2 tickets for the concert", "Bob bought 4 tickets for the concert"},
		// several values, lists
		{"The languages are Go, Rust", "The languages are Go, Python"},
		{"The options are 1, 2 and 3", "The options are 1, 2 and 4"},
		{"The team uses Slack", "The team uses Jira"},
		{"Ana is a doctor", "Ana is a mother"},
		{"The build server is slow", "The build server is new"},
		{"Tags: reliability, http", "Tags: reliability, tests"},
		{"TODO: write tests", "TODO: fix the build"},
		{"Ana: hello", "Ana: goodbye"},
		// conditions, questions
		{"If the cache is warm, skip the check", "If the cache is not warm, skip the check"},
		{"Use the fast path when caching is enabled", "Use the fast path when caching is disabled"},
		{"Does the API support batch requests?", "The API does not support batch requests"},
		{"Not only unit tests run in CI", "Unit tests run in CI"},
		{"Press y to accept", "Press n to reject"},
		// pronouns, too little in common
		{"It takes 5 minutes", "It takes 10 minutes"},
		{"It is enabled", "It is disabled"},
		{"I like it", "I don't like it"},
		{"Yes", "No"},
		{"Thanks!", "No thanks!"},
		{"No, but it sounds fun!", "It sounds fun!"},
		{"See you at 10", "See you at 12"},
		{"", "!!!"},
		{"x = 1", "y = 2"},
		// unlike
		{"Retries need jitter", "Ana wants table tests"},
		{"The gateway retries 3 times", "The gateway drops requests after 5 retries"},
		{"Prefer table tests for parsers", "Parsers are in internal/importer/formats"},
		{"The cat sat on the mat", "The dog is off the leash"},
		// code
		{"def f():\n    count = 0\n    return count", "def f():\n    count = 1\n    return count"},
		{"func a() {\n\tmax_size = 1\n}\n", "func a() {\n\tmax_size = 2\n}\n"},
	}
}

func TestOf_Contradicting(t *testing.T) {
	t.Parallel()
	for _, p := range contradicting() {
		if got, ok := contradiction(p[0], p[1]); !ok || string(got) != p[2] {
			t.Errorf("%q, %q: got %q, %v, want %q", p[0], p[1], got, ok, p[2])
		}
		if _, ok := contradiction(p[1], p[0]); !ok {
			t.Errorf("%q, %q: only one way round", p[1], p[0])
		}
		if r, ok := contradict.Parse(p[0]).Revised(contradict.Parse(p[1])); !ok || string(r) != p[2] {
			t.Errorf("%q is not revised by %q: %q", p[0], p[1], r)
		}
	}
}

func TestOf_Harmless(t *testing.T) {
	t.Parallel()
	for _, p := range harmless() {
		for _, q := range [][2]string{p, {p[1], p[0]}, {p[0], p[0]}, {p[1], p[1]}} {
			if got, ok := contradiction(q[0], q[1]); ok {
				t.Errorf("%q, %q: got %q", q[0], q[1], got)
			}
		}
	}
}

// What may be one of several is asked about, not stated.
func TestRevised_IsLessStrict(t *testing.T) {
	t.Parallel()
	for _, p := range [][2]string{
		{"The billing service uses Postgres", "The billing service uses SQLite"},
		{"The team uses Slack", "The team uses Jira"},
		{"The nightly backup is Restic", "The nightly backup is Borg"},
	} {
		if _, ok := contradiction(p[0], p[1]); ok {
			t.Errorf("%q, %q: is no contradiction", p[0], p[1])
		}
		if _, ok := contradict.Parse(p[0]).Revised(contradict.Parse(p[1])); !ok {
			t.Errorf("%q is not revised by %q", p[0], p[1])
		}
	}
	for _, p := range harmless() {
		if p[0] == "The team uses Slack" {
			continue
		}
		if r, ok := contradict.Parse(p[0]).Revised(contradict.Parse(p[1])); ok {
			t.Errorf("%q is revised by %q: %q", p[0], p[1], r)
		}
	}
}

// Whatever the texts, both ways round agree and nothing contradicts itself.
func TestOf_IsSymmetric(t *testing.T) {
	t.Parallel()
	words := []string{
		"the", "API", "timeout", "is", "30", "60 s", "not", "never", "=", "1.2.3", "March", "5", "on", "off", "enabled", "disabled", ",", ".", "?",
		"2026-03-01", "/etc/x", "uses", "Go", "to", "from", "port:", "key=1", "k=", "~", "v", "é", "\xff", "if", "$", "0", "because", "(", "Monday",
	}
	text := func(r *rapid.T, label string) string {
		out := ""
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 9).Draw(r, label) {
			out += w + " "
		}
		return out
	}
	rapid.Check(t, func(r *rapid.T) {
		a, b := text(r, "a"), text(r, "b")
		_, ab := contradiction(a, b)
		_, ba := contradiction(b, a)
		if _, aa := contradiction(a, a); ab != ba || aa {
			r.Fatalf("%q, %q: %v, %v; itself %v", a, b, ab, ba, aa)
		}
	})
}

func FuzzOf(f *testing.F) {
	for _, p := range harmless() {
		f.Add(p[0], p[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if _, ok := contradiction(a, a); ok {
			t.Errorf("%q contradicts itself", a)
		}
		contradiction(a, b)
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		contradict.Parse("The API timeout is now 60 s because the gateway is slow. We deploy on Fridays, after the standup at 10:00.")
	}
}
