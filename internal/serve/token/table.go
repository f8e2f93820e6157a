package token

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
)

// Book keeps tokens. [File] and [Table] are the two kinds.
type Book interface {
	Create(ctx context.Context, t Token) (text string, err error)
	Find(text string) (Token, bool)
	List() ([]Token, error)
	Revoke(ctx context.Context, namespace, name string) error
}

// Rows is where a [Table] keeps tokens: by the hash of the text, with the JSON of a [Token].
type Rows interface {
	// Add is [hippo.ErrConflict] if the namespace has the name.
	Add(ctx context.Context, hash []byte, namespace, name string, token []byte) error
	// Find returns nil if there is none.
	Find(ctx context.Context, hash []byte) ([]byte, error)
	// List is in the order of creation.
	List(ctx context.Context) ([][]byte, error)
	Remove(ctx context.Context, namespace, name string) (found bool, err error)
}

const (
	// fresh is how long an answer of the rows is used again: so late a revocation takes effect on another machine.
	fresh = 2 * time.Second
	// lasting is how long it is used while the rows cannot be read.
	lasting = time.Minute
	// maxKnown bounds the answers that are kept.
	maxKnown = 10_000
	// rowsWait bounds how long a caller waits for the rows.
	rowsWait = 5 * time.Second
)

// Table keeps tokens in a table that the servers of several machines share. It is safe for concurrent use.
type Table struct {
	rows Rows
	now  func() time.Time

	mu    sync.Mutex
	known map[string]answer // by hash
}

// answer is what the rows had at a time.
type answer struct {
	token Token
	found bool
	at    time.Time
}

// NewTable returns the tokens in rows.
func NewTable(rows Rows, now func() time.Time) *Table {
	return &Table{rows: rows, now: now, known: make(map[string]answer)}
}

// Create implements [Book]; see [File.Create].
func (t *Table) Create(ctx context.Context, x Token) (text string, err error) {
	now := t.now()
	if err := x.validate(now); err != nil {
		return "", err
	}
	text = newText()
	x.Created, x.Hash = now.UTC().Truncate(time.Second), hash(text)
	b, err := json.Marshal(x)
	if err != nil {
		return "", err
	}
	if err := t.rows.Add(ctx, bytesOf(x.Hash), x.Namespace, x.Name, b); err != nil {
		return "", err
	}
	t.forget(x.Hash)
	return text, nil
}

// Find implements [Book]. A change on another machine counts after two seconds. While the rows cannot be read, the tokens of the last
// minute are those of before.
func (t *Table) Find(text string) (Token, bool) {
	now, h := t.now(), hash(text)
	t.mu.Lock()
	a, ok := t.known[h]
	t.mu.Unlock()
	if !ok || now.Sub(a.at) >= fresh {
		read, err := t.read(h, now)
		switch {
		case err == nil:
			a = read
		case !ok || now.Sub(a.at) >= lasting:
			return Token{}, false
		}
	}
	if !a.found || a.token.Expired(now) {
		return Token{}, false
	}
	return a.token, true
}

// read asks the rows, and keeps the answer.
func (t *Table) read(h string, now time.Time) (a answer, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), rowsWait)
	defer cancel()
	b, err := t.rows.Find(ctx, bytesOf(h))
	if err != nil {
		return a, err
	}
	a.at = now
	if b != nil {
		if a.token, err = decoded(b); err != nil {
			return a, err
		}
		a.found = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= maxKnown {
		clear(t.known)
	}
	t.known[h] = a
	return a, nil
}

func decoded(b []byte) (x Token, err error) {
	if err := json.Unmarshal(b, &x); err != nil {
		return x, fmt.Errorf("%w: a token cannot be read: %w", hippo.ErrCorrupt, err)
	}
	return x, nil
}

// bytesOf returns the bytes of a hash that this package made.
func bytesOf(h string) []byte {
	b, err := hex.DecodeString(h)
	if err != nil {
		panic(err) // it is made of hexadecimal digits
	}
	return b
}

// forget drops what is known of a hash.
func (t *Table) forget(h string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, h)
}

// List implements [Book].
func (t *Table) List() ([]Token, error) {
	ctx, cancel := context.WithTimeout(context.Background(), rowsWait)
	defer cancel()
	list, err := t.rows.List(ctx)
	out := make([]Token, 0, len(list))
	for _, b := range list {
		x, bad := decoded(b)
		if bad != nil {
			return out, bad
		}
		out = append(out, x)
	}
	return out, err
}

// Revoke implements [Book]; see [File.Revoke].
func (t *Table) Revoke(ctx context.Context, namespace, name string) error {
	found, err := t.rows.Remove(ctx, namespace, name)
	if err != nil {
		return err
	}
	t.mu.Lock()
	clear(t.known)
	t.mu.Unlock()
	if !found {
		list, err := t.List()
		if err != nil {
			return err
		}
		return hippo.Fieldf("name", "no token is named %.80q; there are: %s", name, names(list))
	}
	return nil
}
