package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

// childArgument makes this test binary a child, brokenArgument one that does not keep the protocol.
const (
	childArgument  = "sandbox-child"
	brokenArgument = "sandbox-broken"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case childArgument:
			os.Exit(Child(os.Stdin, os.Stdout))
		case brokenArgument:
			_, _ = os.Stdout.WriteString(os.Args[2])
			os.Exit(7)
		}
	}
	os.Exit(m.Run())
}

// note is a memory as the parent sends it.
const note = `{"$":"memory","id":"ab12cd34","uuid":"0190","content":"the gateway retries","score":0.8432,"tags":["x"],"situation":["s"],
	"created":"2026-03-01T12:00:00Z","metadata":{"$":"memory"}}`

func searchFunction() Function {
	return Function{Name: "search", Params: []string{"query", "limit", "offset"}, Aliases: map[string]string{"top_k": "limit"}}
}

// found answers a search with three memories, a page at a time.
func found(_ context.Context, c *Call) (*Reply, error) {
	var offset, limit int
	limit = 3
	for name, to := range map[string]*int{"offset": &offset, "limit": &limit} {
		if raw, ok := c.Args[name]; ok {
			if err := json.Unmarshal(raw, to); err != nil {
				return nil, err
			}
		}
	}
	n := max(0, min(limit, 3-offset))
	return &Reply{Value: json.RawMessage(`{"$":"results","total":3,"items":[` + strings.TrimSuffix(strings.Repeat(note+",", n), ",") + `]}`)}, nil
}

func command(t testing.TB, args ...string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe}, args...)
}

// run runs a program in a real child.
func run(t testing.TB, program string) (*Outcome, error) {
	t.Helper()
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	return Run(t.Context(), command(t, childArgument), &Start{Program: program, Now: now, Functions: []Function{searchFunction()}}, found)
}

func TestRun_results(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{
		"1 + 1":                             "2",
		"x = 3\nx":                          "3",
		"result = [1, 2]":                   "1\n2",
		"result = 5\nprint('a')":            "a\n5",
		"print('a')\n[1, 'x', {'a': 2}]":    "a\n1\nx\n{\"a\":2}",
		"(1, set([2]))":                     "1\n[2]",
		"None":                              "",
		"'text'":                            "text",
		"b'bytes'":                          "\"bytes\"",
		"1 << 70":                           "1180591620717411303424",
		"float('nan')":                      "\"nan\"",
		"round(2.567, 2)":                   "2.57",
		"round(2.5)":                        "2",
		"sum([1, 2.5])":                     "3.5",
		"sum([[1], [2]], [])":               "1\n2",
		"{'t': {'$': 'memory'}}":            `{"t":{"$":"memory"}}`,
		"struct(a=1)":                       `{"a":1}`,
		"search('x')[0]":                    "ab12cd34 0.84 the gateway retries (s) #x 2026-03-01",
		"[m.date for m in search('x')][:1]": "2026-03-01",
		"search('x')[0].metadata['$']":      "memory",
		"search('x').total":                 "3",
		"len(search('x', top_k=2))":         "2",
		"len(search('x') + search('x'))":    "6",
		"len([1] + search('x'))":            "4",
		"search('x')[0] == search('x')[1]":  "true",
		"len(set(search('x')))":             "1",
		"search('x')[0] in search('x')":     "true",
		"len([m for m in search_iter('x', batch_size=2)])": "3",
		"time.now().unix":                    "1773576000",
		"str(search('x')[0].created)":        "2026-03-01 12:00:00 +0000 UTC",
		"json.encode(search('x')[0].tags)":   `["x"]`,
		"n = 0\nwhile n < 3:\n    n += 1\nn": "3",
	} {
		out, err := run(t, program)
		switch {
		case err != nil:
			t.Errorf("%s: %v", program, err)
		case out.Failure != nil:
			t.Errorf("%s: %v", program, out.Failure)
		case out.Text != want:
			t.Errorf("%s is\n%s\nwant\n%s", program, out.Text, want)
		}
	}
}

