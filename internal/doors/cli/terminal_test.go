package cli_test

import (
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// hostile is a text that acts on a terminal, hides and reorders parts of itself, and adds a
// line that looks like one of the program: FORGED must never begin a line.
const hostile = "note\x1b]52;c;eA==\x07\x1b[2J\u009b31m\r\nFORGED line\nFORGED \u202egnirts\u2066 \u200bx\U000e0041\x7f"

// spoken is what of it may be recorded.
const spoken = "note about gateways\nFORGED line\nFORGED \u202egnirts\u2066 \u200bx\U000e0041"

// printed is a run of the program.
type printed struct {
	code      int
	out, errw string
}

func hippoRun(t *testing.T, stdin io.Reader, args ...string) printed {
	t.Helper()
	var out, errw strings.Builder
	code := cli.Main(t.Context(), append([]string{"hippo"}, args...), stdin, &out, &errw)
	return printed{code, out.String(), errw.String()}
}

// harmless fails if the output acts on a terminal or has a line of somebody else.
func (p printed) harmless(t *testing.T, args []string) {
	t.Helper()
	for _, text := range []string{p.out, p.errw} {
		for _, r := range text {
			if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf) {
				t.Errorf("%q prints %U:\n%q", args, r, text)
				break
			}
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimSpace(line), "FORGED") {
				t.Errorf("%q prints a forged line:\n%s", args, text)
				break
			}
		}
	}
}

// plant makes a store with a memory as a stranger may have written it, besides what the
// program itself records.
func plant(t *testing.T, kind string) (store string) {
	t.Helper()
	dir := t.TempDir()
	if kind == "dir" {
		store = "dir:" + dir
		text := fmt.Sprintf(`{"uuid":"00000000-0000-4000-8000-000000000001","content":%q,"situation":[%q],"tags":[%q],"type":%[1]q,"importance":0.5,`+
			`"created_at":"2026-02-01T00:00:00Z","project":%[1]q,"source":{"author":%[1]q},"%s":%[1]q}`, "PLACE", "PLACE", "PLACE", "PLACE")
		quoted := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\r", `\r`, "\n", `\n`).Replace(hostile)
		text = strings.ReplaceAll(text, "PLACE", quoted)
		if err := os.WriteFile(filepath.Join(dir, "00000000-0000-4000-8000-000000000001.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return store
	}
	path := filepath.Join(dir, "m.db")
	store = "sqlite:" + path
	if p := hippoRun(t, nil, "record", "to be overwritten", "--situation", "s", "--tag", "t", "--type", "k", "--store", store); p.code != 0 {
		t.Fatal(p)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it is a test
	if _, err := db.ExecContext(t.Context(), "update memory set content = ?, type = ?", hostile, hostile); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(path + ".index")
	return store
}

// Whatever is stored, named or typed: nothing that reaches the terminal acts on it, hides
// or reorders text, or looks like a line of the program.
func TestTerminal(t *testing.T) {
	t.Parallel()
	uuid := regexp.MustCompile(`[0-9a-f]{8,}`)
	for _, kind := range []string{"sqlite", "dir"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := plant(t, kind)
			do := func(args ...string) printed {
				p := hippoRun(t, strings.NewReader(""), append(args, "--store", store, "--model", "none")...)
				p.harmless(t, args)
				return p
			}
			id := func(args ...string) string {
				p := do(args...)
				if p.code != 0 {
					t.Fatalf("%q: %+v", args, p)
				}
				return uuid.FindString(p.out)
			}
			bidi := "tag \u202egnirts"
			one := id("record", spoken, "--situation", bidi, "--tag", bidi, "--type", bidi, "--project", "new:"+bidi)
			two := id("record", "The gateway \u202etimeout is 30 seconds")
			id("record", "The gateway \u202etimeout is 60 seconds")
			forgotten := id("record", spoken+" again")
			for _, args := range [][]string{
				{"list"},
				{"list", "--lines"},
				{"list", "--json"},
				{"list", "--project", bidi},
				{"list", "--project", hostile},
				{"list", "--all", "--offset", "1"},
				{"search"},
				{"search", "gateway"},
				{"search", "gateway", "--explain"},
				{"search", "--lines"},
				{"search", "--json", "--explain"},
				{"search", hostile},
				{"search", "--when", hostile},
				{"search", "--ranker", hostile},
				{"search", "--" + hostile},
				{"search", "--since", hostile},
				{"get", one},
				{"get", one, two},
				{"get", one, "--json"},
				{"get", one, "--lines"},
				{"get", "00000000-0000-4000-8000-000000000001"},
				{"get", hostile},
				{"modify", one, "--tag", bidi + "2"},
				{"modify", one, "--type", hostile},
				{"modify", one, "--reinforce", hostile},
				{"upvote", one},
				{"downvote", two, "--json"},
				{"relate", one, bidi, two},
				{"relate", one},
				{"relate", one, hostile, two},
				{"relate", one, "--json"},
				{"relate", one, bidi, two, "--remove"},
				{"forget", forgotten},
				{"list", "--forgotten"},
				{"restore", hostile},
				{"restore", forgotten},
				{"forget", forgotten, "--purge", "--yes"},
				{"forget", hostile},
				{"status"},
				{"status", "--project", hostile},
				{"status", "--json"},
				{"status", "--log", hostile},
				{"export"},
				{"export", filepath.Join(t.TempDir(), hostile, "x")},
				{"import", filepath.Join(t.TempDir(), hostile)},
				{hostile},
				{"help", hostile},
				{"version"},
				{"list", hostile},
				{"--help"},
				{"model", "test", hostile},
			} {
				do(args...)
			}
			hippoRun(t, nil, "list", "--store", "sqlite:"+hostile).harmless(t, []string{"list", "--store"})
			hippoRun(t, nil, "demo").harmless(t, []string{"demo"})
		})
	}
}

// The marks are there: a person sees that a text has line breaks and hidden characters.
func TestTerminal_Shows(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "m.db")
	hippoRun(t, nil, "record", spoken, "--situation", "in \u202etime", "--store", store)
	for _, tc := range []struct{ args, want string }{
		{"search gateways", "  note about gateways\n       │ FORGED line\n       │ FORGED \\u202egnirts\\u2066 \\u200bx\\U000e0041\n       "},
		{"list --lines", "|note about gateways FORGED line FORGED \\u202egnirts\\u2066 \\u200bx\\U000e0041\n"},
		{"list --json", `"content": "note about gateways\nFORGED line\nFORGED \u202egnirts\u2066 \u200bx\udb40\udc41"`},
	} {
		if p := hippoRun(t, nil, append(strings.Fields(tc.args), "--store", store)...); !strings.Contains(p.out, tc.want) {
			t.Errorf("%s: got %s, want %s", tc.args, p.out, tc.want)
		}
	}
}

