package cli_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// sourceRoot is the root of the repository.
const sourceRoot = "../../.."

// advicePattern is a mention of a command in a text of the program, up to the end of the clause.
var advicePattern = regexp.MustCompile("\\bhippo [a-z][^;\"`\n<>|]*")

// placeholderPattern is what stands for a value in an advice: a verb of fmt, or a name in capital letters.
var placeholderPattern = regexp.MustCompile(`%(?:\[\d\])?[-+#.0-9]*[a-z]|\b[A-Z]{2,}\b`)

// namePattern is a name that stands for a value in an argument, alone or behind a kind: FILE, sqlite:PATH.
var namePattern = regexp.MustCompile(`\b[A-Z]{2,}$`)

// prose are the words behind the name of the program that are no commands.
const prose = "alone builds calls compares directory does feed first has is makes may needs of on or recorded runs takes wrote"

// keywords are arguments that are written in small letters.
const keywords = "imported captured all unassigned current monthly builtin claude-code gemini opencode"

// texts returns the texts that the program can print, each with its place: its literals of strings, added up where they
// are added, with %v for other terms of a sum, and the files that it embeds as guidance.
func texts(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	files := token.NewFileSet()
	for _, folder := range []string{"client", "cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(sourceRoot, folder), func(path string, _ fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case strings.Contains(path, "testdata"), strings.HasSuffix(path, "_test.go"):
				return nil
			case filepath.Ext(path) == ".md", filepath.Base(path) == "opencode.js":
				b, err := os.ReadFile(path)
				found[path] = string(b)
				return err
			case filepath.Ext(path) != ".go":
				return nil
			}
			f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				x, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text, ok := literal(x)
				if ok {
					found[files.Position(n.Pos()).String()] = text
				}
				return !ok
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// literal returns the text of a literal or of a sum in which there is one.
func literal(x ast.Expr) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(x.Value)
		return text, err == nil
	case *ast.ParenExpr:
		return literal(x.X)
	case *ast.BinaryExpr:
		if x.Op != token.ADD {
			return "", false
		}
		left, l := literal(x.X)
		right, r := literal(x.Y)
		if !l {
			left = "%v"
		}
		if !r {
			right = "%v"
		}
		return left + right, l || r
	}
	return "", false
}

// advices returns the command lines that the texts of the program name, with their placeholders, each with a place. What
// only names a command is checked to be one.
func advices(t *testing.T) map[string]string {
	t.Helper()
	commands := cli.Commands()
	found := map[string]string{}
	for place, text := range texts(t) {
		for _, at := range advicePattern.FindAllStringIndex(text, -1) {
			clause := text[at[0]:at[1]]
			line := text[strings.LastIndex(text[:at[0]], "\n")+1 : at[0]]
			if strings.HasPrefix(text[at[0]-len(line):], "  ") && strings.Contains(place, "cli") && !strings.Contains(place, "check.go") {
				continue // an example of the help: TestExamples
			}
			for _, mention := range strings.SplitAfter(clause, "hippo ")[1:] {
				words := strings.Fields(strings.TrimSuffix(strings.TrimSuffix(mention, "hippo "), "and "))
				if len(words) == 0 || slices.Contains(strings.Fields(prose), strings.Trim(words[0], ",.)")) {
					continue
				}
				line, bare := commandLine(commands, words)
				switch {
				case line == "":
					t.Errorf("%s: %q names no command of hippo", place, clause)
				case !bare:
					found[line] = place
				}
			}
		}
	}
	return found
}

// commandLine returns the words at the beginning that are a command line: the command, then flags, placeholders and
// keywords. bare: it is the command alone.
func commandLine(commands, words []string) (line string, bare bool) {
	n := 0
	for n < len(words) && slices.Contains(commands, strings.Join(clean(words[:n+1]), " ")) {
		n++
		if strings.ContainsAny(words[n-1], ",.:)") {
			return strings.Join(clean(words[:n]), " "), true
		}
	}
	if n == 0 {
		return "", false
	}
	end, flag := n, false
	for ; end < len(words); end++ {
		word := strings.TrimRight(words[end], ",.:)'")
		isFlag := strings.HasPrefix(word, "-")
		if word == "--" || !isFlag && !flag && placeholderPattern.FindString(word) == "" && !slices.Contains(strings.Fields(keywords), word) && !strings.ContainsAny(word, "./_0123456789'") {
			break
		}
		flag = isFlag && slices.Contains([]string{"--http", "--tools", "--scope"}, word)
		if word != words[end] && !strings.HasPrefix(words[end], "'") {
			end++
			break
		}
	}
	return strings.Join(clean(words[:end]), " "), end == n
}

// clean takes the marks of a sentence from the ends of words.
func clean(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.TrimRight(w, ",.:)")
		if w == "." {
			out[i] = w
		}
	}
	return out
}

// advised is a row of the table of advices: a command line that stands for the advice, and the script that follows it as it
// was printed, or why none can.
type advised struct{ line, script, unfollowed string }