// TestRun_limits: programs without an end or beyond a limit fail with a reason, and the child is gone.
func TestRun_limits(t *testing.T) {
	t.Parallel()
	const steps, memory, busy, deep = "more than 20000000 steps", "more than 256 MiB of memory", "computed for more than 1s", "nests too deeply"
	for program, want := range map[string]string{
		"while True:\n    pass":                                 steps + "|" + busy,
		"for i in range(1 << 40): pass":                         steps + "|" + busy,
		"[x for x in range(1 << 40)]":                           steps + "|" + busy + "|" + memory,
		"x = 'a' * 1000000000":                                  memory,
		"x = [0] * (1 << 28)":                                   memory,
		"x = list(range(1 << 40))":                              memory + "|" + busy,
		"sorted(range(1 << 40))":                                memory + "|" + busy,
		"x = 'ab'\nwhile True: x += x":                          memory + "|" + busy,
		"x = [1]\nwhile True: x = x + x":                        memory + "|" + busy,
		"x = {}\nfor i in range(1 << 40): x[i] = 'a' * 1000":    memory + "|" + busy + "|" + steps,
		"x = 3\nfor i in range(60): x = x * x":                  busy + "|" + memory,
		"1 << 1000000":                                          "shift count too large",
		"def f(n):\n    return f(n + 1)\nf(0)":                  "called recursively",
		"x = []\nfor i in range(1000): x = [x]\nx":              "nests too deeply",
		"x = []\nx.append(x)\nx":                                "nests too deeply",
		"x = []\nfor i in range(1000000): x = [x]\nlen(str(x))": busy + "|" + memory + "|" + deep + "|" + steps,
		"(" + strings.Repeat("[", 30000) + ")":                  "excessive nesting|" + deep,
		"while True: print('hello ' * 100)":                     "printed more than 1048576 bytes",
		"'x' * 2000000":                                         "more than 1048576 bytes",
		"['x' * 1000] * 100000":                                 "more than 1048576 bytes|" + memory + "|" + busy,
		"while True: search('x')":                               "more than 1000 calls",
		"[m for i in range(1 << 30) for m in search_iter('x')]": "more than 1000 calls",
		strings.Repeat("x", MaxProgram+1):                       "at most 65536 are allowed",
		"json.decode('[' * 100000)":                             "json.decode|" + deep + "|" + busy + "|" + memory,
	} {
		t.Run(clipped(program, 40), func(t *testing.T) {
			t.Parallel()
			out, err := run(t, program)
			if err != nil {
				t.Fatal(err)
			}
			if out.Failure == nil || !matchesAny(out.Failure.Message, want) {
				t.Errorf("outcome is %+v, want %s", out.Failure, want)
			}
		})
	}
}

func matchesAny(text, wants string) bool {
	for want := range strings.SplitSeq(wants, "|") {
		if strings.Contains(text, want) {
			return true
		}
	}
	return false
}

// TestRun_hints: what Python has and Starlark lacks is answered with what to write instead, and where.
func TestRun_hints(t *testing.T) {
	t.Parallel()
	for program, want := range map[string][2]string{
		"import os":                            {"1:1", "there is no import"},
		"x = 1\nfrom x import y":               {"2:1", "there is no import"},
		"n = 1\nprint(f\"a {n}\")":             {"2:15", "there are no f-strings"},
		"try:\n    x = 1\nexcept: pass":        {"1:1", "there are no exceptions"},
		"raise x":                              {"1:1", "there are no exceptions"},
		"with open('x') as f: pass":            {"1:1", "there is no with"},
		"open('x')":                            {"1:1", "no files"},
		"class A: pass":                        {"1:1", "there are no classes"},
		"def f():\n    yield 1":                {"2:5", "there are no generators"},
		"x = 1\nx is None":                     {"2:5", "there is no is"},
		"2**3":                                 {"1:4", "power"},
		"x: int = 1":                           {"1:3", "type annotations"},
		"del x":                                {"1:1", "there is no del"},
		"assert 1":                             {"1:9", "there is no assert"},
		"global x":                             {"1:1", "there is no global"},
		"if (n := 1): pass":                    {"1:8", ":="},
		"return 3":                             {"1:1", "end the program with the value"},
		"def f(n): return f(n)\nf(1)":          {"1:18", "recursion is off"},
		"datetime.now()":                       {"1:1", "use time"},
		"re.match('a', 'b')":                   {"1:1", "no regular expressions"},
		"isinstance(1, int)":                   {"1:1", "type(x) =="},
		"map(str, [1])":                        {"1:1", "comprehension"},
		"[2, 1].sort()":                        {"1:7", "sorted("},
		"'%.2f' % 1.5":                         {"1:8", "round(x, 2)"},
		"'{:.2f}'.format(1.5)":                 {"1:16", "round(x, 2)"},
		"for c in 'abc': pass":                 {"1:1", "s.elems()"},
		"'a' + 1":                              {"1:5", "str(x)"},
		"search('x')[0].text":                  {"1:15", "m.content"},
		"search('x')[0].created.strftime('x')": {"1:23", "t.format"},
		"load('x', 'y')":                       {"1:1", "nothing to load"},
		"time.time(location='Europe/Berlin')":  {"1:10", "UTC"},
		"sorted(search('x'))":                  {"1:7", ""},
	} {
		out, err := run(t, program)
		if err != nil || out.Failure == nil {
			t.Errorf("%s: %+v, %v", program, out, err)
			continue
		}
		f := out.Failure
		if at := fmt.Sprintf("%d:%d", f.Line, f.Column); at != want[0] || !strings.Contains(f.Hint, want[1]) || f.Source == "" {
			t.Errorf("%s: at %s, hint %q, of %q: %s", program, at, f.Hint, f.Source, f.Message)
		}
	}
}

