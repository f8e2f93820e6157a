package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

const (
	// maxFile bounds the file in bytes, and maxTokens the entries in it.
	maxFile   = 1 << 20
	maxTokens = 1000
	lockWait  = 10 * time.Second
	lockRetry = 5 * time.Millisecond
)

// File is the file of the tokens. Several processes may use it at a time. It is safe for concurrent use.
type File struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	read   stamp
	failed error // why the file was not taken when it was read last
	tokens []Token
}

// stamp distinguishes two states of a file.
type stamp struct {
	size int64
	at   time.Time
	info fs.FileInfo
}

// NewFile returns the tokens in a file, which need not exist.
func NewFile(path string, now func() time.Time) *File { return &File{path: path, now: now} }

// List returns the tokens, those that have expired included, in the order of their creation.
func (f *File) List() ([]Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.refresh()
	return slices.Clone(f.tokens), err
}

// Find returns the token with a text, if there is one and it has not expired. A change of the file by another process
// counts at once. If the file cannot be read, the tokens are those of before; a damaged file has none.
func (f *File) Find(text string) (Token, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.refresh() // List reports it
	t := find(f.tokens, text)
	if t == nil || t.Expired(f.now()) {
		return Token{}, false
	}
	return *t, true
}

// refresh reads the file if it has changed.
func (f *File) refresh() error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.tokens, f.read, f.failed = nil, stamp{}, nil
		return nil
	case err != nil:
		return err
	}
	s := stamp{info.Size(), info.ModTime(), info}
	if f.read.info != nil && info.Mode() == f.read.info.Mode() && f.failed == nil && os.SameFile(s.info, f.read.info) && s.size == f.read.size && s.at.Equal(f.read.at) {
		return nil
	}
	tokens, err := load(f.path)
	if err == nil || errors.Is(err, hippo.ErrCorrupt) || errors.Is(err, hippo.ErrForbidden) {
		f.tokens, f.read, f.failed = tokens, s, err
	}
	return err
}

// writable reports whether other users may write a file. On Windows the folder of the user has the rights.
func writable(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
}

// contents is the form of the file.
type contents struct {
	Tokens []Token `json:"tokens"`
}

func load(path string) ([]Token, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case writable(info):
		return nil, fmt.Errorf("%w: %s can be written by other users, who could add a token for all rights: chmod 600 it, then check what hippo token list shows", hippo.ErrForbidden, path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%w: %s has %d bytes, more than %d", hippo.ErrCorrupt, path, info.Size(), maxFile)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, b)
}

func parse(path string, b []byte) ([]Token, error) {
	var c *contents
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", hippo.ErrCorrupt, path, err)
	}
	if c == nil {
		return nil, fmt.Errorf("%w: %s has null in place of its tokens: put the file back from a copy, or remove it and create the tokens again", hippo.ErrCorrupt, path)
	}
	for i := range c.Tokens {
		if t := &c.Tokens[i]; t.Right.Rights() == 0 {
			return nil, fmt.Errorf("%w: %s: the token %.80q has the right %.40q, which must be one of %v: correct or remove it", hippo.ErrCorrupt, path, t.Name, string(t.Right), Rights())
		}
	}
	return c.Tokens, nil
}

// Create adds a token and returns its text, which is kept nowhere. Of t the caller sets Name, Right and what restricts
// it. A name that another token of its namespace has is [hippo.ErrConflict]: those of other tenants are none of the caller's business.
func (f *File) Create(ctx context.Context, t Token) (text string, err error) {
	now := f.now()
	if err := t.validate(now); err != nil {
		return "", err
	}
	text = newText()
	t.Created, t.Hash = now.UTC().Truncate(time.Second), hash(text)
	err = f.change(ctx, func(tokens []Token) ([]Token, error) {
		switch {
		case slices.ContainsFunc(tokens, func(o Token) bool { return o.Name == t.Name && o.Namespace == t.Namespace }):
			return nil, fmt.Errorf("%w: there is a token named %q: revoke it first, or choose another name", hippo.ErrConflict, t.Name)
		case len(tokens) >= maxTokens:
			return nil, fmt.Errorf("%w: there are %d tokens: revoke some first", hippo.ErrFull, maxTokens)
		}
		return append(tokens, t), nil
	})
	if err != nil {
		return "", err
	}
	return text, nil
}

// Revoke removes a token by its namespace and name. An unknown one is a [*hippo.FieldError].
func (f *File) Revoke(ctx context.Context, namespace, name string) error {
	return f.change(ctx, func(tokens []Token) ([]Token, error) {
		i := slices.IndexFunc(tokens, func(t Token) bool { return t.Name == name && t.Namespace == namespace })
		if i < 0 {
			return nil, hippo.Fieldf("name", "no token is named %.80q; there are: %s", name, names(tokens))
		}
		return slices.Delete(tokens, i, i+1), nil
	})
}

// names lists the names of tokens.
func names(tokens []Token) string {
	if len(tokens) == 0 {
		return "none"
	}
	out := make([]string, len(tokens))
	for i := range tokens {
		out[i] = tokens[i].Name
	}
	return strings.Join(out, ", ")
}

// change replaces the tokens, one process at a time.
func (f *File) change(ctx context.Context, fn func([]Token) ([]Token, error)) error {
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	defer func() { _ = lock.Close() }() // the system unlocks when the process ends
	if ok, err := lock.TryLockContext(ctx, lockRetry); err != nil || !ok {
		return fmt.Errorf("%w: %s is locked by another process: %w", hippo.ErrUnavailable, f.path, errors.Join(err, context.Cause(ctx)))
	}
	if _, err := load(f.path); errors.Is(err, hippo.ErrForbidden) {
		return err
	}
	file, err := atomicfile.Read(f.path, maxFile)
	if err != nil {
		return err
	}
	var tokens []Token
	if file.Exists {
		if tokens, err = parse(file.Path, file.Content); err != nil {
			return err
		}
	}
	if tokens, err = fn(tokens); err != nil {
		return err
	}
	b, err := json.MarshalIndent(contents{tokens}, "", "  ")
	if err != nil {
		return err
	}
	file.Mode = 0o600
	return file.Replace(append(b, '\n'))
}
