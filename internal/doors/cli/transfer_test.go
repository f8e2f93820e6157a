package cli_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// interrupting is a source whose reader is interrupted after some lines.
type interrupting struct {
	lines, after int
	interrupt    func()
	at           int
	rest         []byte
}

func (r *interrupting) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.at == r.lines {
			return 0, io.EOF
		}
		if r.at++; r.at == r.after {
			r.interrupt()
		}
		r.rest = fmt.Appendf(nil, `{"content":"note number %d"}`+"\n", r.at)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// An import that is interrupted keeps what it added and says how to go on; a second run
// adds the rest.
func TestImport_Interrupted(t *testing.T) {
	t.Parallel()
	const lines = 4000
	args := []string{"hippo", "import", "-", "--model", "none", "--store", "sqlite:" + filepath.Join(t.TempDir(), "m.db")}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errw strings.Builder
	code := cli.Main(ctx, args, &interrupting{lines: lines, after: 3000, interrupt: cancel}, &out, &errw)
	var added int
	if _, err := fmt.Sscanf(errw.String(), "hippo: interrupted: %d added; run again to go on\n", &added); err != nil || code != 130 || out.Len() > 0 {
		t.Fatalf("code %d, out %q, err %q (%v)", code, &out, &errw, err)
	}
	if strings.Count(errw.String(), "\n") != 1 || added == 0 || added >= lines {
		t.Errorf("%d added: %q", added, &errw)
	}
	p := hippoRun(t, &interrupting{lines: lines}, args[1:]...)
	if want := fmt.Sprintf("%d added, %d already here, 0 rejected\n", lines-added, added); p.code != 0 || !strings.Contains(p.out, want) {
		t.Errorf("got %+v, want %s", p, want)
	}
}

// Any other command that is interrupted says only that.
func TestMain_Interrupted(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "m.db")
	hippoRun(t, nil, "record", "x", "--store", store)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errw strings.Builder
	if code := cli.Main(ctx, []string{"hippo", "list", "--store", store}, nil, &out, &errw); code != 130 || errw.String() != "hippo: interrupted\n" {
		t.Errorf("code %d, out %q, err %q", code, &out, &errw)
	}
}