// TestRun_isolated looks at a child while it waits for an answer: it has no environment, no file but its pipes,
// and limits.
// TestRun_isolated runs alone: it finds its child among those of the test process, and those of tests beside it
// look the same.
func TestRun_isolated(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc shows it on Linux only")
	}
	looked := 0
	_, err := Run(t.Context(), command(t, childArgument), &Start{Program: "search('x')", Functions: []Function{searchFunction()}}, func(context.Context, *Call) (*Reply, error) {
		looked++
		pid := childOf(t)
		if env, err := os.ReadFile("/proc/" + pid + "/environ"); err != nil || len(env) > 0 {
			t.Errorf("environment is %q, %v", env, err)
		}
		entries, err := os.ReadDir("/proc/" + pid + "/fd")
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			to, err := os.Readlink("/proc/" + pid + "/fd/" + e.Name())
			if err != nil || !strings.HasPrefix(to, "pipe:") && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/sys/fs/cgroup/") {
				t.Errorf("file %s is %s, %v", e.Name(), to, err)
			}
		}
		limits, err := os.ReadFile("/proc/" + pid + "/limits")
		if err != nil {
			t.Error(err)
		}
		for _, want := range []string{"Max open files 0 0", "Max file size 0 0", "Max core file size 0 0", "Max cpu time 10 10"} {
			if !strings.Contains(oneLine(string(limits)), want) {
				t.Errorf("no %q in\n%s", want, limits)
			}
		}
		return &Reply{Value: json.RawMessage("[]")}, nil
	})
	if err != nil || looked != 1 {
		t.Errorf("looked %d times, %v", looked, err)
	}
}

// TestRun_killed runs alone, as TestRun_isolated does: a process that somebody else kills is no fault of its program.
func TestRun_killed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc shows the child on Linux only")
	}
	_, err := Run(t.Context(), command(t, childArgument), &Start{Program: "search('x')", Functions: []Function{searchFunction()}}, func(context.Context, *Call) (*Reply, error) {
		pid, err := strconv.Atoi(childOf(t))
		if err != nil {
			return nil, err
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			return nil, err
		}
		return &Reply{Value: json.RawMessage("[]")}, p.Kill()
	})
	if hippo.CodeOf(err) != hippo.CodeUnavailable {
		t.Errorf("error %v, want one of the code %s", err, hippo.CodeUnavailable)
	}
}

// childOf returns the process that this test has started with the program of the test that asks.
func childOf(t *testing.T) string {
	t.Helper()
	self := fmt.Sprint(os.Getpid())
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == self {
			if line, err := os.ReadFile("/proc/" + e.Name() + "/limits"); err == nil && bytes.Contains(line, []byte("Max open files            0")) {
				return e.Name()
			}
		}
	}
	t.Fatal("no child")
	return ""
}

