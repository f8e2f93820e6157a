package exchange_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// crashChild, set to lines with the folder of a machine, a carrier and perhaps a code, makes the test binary begin or join a vault, and print
// "kept" or the recovery key.
const crashChild = "HIPPO_TEST_SYNC"

// runChild is for TestMain.
func runChild(text string) {
	args := strings.Split(text, "\n")
	if err := beginOrJoin(args[0], exchange.Carrier(args[1]), args[2]); err != nil {
		fmt.Println("failed:", err)
	}
}

func beginOrJoin(dir string, at exchange.Carrier, code string) error {
	m := &machine{name: "child", dir: dir, now: time.Now()}
	return m.run(context.Background(), func(ctx context.Context, x *exchange.Remotes) error {
		fmt.Println("open")
		if code == "" {
			recovery, out, err := x.Init(ctx, at, m.name, nil)
			if err == nil {
				fmt.Println(recovery)
				err = exchange.Shown(x, at)
			}
			return errors.Join(err, out.Err)
		}
		out, err := x.Join(ctx, code, at, m.name, nil)
		fmt.Println("joined")
		return errors.Join(err, out.Err)
	})
}

// killed runs the child, kills it some time after it has opened its store, and returns what it printed then.
func killed(t *testing.T, after time.Duration, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test itself
	c.Env = append(os.Environ(), crashChild+"="+strings.Join(args, "\n"))
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child printed %q", lines.Text())
	}
	time.AfterFunc(after, func() { _ = c.Process.Kill() })
	text := ""
	for lines.Scan() {
		text = lines.Text()
	}
	_ = c.Wait()
	if strings.HasPrefix(text, "failed") {
		t.Fatal(text)
	}
	return text
}

// recordMany records memories in one transaction.
func (m *machine) recordMany(n int) (texts []string) {
	m.Helper()
	var list []*hippo.Memory
	for i := range n {
		texts = append(texts, fmt.Sprintf("%s, memory %d", m.name, i))
		list = append(list, &hippo.Memory{Content: texts[i], Importance: hippo.Importance{Base: .5}})
	}
	m.must(func(ctx context.Context, _ *exchange.Remotes) error { return m.store.Add(ctx, list...) })
	return texts
}

// sound fails if the store is damaged.
func (m *machine) sound() {
	m.Helper()
	s, err := sqlitestore.Open(m.Context(), m.path(), nil)
	if err != nil {
		m.Fatal(err)
	}
	if ps, err := s.Check(m.Context()); err != nil || len(ps) > 0 {
		m.Errorf("%s is damaged: %v, %v", m.name, ps, err)
	}
	if err := s.Close(); err != nil {
		m.Error(err)
	}
}

// rounds returns how often a process is killed, each time somewhat later.
func rounds() int {
	if testing.Short() {
		return 4
	}
	return 10
}

// A vault whose beginning was killed at any moment is opened by running it again.
func TestCrash_Init(t *testing.T) {
	t.Parallel()
	finished := 0
	for n := range rounds() {
		at, a, b := newFolder(t), newMachine(t, "a"), newMachine(t, "b")
		texts := a.recordMany(300)
		after := time.Duration(n)*24*time.Millisecond + rand.N(24*time.Millisecond) //nolint:gosec // a moment
		recovery := killed(t, after, a.dir, string(at), "")
		if recovery == "" {
			recovery = a.init(at)
		} else {
			finished++
		}
		b.join(recovery, at)
		a.mustSync()
		b.has(texts...)
		a.sound()
	}
	t.Logf("%d of %d were not killed in time", finished, rounds())
}

// A machine whose join was killed at any moment joins or syncs next, with all that both have.
func TestCrash_Join(t *testing.T) {
	t.Parallel()
	joined := 0
	for n := range rounds() {
		at, a, b := newFolder(t), newMachine(t, "a"), newMachine(t, "b")
		texts := append(a.recordMany(300), b.recordMany(300)...)
		a.init(at)
		code := a.invite()
		after := time.Duration(n)*30*time.Millisecond + rand.N(30*time.Millisecond) //nolint:gosec // a moment
		if killed(t, after, b.dir, string(at), code) != "" {
			joined++
		}
		a.mustSync()
		if out := b.sync(); errors.Is(out.Err, hippo.ErrNotFound) { // it had not kept its key
			b.join(code, at)
		} else if out.Err != nil {
			t.Fatal(out.Err)
		}
		a.mustSync()
		b.mustSync()
		a.has(texts...)
		b.has(texts...)
		b.sound()
	}
	t.Logf("%d of %d were not killed in time", joined, rounds())
}

// invite returns the code of an invitation.
func (m *machine) invite() (code string) {
	m.Helper()
	m.must(func(ctx context.Context, x *exchange.Remotes) (err error) {
		code, _, err = x.Invite(ctx, "", m.now.Add(24*time.Hour), false)
		return err
	})
	return code
}