// What an import rejects, and why, is shown without harm.
func TestTerminal_Import(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lines := `{"content":"good"}` + "\n" + `{"content":"x","importance":"\u001b[2J\u202e"}` + "\n" +
		`{"content":"y","type":"\u001b]0;t\u0007"}` + "\n" + `{"content":"z` + "\x1b[2J" + `"}` + "\n" + `{"content":"a","\u001b[2J":1,"\u001b[2J":2}` + "\n{\x1b\u202e\n"
	for _, name := range []string{"plain.jsonl", "n\u202eame\x1b[2J\nFORGED.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(lines), 0o600); err != nil {
			if runtime.GOOS == "windows" && name != "plain.jsonl" {
				t.Skipf("Windows allows no control characters in names of files: %v", err)
			}
			t.Fatal(err)
		}
		args := []string{"import", filepath.Join(dir, name), "--store", "sqlite:" + filepath.Join(dir, "m.db")}
		p := hippoRun(t, nil, args...)
		p.harmless(t, args)
		if !strings.Contains(p.errw, "rejected: ") {
			t.Errorf("nothing rejected: %+v", p)
		}
	}
}

// A purge is refused when nobody can be asked; a person sees what it deletes, and can
// decline.
func TestPurge_Asks(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "m.db")
	id := regexp.MustCompile(`[0-9a-f]{8,}`).FindString(hippoRun(t, nil, "record", "a secret", "--store", store).out)
	if p := hippoRun(t, strings.NewReader("y\n"), "forget", id, "--purge", "--store", store); p.code != 2 || !strings.Contains(p.errw, "--yes") {
		t.Errorf("nobody to ask: got %+v", p)
	}
	for _, tc := range []struct {
		reply string
		code  int
		want  string
	}{
		{"n\n", 1, "nothing was changed"}, {"", 1, "nothing was changed"}, {"yes please\n", 1, "nothing was changed"}, {"Y\n", 0, "a secret"},
	} {
		var out, errw strings.Builder
		code := cli.MainOnTerminal(t.Context(), []string{"hippo", "forget", id, "--purge", "--store", store}, strings.NewReader(tc.reply), &out, &errw)
		if code != tc.code || !strings.Contains(errw.String(), id+"  a secret\nDelete 1 for good? [y/N] ") || !strings.Contains(errw.String()+out.String(), tc.want) {
			t.Errorf("%q: code %d\n%s%s", tc.reply, code, &out, &errw)
		}
	}
	if p := hippoRun(t, nil, "get", id, "--store", store); p.code != 3 {
		t.Errorf("it is still there: %+v", p)
	}
}

