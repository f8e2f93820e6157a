package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/base/secret"
)

const key = "sk-test-0123456789abcdefghijklmnopqrstuvwxyz"

// shown returns v in every form that logs and errors have.
func shown(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&b, verb+"\n", v)
	}
	slog.New(slog.NewTextHandler(&b, nil)).Info("text", "value", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("json", "value", v)
	data, err := json.Marshal(v)
	if err != nil {
		t.Error(err)
	}
	return b.String() + string(data)
}

func TestValue(t *testing.T) {
	t.Parallel()
	v := secret.New(" " + key + "\n")
	if v.Reveal() != key {
		t.Errorf("Reveal: got %q, want the secret without white space", v.Reveal())
	}
	hidden := struct{ secret secret.Value }{v}
	for _, x := range []any{v, &v, []secret.Value{v}, map[string]secret.Value{"key": v}, hidden, &hidden} {
		if text := shown(t, x); strings.Contains(text, key[:12]) || strings.Contains(text, fmt.Sprintf("%x", key[:12])) {
			t.Errorf("%T shows the secret: %s", x, text)
		}
	}
	if v.String() != "[redacted]" || v.GoString() != "[redacted]" {
		t.Errorf("got %q and %q, want [redacted]", v.String(), v.GoString())
	}
	if empty := secret.New(" \n"); empty != (secret.Value{}) || empty.String() != "" || empty.Reveal() != "" {
		t.Errorf("an empty secret is %q", empty)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"no URL, but a@b and a question?", "no URL, but a@b and a question?"},
		{"http://127.0.0.1:11434/v1#nomic-embed-text", "http://127.0.0.1:11434/v1#nomic-embed-text"},
		{"https://h/client/v4/ai/v1#@cf/baai/bge", "https://h/client/v4/ai/v1#@cf/baai/bge"},
		{"http://me:pass@host/v1#m", "http://[redacted]@host/v1#m"},
		{"http://me@host/v1#m", "http://[redacted]@host/v1#m"},
		{"http://host/v1?key=a&b=c#m", "http://host/v1?[redacted]#m"},
		{"http://host?key#m", "http://host?[redacted]#m"},
		{"http://host/v1#m?key=a", "http://host/v1#m?[redacted]"},
		{"http://me:pa/ss@host/v1#m", "http://[redacted]@host/v1#m"},
		{"http://me:pa?ss@host/v1#m", "http://[redacted]"},
		{"http://host/v1?user=a@b#m", "http://[redacted]#m"},
		{"http://me:pa#ss@host/v1#m", "http://[redacted]@host/v1#m"},
		{"http://me:pa#ss@host/v1", "http://[redacted]@host/v1"},
		{"http://h/v1#embedding@001", "http://[redacted]@001"},
		{"http://me:pa@ss@host/v1#m", "http://[redacted]@host/v1#m"},
		{"http://me:12/ss@host/v1#m", "http://[redacted]@host/v1#m"},
		{"FTP://me:pass@host/%zz", "FTP://[redacted]@host/%zz"},
		{`Post "http://host/v1?key=a": EOF`, `Post "http://host/v1?[redacted]": EOF`},
		{"of http://a?x=1 and http://b:c@d/e", "of http://a?[redacted] and http://[redacted]@d/e"},
	} {
		got := secret.Redact(c.text)
		if got != c.want {
			t.Errorf("Redact(%q) = %q, want %q", c.text, got, c.want)
		}
		if again := secret.Redact(got); again != got {
			t.Errorf("Redact(%q) = %q, want it unchanged", got, again)
		}
	}
}

// As a whole, a URL is hidden whatever characters its password has.
func TestRedactURL(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		password := rapid.StringMatching(`.{0,10}SECRET.{0,10}`).Draw(t, "password")
		query := strings.ReplaceAll(password, "#", "") // which ends a query
		for _, setting := range []string{
			"http://me:" + password + "@host/v1#model",
			"http://" + strings.TrimRight(password, "#") + "@host/v1",
			"ftp://me:x" + password + "@host?" + query,
			"http://host/v1?" + query + "#model",
		} {
			if got := secret.RedactURL(setting); strings.Contains(got, "SECRET") {
				t.Fatalf("%q is shown as %q", setting, got)
			}
		}
		name := rapid.StringMatching(`[a-zA-Z0-9~./@-]{0,20}`).Draw(t, "name")
		if got := secret.RedactURL(name); got != name {
			t.Fatalf("%q is shown as %q, want it unchanged", name, got)
		}
	})
}

// What a URL has in its query is hidden, alone and within the URL, as it is written
// and in other forms of it.
func TestRedact_InURL(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hidden := rapid.StringMatching(`[A-Za-z0-9+/=&%~ "<>-]{0,8}[A-Za-z0-9]{8,20}`).Draw(t, "secret")
		bare := hidden[len(hidden)-8:]
		u, err := url.Parse("http://host/v1?version=1&key=" + url.QueryEscape(hidden) + "&end#model")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			u.String(), fmt.Sprintf("%q", u), u.RawQuery, u.RequestURI(), hidden, strings.TrimSpace(hidden),
			url.QueryEscape(hidden), url.PathEscape(hidden), fmt.Sprint(u.Query()), `{"message":"not ` + hidden + `"}`,
		} {
			if got := secret.Redact("server says: "+text+".", secret.InURL(u)...); strings.Contains(got, bare) {
				t.Fatalf("%q shows %q of %q", got, bare, hidden)
			}
		}
	})
}

func TestInURL(t *testing.T) {
	t.Parallel()
	u, err := url.Parse("http://me:password@host/v1?v=1&token&key=a%2Bb%2Bc%2Bd#m")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range secret.InURL(u) {
		got = append(got, v.Reveal())
	}
	want := "[v=1&token&key=a%2Bb%2Bc%2Bd a%2Bb%2Bc%2Bd me:password password a+b+c+d]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if none := secret.InURL(&url.URL{Scheme: "http", Host: "host", RawQuery: "v=1"}); len(none) != 0 {
		t.Errorf("got %d secrets, want none: v=1 is too short", len(none))
	}
}