func TestRun_broken_child(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", "x", "\x00\x00\x00\x05hello", "\xff\xff\xff\xff", "\x00\x00\x00\x02{}", "\x00\x00\x01\x00{}"} {
		out, err := Run(t.Context(), command(t, brokenArgument, strings.ReplaceAll(said, "\x00", "")), &Start{Program: "1"}, found)
		if err == nil || !strings.Contains(err.Error(), "the process of the program ended") || hippo.CodeOf(err) != hippo.CodeInternal {
			t.Errorf("%q: %+v, %v", said, out, err)
		}
	}
	if _, err := Run(t.Context(), []string{"/nonexistent/hippo"}, &Start{Program: "1"}, found); err == nil {
		t.Error("a program that does not exist was started")
	}
}

func TestRun_handler_and_context_end_it(t *testing.T) {
	t.Parallel()
	wanted := errors.New("wanted")
	start := &Start{Program: "search('x')\nwhile True:\n    pass", Functions: []Function{searchFunction()}}
	if _, err := Run(t.Context(), command(t, childArgument), start, func(context.Context, *Call) (*Reply, error) { return nil, wanted }); !errors.Is(err, wanted) {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, command(t, childArgument), start, func(ctx context.Context, c *Call) (*Reply, error) {
		cancel()
		return found(ctx, c)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	want := message{Call: &Call{Name: "x", Args: map[string]json.RawMessage{"a": json.RawMessage(`"b"`)}}}
	if err := writeFrame(&b, want); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	var got message
	if err := readFrame(&b, &got); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("got %+v, %v", got, err)
	}
	for n := range len(whole) {
		if err := readFrame(strings.NewReader(whole[:n]), &got); err == nil {
			t.Errorf("no error after %d of %d bytes", n, len(whole))
		}
	}
	if err := writeFrame(&b, strings.Repeat("x", maxFrame)); err == nil {
		t.Error("a message above the limit was written")
	}
}

// FuzzEvaluate: whatever the program and the answers, there is an outcome, and a failure has a message and lies in the
// program. Programs are evaluated in this process, so that they have few steps.
func FuzzEvaluate(f *testing.F) {
	for _, program := range []string{
		"1", "search('x')[0].content", "print(1)\n[m for m in search('x')]", "def f(): return 1\nf()", "x = {'a': [1, (2,)]}\nx", "'%s' % search('x')",
		"import x", "f'x'", "try:", "\x00", "(((", "x = [1]\nx.append(x)\nx", "json.decode('{')", "search(**{'a': 1})", "search(*[1, 2, 3, 4])", "time.now() - 1",
		"struct(a=struct(b=1))", "set([1, 'a'])", "result = 1; result", "sum([1, '2'])", "round('x')", "[m for m in search_iter('x')]", "lambda: 1", "fail('x')",
	} {
		f.Add(program, note)
		f.Add(program, `{"$":"results","items":[1,null]}`)
	}
	f.Fuzz(func(t *testing.T, program, answer string) {
		if len(program) > 200 || strings.ContainsAny(program, "*") || strings.Contains(program, "while") || strings.Contains(program, "range") {
			t.Skip("it may take long, which only a child can bound")
		}
		out := evaluate(&Start{Program: program, Functions: []Function{searchFunction()}}, func(*Call) (*Reply, error) {
			return &Reply{Value: json.RawMessage(answer)}, nil
		})
		if !json.Valid(out.Result) {
			t.Errorf("result is %q", out.Result)
		}
		if x := out.Failure; x != nil && (x.Message == "" || x.Line < 0 || x.Line > strings.Count(program, "\n")+2) {
			t.Errorf("failure is %+v", x)
		}
	})
}

// FuzzMessages: neither side trusts what the other one sends.
func FuzzMessages(f *testing.F) {
	for _, s := range []string{"", "\x00\x00\x00\x02{}", "\x00\x00\x00\x04null", "\xff\xff\xff\xff{}", "\x00\x00\x00\x0d{\"Call\":null}", "\x00\x00\x00\x0b{\"Done\":{}}x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m message
		if err := readFrame(bytes.NewReader(b), &m); err == nil && m.Call != nil {
			var again bytes.Buffer
			if err := writeFrame(&again, m); err != nil {
				t.Error(err)
			}
		}
		if len(b) > 4 {
			if v, err := decodeValue(b[4:]); err == nil {
				if _, err := plain(v, 0); err != nil && !errors.Is(err, errDeep) {
					t.Error(err)
				}
			}
		}
	})
}