// A filter with a blank value, such as an empty variable of a script, forgets nothing: it would forget all.
func TestForget_BlankFilter(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "m.db")
	hippoRun(t, nil, "record", "kept", "--store", store)
	for _, args := range [][]string{{"--type", ""}, {"--tag", " "}, {"--tag", ""}, {"--project", ""}, {"--until", ""}, {"--import", ""}, {"--type", "note", "--source", " "}} {
		p := hippoRun(t, nil, append([]string{"forget", "--yes", "--store", store}, args...)...)
		if want := args[len(args)-2] + " is blank"; p.code != 2 || !strings.Contains(p.errw, want) {
			t.Errorf("%q: got %+v, want %q", args, p, want)
		}
	}
	if p := hippoRun(t, nil, "list", "--store", store); !strings.Contains(p.out, "kept") {
		t.Errorf("it is forgotten: %+v", p)
	}
}

// A person who starts a server by hand learns that it is for a client.
func TestServe_OnTerminal(t *testing.T) {
	t.Parallel()
	args := []string{"hippo", "serve", "--store", "sqlite:" + filepath.Join(t.TempDir(), "m.db")}
	var out, errw strings.Builder
	if code := cli.MainOnTerminal(t.Context(), args, strings.NewReader(""), &out, &errw); code != 0 || out.Len() > 0 || strings.Count(errw.String(), "\n") != 1 || !strings.Contains(errw.String(), "MCP client") {
		t.Errorf("code %d, out %q, err %q", code, &out, &errw)
	}
	if p := hippoRun(t, strings.NewReader(""), args[1:]...); p != (printed{}) {
		t.Errorf("without a terminal: got %+v", p)
	}
}

// On a terminal nothing is wider than 80 columns, continued lines are marked, and the style says
// nothing that the text does not: NO_COLOR and TERM=dumb turn it off.
func TestTerminal_Fits(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "m.db")
	long := strings.Repeat("the gateway 日本語 retries with jitter ", 8)
	hippoRun(t, nil, "record", long, "--situation", long, "--situation", "s", "--tag", "a-rather-long-tag", "--tag", "network", "--store", store)
	hippoRun(t, nil, "record", "short", "--situation", "at work", "--store", store)
	for _, style := range []string{"", "1"} {
		t.Setenv("NO_COLOR", style)
		t.Setenv("TERM", "xterm")
		for _, args := range [][]string{{"list"}, {"search", "gateway"}, {"search"}} {
			var out, errw strings.Builder
			if code := cli.MainOnTerminal(t.Context(), append([]string{"hippo", "--store", store}, args...), strings.NewReader(""), &out, &errw); code != 0 {
				t.Fatalf("%q: exit code %d: %s", args, code, &errw)
			}
			if styled := strings.Contains(out.String(), "\x1b["); styled == (style != "") {
				t.Errorf("%q with NO_COLOR=%q: styled %v", args, style, styled)
			}
			text := regexp.MustCompile(`\x1b\[[0-9]m`).ReplaceAllString(out.String(), "")
			for line := range strings.Lines(text) {
				if n := termtext.Width(strings.TrimSuffix(line, "\n")); n > 80 {
					t.Errorf("%q: a line of %d columns: %s", args, n, line)
				}
			}
			if args[0] == "search" && !strings.Contains(text, "\n       │ ") {
				t.Errorf("%q: continued lines have no mark:\n%s", args, text)
			}
		}
	}
}

// The help of every command fits 80 columns, and names the flags of all commands only.
func TestHelp_Fits(t *testing.T) {
	t.Parallel()
	for _, command := range append(cli.Commands(), "", "help flags", "help times") {
		args := append(strings.Fields(command), "--help")
		if strings.HasPrefix(command, "help ") {
			args = args[:2]
		}
		p := hippoRun(t, nil, args...)
		if p.code != 0 || p.errw != "" {
			t.Errorf("%q: %+v", command, p)
		}
		for line := range strings.Lines(p.out) {
			if n := termtext.Width(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%q: a line of %d columns: %s", command, n, line)
			}
		}
		if command != "help flags" && command != "flags" && strings.Contains(p.out, "HIPPO_STORE)") {
			t.Errorf("%q has the flags of all commands:\n%s", command, p.out)
		}
	}
}
