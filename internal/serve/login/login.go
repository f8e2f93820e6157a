// Package login keeps the tokens by which this user is known to servers, by origin, in a file that only the user reads.
package login

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/base/secret"
)

// maxFile bounds the file in bytes, maxToken a token.
const maxFile, maxToken = 1 << 20, 8 << 10

// Login is what is kept for a server.
type Login struct {
	Token secret.Value
	// Plain: the user accepted that what is sent to it can be read on the way.
	Plain bool
}

// entry is a [Login] in the file.
type entry struct {
	Token string `json:"token"`
	Plain bool   `json:"insecure_http,omitempty"`
}

// contents is the form of the file.
type contents struct {
	Servers map[string]entry `json:"servers"`
}

// ParseToken checks the text of a token, without white space around it. The error does not show it.
func ParseToken(text string) (secret.Value, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return secret.Value{}, hippo.Fieldf("token", "must not be empty: hippo token create NAME prints one on the server")
	case len(text) > maxToken || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }):
		return secret.Value{}, hippo.Fieldf("token", "must be at most %d printable ASCII characters without spaces", maxToken)
	}
	return secret.New(text), nil
}

// Find returns what a file keeps for an origin; false if that is nothing. The file need not exist. One that others may
// read is [hippo.ErrForbidden].
func Find(path, origin string) (Login, bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Login{}, false, nil
	case err != nil:
		return Login{}, false, fmt.Errorf("%w: logins: %w", hippo.ErrUnavailable, err)
	case exposed(info):
		return Login{}, false, fmt.Errorf("%w: %s can be read by other users, and holds tokens: chmod 600 it, or hippo login again", hippo.ErrForbidden, path)
	}
	_, c, err := read(path)
	e, ok := c.Servers[origin]
	return Login{secret.New(e.Token), e.Plain}, ok, err
}

// Save keeps a login for an origin, in place of an older one.
func Save(path, origin string, l Login) error {
	return change(path, func(c *contents) error {
		c.Servers[origin] = entry{l.Token.Reveal(), l.Plain}
		return nil
	})
}

// Remove forgets the login for an origin. An unknown one is [hippo.ErrNotFound].
func Remove(path, origin string) error {
	return change(path, func(c *contents) error {
		if _, ok := c.Servers[origin]; !ok {
			known := "none"
			if len(c.Servers) > 0 {
				known = strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", ")
			}
			return fmt.Errorf("%w: there is no login for %s; there are: %s", hippo.ErrNotFound, origin, known)
		}
		delete(c.Servers, origin)
		return nil
	})
}

func read(path string) (atomicfile.File, contents, error) {
	c := contents{}
	file, err := atomicfile.Read(path, maxFile)
	if err != nil {
		return file, c, fmt.Errorf("%w: logins: %w", hippo.ErrUnavailable, err)
	}
	if file.Exists {
		if err := json.Unmarshal(file.Content, &c); err != nil { // the error may show a part of a token
			return file, c, fmt.Errorf("%w: %s is no file of logins: remove it, and hippo login again", hippo.ErrCorrupt, path)
		}
	}
	if c.Servers == nil {
		c.Servers = make(map[string]entry)
	}
	return file, c, nil
}

func change(path string, fn func(*contents) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%w: logins: %w", hippo.ErrUnavailable, err)
	}
	file, c, err := read(path)
	if err != nil {
		return err
	}
	if err := fn(&c); err != nil {
		return err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	file.Mode = 0o600
	if err := file.Replace(append(text, '\n')); err != nil {
		return fmt.Errorf("%w: logins: %w", hippo.ErrUnavailable, err)
	}
	return nil
}
