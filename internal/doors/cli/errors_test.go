package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/cli"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

func TestExitCode(t *testing.T) {
	t.Parallel()
	for code, err := range map[int][]error{
		0: {nil},
		1: {
			errors.New("other"), hippo.ErrConflict, hippo.ErrUnsupported, hippo.ErrUnavailable, hippo.ErrCorrupt,
			hippo.ErrReadOnly, hippo.ErrFull, fmt.Errorf("open: %w", hippo.ErrCorrupt),
		},
		2:   {hippo.Fieldf("count", "must be one"), hippo.ErrInvalid},
		130: {context.Canceled},
		3:   {&hippo.UnknownError{IDs: []hippo.ID{{1}}}, hippo.ErrNotFound},
	} {
		for _, e := range err {
			if got := cli.ExitCode(e); got != code {
				t.Errorf("%v: got exit code %d, want %d", e, got, code)
			}
		}
	}
}

// A wrong command line names the subcommand whose help is of use.
func TestMain_Hint(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, want string }{
		{"search x --count 0", "try: hippo search --help"},
		{"search x --colour", "try: hippo search --help"},
		{"record", "try: hippo record --help"},
		{"nonsense", "try: hippo --help"},
		{"list --store mysql://h/d", "must be sqlite:PATH, dir:PATH, shared:PATH or postgres://HOST/DATABASE"},
	} {
		var out, errw bytes.Buffer
		code := cli.Main(t.Context(), append([]string{"hippo"}, strings.Fields(tc.line)...), strings.NewReader(""), &out, &errw)
		if code == 0 || out.Len() > 0 || !strings.Contains(errw.String(), tc.want) {
			t.Errorf("%s: code %d, out %q, err %q; want %q", tc.line, code, &out, &errw, tc.want)
		}
	}
}

// What is advised about a path that cannot be reached is not said of a lock.
func TestMain_HintOfALock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	record := func() string {
		var out, errw bytes.Buffer
		cli.Main(t.Context(), []string{"hippo", "record", "a zebra", "--situation", "testing", "--store", "sqlite:" + path}, strings.NewReader(""), &out, &errw)
		return errw.String()
	}
	record()
	db, err := sqlitex.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), driver.Lazy, func(*sqlitex.Tx) error {
		if said := record(); !strings.Contains(said, "holds the lock of the file") || strings.Contains(said, "check the path") {
			t.Errorf("of a lock it says: %s", said)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(path, "below", "memory.db")
	if said := record(); !strings.Contains(said, "check the path") {
		t.Errorf("of a path below a file it says: %s", said)
	}
}

// What the domain complains about has the name of the flag or the operand that the user typed.
func TestTypedName(t *testing.T) {
	t.Parallel()
	for command, names := range map[string]map[string]string{
		"search":         {"Text": "words", "Count": "count", "Offset": "offset", "Tags": "tag", "Types": "type", "Situation": "situation", "Relevance": "min", "CreatedBefore": "until", "Projects": "project", "min_trust": "min-trust"},
		"search --limit": {"Count": "limit"},
		"record":         {"content": "content", "Content": "content", "valid_until": "valid-until", "Supersedes": "supersedes", "tags": "tag"},
		"modify":         {"ID": "id", "Vote": "reinforce", "valid_from": "valid-from"},
		"upvote":         {"Up": "id", "IDs": "id", "Query": "query"},
		"context":        {"MaxTokens": "max-tokens", "Prompt": "prompt"},
		"fact add":       {"kind": "kind", "Relations": "subject"},
	} {
		for field, want := range names {
			if got := cli.TypedName(field, strings.Fields(command)...); got != want {
				t.Errorf("%s: %s is %s, want %s", command, field, got, want)
			}
		}
	}
}

// The query has the ranker that was asked for: a search by bm25 must not wait for a model.
func TestSearch_HasItsRanker(t *testing.T) {
	t.Parallel()
	for want, args := range map[hippo.Ranker][]string{
		hippo.RankerBM25: {"search", "--ranker", "bm25"}, hippo.RankerHippo: {"search"}, hippo.RankerCosine: {"search", "--ranker=cosine"},
	} {
		if got, err := cli.RankerOf(args...); err != nil || got != want {
			t.Errorf("%q: got %q (%v), want %s", args, got, err, want)
		}
	}
}

// What reads stdin does not wait for it when it is cancelled.
func TestMain_StopsReading(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	in, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	var out, errw bytes.Buffer
	if code := cli.Main(ctx, []string{"hippo", "record", "-"}, in, &out, &errw); code != 1 || errw.String() != "hippo: stop\n" {
		t.Errorf("got exit code %d and %q", code, errw.String())
	}
}