// adviceRows are the advices that the program prints, without "hippo".
func adviceRows(t *testing.T) map[string]advised {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "advice.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]advised{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 3 {
			t.Fatalf("want three cells, got %q", line)
		}
		row := advised{line: cells[1], script: cells[2]}
		if why, not := strings.CutPrefix(cells[2], "not followed: "); not {
			row.script, row.unfollowed = "", why
		}
		rows[cells[0]] = row
	}
	return rows
}

// TestAdvices: each command line that a text of the program names has a row, the program takes it, and the script that the row
// names produces its situation, copies it from what the program prints, runs it, and looks at the situation again.
func TestAdvices(t *testing.T) {
	t.Parallel()
	rows, found := adviceRows(t), advices(t)
	for advice, place := range found {
		if _, ok := rows[advice]; !ok {
			t.Errorf("%s advises %q: follow it in a script, and add a row with its name to testdata/advice.tsv", place, "hippo "+advice)
		}
	}
	for advice, row := range rows {
		if _, ok := found[advice]; !ok {
			t.Errorf("no text of the program has the advice %q of testdata/advice.tsv", advice)
		}
		if !regexp.MustCompile("^(?:" + adviceExpression(advice) + ")").MatchString(row.line) {
			t.Errorf("%q does not begin like the advice %q", row.line, advice)
		}
		if _, err := cli.Parse(arguments(row.line)); err != nil {
			t.Errorf("hippo %s: %v", row.line, err)
		}
		if row.unfollowed != "" {
			continue
		}
		script, err := os.ReadFile(filepath.Join("testdata", "script", row.script+".txtar"))
		if errors.Is(err, fs.ErrNotExist) {
			script, err = os.ReadFile(filepath.Join("testdata", "postgres", row.script+".txtar"))
		}
		follows := regexp.MustCompile(`(?m)^.*\bfollow .*'` + regexp.QuoteMeta(advice) + `'`)
		if err != nil || !follows.Match(script) {
			t.Errorf("%q: the script %q does not follow it (%v)", advice, row.script, err)
		}
	}
}

// TestExamples: the program takes each command line of its help.
func TestExamples(t *testing.T) {
	t.Parallel()
	n := 0
	for _, example := range cli.HelpExamples() {
		for line := range strings.Lines(example) {
			_, line, ok := strings.Cut(line, "hippo ")
			line, _, _ = strings.Cut(line, " | ")
			line, _, _ = strings.Cut(line, "  #")
			if !ok {
				continue
			}
			n++
			if _, err := cli.Parse(arguments(line)); err != nil {
				t.Errorf("hippo %s: %v", strings.TrimSpace(line), err)
			}
		}
	}
	if n < 50 {
		t.Errorf("found only %d examples", n)
	}
}

// adviceExpression is a regular expression for an advice whose placeholders have values.
func adviceExpression(advice string) string {
	var b strings.Builder
	at := 0
	for _, p := range placeholderPattern.FindAllStringIndex(advice, -1) {
		b.WriteString(regexp.QuoteMeta(advice[at:p[0]]) + `(?:'[^']*'|[^\s"` + "`" + `]+)`)
		at = p[1]
	}
	return b.String() + regexp.QuoteMeta(advice[at:])
}

// arguments splits a command line as a shell does, as far as apostrophes and quotes go.
func arguments(line string) (args []string) {
	for _, a := range regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(line, -1) {
		args = append(args, strings.NewReplacer("'", "", `"`, "").Replace(a))
	}
	return args
}

// follow runs the command line that the latest output advises: follow 'undo %s'. Arguments behind the advice are the values
// of its names in capital letters, then what is added: follow 'restore FILE' saved.db --yes. With -in FILE, the advice is
// in a file. With ! the command must end with another code than 0.
func follow(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec("hippo", copied(ts, args)...); (err != nil) != neg {
		ts.Fatalf("the exit code is 0: %v, want %v", err == nil, !neg)
	}
}

// copied returns the arguments of the command line that is advised, with values in place of names in capital letters.
func copied(ts *testscript.TestScript, args []string) []string {
	if len(args) == 0 || args[0] == "-in" && len(args) < 3 {
		ts.Fatalf("usage: follow [-in FILE] ADVICE [VALUE...]")
	}
	text := ts.ReadFile("stdout") + "\n" + ts.ReadFile("stderr")
	if args[0] == "-in" {
		text, args = ts.ReadFile(args[1]), args[2:]
	}
	advice, values := args[0], args[1:]
	found := regexp.MustCompile("hippo (" + adviceExpression(advice) + ")").FindStringSubmatch(text)
	if found == nil {
		ts.Fatalf("the latest output does not advise %q", advice)
	}
	line := arguments(strings.TrimRight(found[1], ".,:)\"`"))
	for i := range line {
		if at := namePattern.FindStringIndex(line[i]); at != nil && len(values) > 0 {
			line[i], values = line[i][:at[0]]+values[0], values[1:]
		}
	}
	return append(line, values...)
}
