package token_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// rows are those of a database, which may be away.
type rows struct {
	list  []row
	reads int
	away  error
}

type row struct {
	hash            string
	namespace, name string
	token           []byte
}

func (r *rows) Add(_ context.Context, hash []byte, namespace, name string, x []byte) error {
	if slices.ContainsFunc(r.list, func(o row) bool { return o.namespace == namespace && o.name == name }) {
		return hippo.ErrConflict
	}
	r.list = append(r.list, row{string(hash), namespace, name, x})
	return r.away
}

func (r *rows) Find(_ context.Context, hash []byte) ([]byte, error) {
	r.reads++
	for _, o := range r.list {
		if o.hash == string(hash) {
			return o.token, r.away
		}
	}
	return nil, r.away
}

func (r *rows) List(context.Context) (out [][]byte, err error) {
	for _, o := range r.list {
		out = append(out, o.token)
	}
	return out, r.away
}

func (r *rows) Remove(_ context.Context, namespace, name string) (bool, error) {
	n := len(r.list)
	r.list = slices.DeleteFunc(r.list, func(o row) bool { return o.namespace == namespace && o.name == name })
	return len(r.list) < n, r.away
}

// TestTable: what one server creates or revokes counts on another one within two seconds, and a database that is away does not lock out
// those who were let in within the last minute.
func TestTable(t *testing.T) {
	t.Parallel()
	r, now := &rows{}, time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	here, there := token.NewTable(r, clock), token.NewTable(r, clock)
	text, err := here.Create(t.Context(), token.Token{Name: "ann", Right: token.Write, Namespace: "team", Expires: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	wantFound := func(what string, book token.Book, want bool) {
		t.Helper()
		if x, ok := book.Find(text); ok != want || ok && (x.Name != "ann" || x.Namespace != "team") {
			t.Errorf("%s: got %+v, %t, want %t", what, x, ok, want)
		}
	}
	wantFound("here", here, true)
	wantFound("there", there, true)
	if _, ok := there.Find(text + "x"); ok {
		t.Error("another text is let in")
	}
	before := r.reads
	wantFound("there again", there, true)
	if r.reads != before {
		t.Error("each request reads the database")
	}
	r.away = errors.New("no connection")
	now = now.Add(59 * time.Second)
	wantFound("the database is away", there, true)
	now = now.Add(2 * time.Second)
	wantFound("it is away for long", there, false)
	r.away = nil
	wantFound("it is back", there, true)
	if err := here.Revoke(t.Context(), "team", "ann"); err != nil {
		t.Fatal(err)
	}
	wantFound("revoked here", here, false)
	now = now.Add(2 * time.Second)
	wantFound("revoked, two seconds later", there, false)
}

func TestTable_refuses(t *testing.T) {
	t.Parallel()
	r, now := &rows{}, time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	book := token.NewTable(r, func() time.Time { return now })
	text, err := book.Create(t.Context(), token.Token{Name: "ann", Right: token.Read, Expires: now.Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := book.Create(t.Context(), token.Token{Name: "ann", Right: token.Read}); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("the same name: %v", err)
	}
	if _, err := book.Create(t.Context(), token.Token{Name: "ann", Right: "all"}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("an unknown right: %v", err)
	}
	if err := book.Revoke(t.Context(), "team", "ann"); err == nil || !strings.Contains(err.Error(), "there are: ann") {
		t.Errorf("another namespace: %v", err)
	}
	now = now.Add(time.Minute)
	if _, ok := book.Find(text); ok {
		t.Error("an expired token is let in")
	}
	r.list[0].token = []byte(`{"name":`)
	if list, err := book.List(); !errors.Is(err, hippo.ErrCorrupt) {
		t.Errorf("a damaged row: %v (%v)", list, err)
	}
	if _, ok := book.Find(text); ok {
		t.Error("a damaged token is let in")
	}
}
