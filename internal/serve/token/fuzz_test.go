package token_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// FuzzFile: a file of tokens is refused as corrupt, gives nobody a right and is not written, or each of its tokens has a right,
// and one that is created beside them is found and leaves them as they are.
func FuzzFile(f *testing.F) {
	for _, text := range []string{
		"", "null", "{}", "[]", `{"tokens":null}`, `{"tokens":[null]}`, `{"tokens":[{}]}`, `{"tokens":[{"name":"a","right":"root"}]}`, `{"tokens":[{"name":"a","right":""}]}`,
		`{"tokens":[{"name":"a","right":"read","projects":["x"],"created":"2026-01-01T00:00:00Z","expires":"2126-01-01T00:00:00Z"}],"more":1}`, `{"tokens":[{"name":"a","right":"READ"}]}`,
		`{"tokens":[{"name":"a","right":"read"},{"name":"a","right":"admin"}]}`, "\xef\xbb\xbf{\"tokens\":[]}", `{"tokens":[]}{"tokens":[]}`, `{"tokens":{"name":"a"}}`, `{"TOKENS":[{"name":"a","right":"admin"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "tokens.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		now := func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) }
		file := token.NewFile(path, now)
		before, err := file.List()
		if err != nil && (!errors.Is(err, hippo.ErrCorrupt) || len(before) > 0) {
			t.Errorf("%q: %d tokens, %v", text, len(before), err)
		}
		for _, x := range before {
			if x.Right.Rights() == 0 {
				t.Errorf("%q: %+v has no right", text, x)
			}
		}
		secret, created := file.Create(t.Context(), token.Token{Name: "fresh", Right: token.Read})
		got, readErr := os.ReadFile(path)
		after, listed := token.NewFile(path, now).List()
		found, ok := token.NewFile(path, now).Find(secret)
		switch {
		case readErr != nil:
			t.Fatal(readErr)
		case created != nil && (!bytes.Equal(got, text) || ok):
			t.Errorf("%q, refused with %v: is %q", text, created, got)
		case created == nil && (err != nil || listed != nil || len(after) != len(before)+1 || !ok || found.Name != "fresh" || found.Right != token.Read):
			t.Errorf("%q (%v): %d tokens, then %d with %+v (%v)", text, err, len(before), len(after), found, listed)
		}
	})
}
