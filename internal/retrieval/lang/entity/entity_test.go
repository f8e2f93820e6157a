package entity_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/entity"
)

// marked returns the entities, phrases apart, as "kind:norm".
func marked(text string) []string {
	out := []string{}
	for _, e := range entity.Of(text) {
		if e.Kind != entity.Phrase {
			out = append(out, string(e.Kind)+":"+e.Norm)
		}
	}
	return out
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		// Names
		{"we met Ada Lovelace in Oslo", "name:ada lovelace|name:oslo"},
		{"Yesterday it rained", ""},
		{"Thanks. We go there. It is fine.", ""},
		{"The Eiffel Tower is closed", "name:eiffel tower"},
		{"Marie Curie won twice", "name:marie curie|name:curie"},
		{"the University of Oslo and the Bank of Norway", "name:university of oslo|name:bank of norway"},
		{"by Ludwig van Beethoven himself", "name:ludwig van beethoven"},
		{"near Jean-Luc's house, then O'Brien's", "name:jean-luc|name:o'brien"},
		{"we asked Dr. Watson about it. Nobody knew.", "name:dr. watson"},
		{"it was J. R. R. Tolkien who wrote", "name:j. r. r. tolkien"},
		{"I think that I'm late and I've lost", ""},
		{"see you on Monday in March", ""},
		{"Tom: hello there\nAnn: did you call Bob?", "name:bob"},
		{"he likes Paris, Rome and Berlin", "name:paris|name:rome|name:berlin"},
		{"IT IS ALL IN CAPITALS HERE", ""},
		{"the NASA report", "name:nasa"},
		{"NASA said so", "name:nasa"},
		{"a Very Long Heading With Seven Capital Words Here", ""},
		{"- Alice went\n- we saw Alice", "name:alice"},
		{"we saw Ada. Ada left", "name:ada"},
		{"ask Bob!Carol is out", "name:bob"},
		{"what did Caroline's sister say", "name:caroline"},
		{"(see Kafka)", "name:kafka"},
		{"we use Go and C", "name:go"},

		// Other scripts
		{"вчера мы видели Анну Каренину в Москве", "name:анну каренину|name:москве"},
		{"Вчера шёл дождь", ""},
		{"χθες είδαμε τον Νίκο Καζαντζάκη", "name:νίκο καζαντζάκη"},
		{"hier habe ich Jürgen Müller getroffen", "name:jürgen müller"},
		{"chez Élodie à Besançon", "name:élodie|name:besançon"},
		{"我读了《红楼梦》和「雪国」", "quoted:红楼梦|quoted:雪国"},
		{"彼は『こころ』を読んだ", "quoted:こころ"},
		{"昨日は雨でした", ""},
		{"seit Montag und im März", ""},
		{"wir sahen Anna Müller am Montag. Nicht Bob", "name:anna müller|name:bob"},
		{"el Lunes en Madrid, em Março", "name:madrid"},
		{"она читала «Мастер и Маргарита» вслух", "quoted:мастер и маргарита"},

		// Identifiers
		{"call parse_header twice", "identifier:parse_header"},
		{"the parseHeader function", "identifier:parseheader"},
		{"HTTPServer restarts", "identifier:httpserver"},
		{"we have two DVDs", "name:dvds"},
		{"set MAX_RETRIES to 5", "identifier:max_retries"},
		{"std::vector grows", "identifier:std::vector"},
		{"in os.path.join we trust", "identifier:os.path.join"},
		{"use json.Marshal here", ""},
		{"it failed.Then it worked", ""},
		{"e.g. this, i.e. that", ""},
		{"run it with --dry-run and -v", "identifier:--dry-run"},
		{"echo $HOME now", "identifier:home"},
		{"the model gpt-4 and e5-large-v2", "identifier:gpt-4|identifier:e5-large-v2"},
		{"the 2nd time at 10am for a 5-year-old", ""},
		{"since d477cf9 it works", "identifier:d477cf9"},
		{"id 123e4567-e89b-12d3-a456-426614174000 is bad", "identifier:123e4567-e89b-12d3-a456-426614174000"},
		{"if err := s.readAll(ctx, user_id); err != nil {", "identifier:s.readall|identifier:user_id"},
		{"x = foo.bar_baz(qux=1)", "identifier:foo.bar_baz"},
		{"a well-known state-of-the-art thing", ""},
		{"$ 5 or $5", ""},

		// Paths, addresses, numbers
		{"edit /etc/hosts and ~/.bashrc, then ./run.sh", "path:/etc/hosts|path:~/.bashrc|path:./run.sh"},
		{"in internal/retrieval/rank/rank.go:17", "path:internal/retrieval/rank/rank.go"},
		{"open main.go and README.md", "path:main.go|path:readme.md"},
		{`at C:\Users\ann\x.txt`, `path:c:\users\ann\x.txt`},
		{"and/or he/she 1/2", ""},
		{"see https://www.example.org/a/b/#top.", "url:example.org/a/b"},
		{"on www.example.org, too", "url:example.org"},
		{"write to ann@example.org or @bob_the", "address:ann@example.org|address:@bob_the"},
		{"needs @scope/pkg", "address:@scope/pkg"},
		{"upgrade to v1.2.3-rc1 from 1.2.2", "version:v1.2.3-rc1|version:1.2.2"},
		{"pi is 3.14 and v2 is out", "version:v2"},
		{"fixes #123 and ABC-42", "issue:#123|issue:abc-42"},
		{"we are #1", ""},

		// Quotes
		{"run `git rebase -i` first", "quoted:git rebase -i"},
		{"call `fetch_all` again", "identifier:fetch_all"},
		{`he read "The Great Gatsby" in May`, "quoted:the great gatsby"},
		{"the “blue hour” begins", "quoted:blue hour"},
		{"set 'strict mode' now; don't can't", "quoted:strict mode"},
		{`she said "I really do not know what to do about it" and left`, ""},
		{`an "unclosed quote`, ""},
		{`print("bad token")`, "quoted:bad token"},

		// Logs and the rest
		{"2024-05-01T10:00:00Z ERROR api-gateway: upstream timed out (conn_id=77)", "identifier:conn_id"},
		{"panic: runtime error at server.go:88", "path:server.go"},
		{"10.0.0.1 refused", "version:10.0.0.1"},
		{"", ""},
		{"\x00\xff\xfe", ""},
		{"... --- ??? '' \"\" ``", ""},
		{"👍 thanks 🎉", ""},
	} {
		want := []string{}
		if tc.want != "" {
			want = strings.Split(tc.want, "|")
		}
		if d := cmp.Diff(want, marked(tc.text)); d != "" {
			t.Errorf("%q (-want +got):\n%s", tc.text, d)
		}
	}
}

