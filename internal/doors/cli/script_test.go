package cli_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hippo-memory/hippo/internal/doors/cli"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// TestMain makes the test binary run as hippo when it is called by that name.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"hippo":        program,
		"hippo-server": program,
	})
}

// tests runs the tests, some with a Postgres server that ends with them.
type tests struct{ m *testing.M }

func (t tests) Run() int { return pgtest.Main(t.m) }

// hookTimeoutName is the variable of the time that hooks of the test binary may take. Without it they may take a
// minute: what a hook does must not depend on how busy the machine is.
const hookTimeoutName = "HIPPO_TEST_HOOK_TIMEOUT"

// spawnName is a variable that lets the test binary start processes that outlive it, unless it is empty.
const spawnName = "HIPPO_TEST_SPAWN"

// program is what cmd/hippo does.
func program() {
	if code, ran := script.Child(os.Args, os.Stdin, os.Stdout); ran {
		os.Exit(code)
	}
	hookTimeout := time.Minute
	if text := os.Getenv(hookTimeoutName); text != "" {
		var err error
		if hookTimeout, err = time.ParseDuration(text); err != nil {
			panic(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	code := cli.MainWithin(ctx, hookTimeout, os.Getenv(spawnName) != "", os.Args, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	small, err := filepath.Abs(filepath.Join("..", "..", "retrieval", "eval", "testdata", "small"))
	if err != nil {
		t.Fatal(err)
	}
	dir, files := scripts(t, filepath.Join("testdata", "script"), "serve_*.txtar")
	testscript.Run(t, testscript.Params{
		Dir: dir, Files: files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for name, value := range environment(e.WorkDir) {
				e.Setenv(name, value)
			}
			e.Setenv("EVAL_SET", small)
			e.Setenv("HIPPO_MODEL", "static") // what the others have embedded by now depends on the machine
			e.Setenv("NL", "\n")
			e.Values[sessionsKey{}] = map[string]*session{}
			e.Values[webServersKey{}] = map[string]*webServer{}
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    code,
			"capture": capture,
			"patch":   patch,
			"garble":  garble,
			"fill":    fill,
			"edit":    edit,
			"tree":    tree,
			"follow":  follow,
			"until":   until,
			"mcp":     mcpCommand,
			"web":     webCommand,
			"fake":    fakeCommand,
		},
	})
}

// scripts returns the folder of scripts, or with -short, as under the race detector, those whose
// programs do several things at a time.
func scripts(t *testing.T, folder, concurrent string) (dir string, files []string) {
	t.Helper()
	if !testing.Short() {
		return folder, nil
	}
	files, err := filepath.Glob(filepath.Join(folder, concurrent))
	if err != nil || len(files) == 0 {
		t.Fatalf("no script fits %s: %v", concurrent, err)
	}
	return "", files
}

// environment keeps a program to the directory dir: its home and its data, no
// repository above it, no settings of the machine, one zone.
func environment(dir string) map[string]string {
	home := filepath.Join(dir, "home")
	return map[string]string{
		"HOME": home, "USERPROFILE": home, "TZ": "UTC",
		"GORACE":          "atexit_sleep_ms=10", // a race detector waits a second at each exit
		"GOGC":            "400",                // most programs end before it pays to collect garbage
		"XDG_DATA_HOME":   filepath.Join(home, "data"),
		"XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_CACHE_HOME": filepath.Join(home, "cache"),
		"XDG_STATE_HOME": filepath.Join(home, "state"),
		"HIPPO_STORE":    "", "HIPPO_MEMORY_DIR": "", "HIPPO_PROJECT": "", "HIPPO_RANKER": "", "HIPPO_LOG": "", "HIPPO_SHARE": "", "HIPPO_EXCLUDE": "", "HIPPO_CAPTURE": "", "HIPPO_BACKGROUND": "off", "HIPPO_SYNC_EVERY": "off", "HIPPO_TOKEN": "", "HIPPO_INSECURE_HTTP": "",
		"HIPPO_CONFIG": "", "HIPPO_MODEL": "", "HIPPO_MODELS": "", "HIPPO_MODEL_KEY": "", "HIPPO_MODEL_KEY_FILE": "", "HF_ENDPOINT": "",
		"GIT_CEILING_DIRECTORIES": filepath.Dir(dir), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
		"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
	}
}

// code runs a program that must end with the given exit code: code 3 hippo get x.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// capture sets a variable to what the first group of a pattern matches in the
// latest output: capture ID 'memory (\w+)$'.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME PATTERN")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	found := re.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("no match of %q with a group", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// until runs a program again and again until its output matches a pattern: until PATTERN program [args...].
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN program [args...]")
	}
	re, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for end := time.Now().Add(patience); ; {
		err := ts.Exec(args[1], args[2:]...)
		if err == nil && re.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("no match of %q within %v: %v", args[0], patience, err)
		}
	}
}

// patch overwrites bytes of a file: patch FILE OFFSET HEX.
func patch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: patch FILE OFFSET HEX")
	}
	offset, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	b, err := hex.DecodeString(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(b, offset)
	ts.Check(errors.Join(err, f.Close()))
}

// edit replaces a pattern in a file, which must be there once: edit FILE PATTERN REPLACEMENT. FILE may have wildcards, if one
// file fits them.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE PATTERN REPLACEMENT")
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("%d files fit %s, want 1", len(files), args[0])
	}
	text := ts.ReadFile(files[0])
	if n := len(re.FindAllString(text, -1)); n != 1 {
		ts.Fatalf("%s has %d matches of %q, want 1", args[0], n, args[1])
	}
	text = re.ReplaceAllLiteralString(text, strings.ReplaceAll(args[2], `\n`, "\n"))
	ts.Check(os.WriteFile(files[0], []byte(text), 0o600))
}

// garble overwrites a text in a file, or the beginning of the database page that it is
// on: garble FILE TEXT [page].
func garble(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: garble FILE TEXT [page]")
	}
	name := ts.MkAbs(args[0])
	b, err := os.ReadFile(name)
	ts.Check(err)
	at := bytes.Index(b, []byte(args[1]))
	if at < 0 {
		ts.Fatalf("%s does not have %q", args[0], args[1])
	}
	if len(args) > 2 {
		at -= at % 4096
	}
	for i := range 16 {
		b[at+i] = 0xa5
	}
	ts.Check(os.WriteFile(name, b, 0o600))
}

// fill writes a file of JSON lines with N memories: fill FILE N.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "{\"content\": \"note number %d. %s\", \"situation\": [\"filling\"]}\n", i, strings.Repeat("filler ", 100))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}

// tree writes all files below home and the current directory that are not of Hippo itself,
// with their modes, to a file: tree FILE.
func tree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tree FILE")
	}
	var b strings.Builder
	err := filepath.WalkDir(ts.MkAbs("."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == "data" || d.Name() == "notes" || d.Name() == ".tmp" || d.Name() == "cache" {
				return fs.SkipDir
			}
			return nil
		case filepath.Dir(path) == ts.MkAbs("."): // what the script itself wrote
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %v\n%s\n", path, info.Mode(), text)
		return err
	})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o600))
}