func phrases(text string) []string {
	out := []string{}
	for _, e := range entity.Of(text) {
		if e.Kind == entity.Phrase {
			out = append(out, e.Norm)
		}
	}
	return out
}

func TestOf_offers_phrases(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"we adopted a rescue puppy", "rescue puppy"},
		{"Pottery class, painting trip.", "pottery class|painting trip"},
		{"The end. Begin anew", "begin anew"},
		{"slow query plan", "slow query|query plan"},
		{"in it to go", ""},
		{"Ada Lovelace wrote", "lovelace wrote"},
		{"use the parseHeader function call", "function call"},
		{"черный кофе", "черный кофе"},
		{"日本 東京", ""},
		{"wir haben das auf dem alten Server", "alten server"},
		{"red red red", "red red"},
	} {
		want := []string{}
		if tc.want != "" {
			want = strings.Split(tc.want, "|")
		}
		if d := cmp.Diff(want, phrases(tc.text)); d != "" {
			t.Errorf("%q (-want +got):\n%s", tc.text, d)
		}
	}
}

func TestOf_keeps_what_the_text_says(t *testing.T) {
	t.Parallel()
	got := entity.Of("at https://www.Example.org/A/ Ada  Lovelace's")
	want := []entity.Entity{
		{Kind: entity.URL, Text: "https://www.Example.org/A/", Norm: "example.org/a"},
		{Kind: entity.Name, Text: "Ada  Lovelace", Norm: "ada lovelace"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{
		"", "Ada Lovelace", "`a", "“a”", "「あ」", "a/b/c.go", "C:\\", "v", "v1.", "#", "@", "::", "a::b", "_", "--", "A B C D E F G H",
		"Dr. A. of the of", "https://", "www.a.", "\xff\xfe Ab", "x'y’z's", "İstanbul ǅ", strings.Repeat("A", 300), strings.Repeat("\"", 99),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := entity.Of(text)
		seen := make(map[string]bool)
		for _, e := range found {
			if e.Norm == "" || e.Text == "" || seen[e.Norm] || e.Kind == "" {
				t.Fatalf("%q: %+v, seen %v", text, e, seen[e.Norm])
			}
			seen[e.Norm] = true
			if e.Norm != strings.Join(strings.Fields(strings.ToLower(e.Norm)), " ") {
				t.Fatalf("%q: normal form of %+v is not normal", text, e)
			}
			if utf8.ValidString(text) && !utf8.ValidString(e.Text) {
				t.Fatalf("%q: %q cuts a character", text, e.Text)
			}
			if e.Kind != entity.Phrase && !strings.Contains(text, e.Text) {
				t.Fatalf("%q does not say %q", text, e.Text)
			}
		}
		if !slices.Equal(found, entity.Of(text)) {
			t.Fatalf("%q: another time, another result", text)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	text := strings.Repeat("Yesterday Ada Lovelace read \"The Great Gatsby\" in Oslo, then ran `go test` on internal/retrieval/rank/rank.go for parse_header. ", 100)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		entity.Of(text)
	}
}
