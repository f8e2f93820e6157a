// Package token keeps the tokens of the HTTP server: who may do what, until when. The file has hashes only; a token is
// shown once, when it is created.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// Right is what a token allows.
type Right string

// The rights; each but the last two includes those before it.
const (
	// Read allows to search, list, get and export.
	Read Right = "read"
	// Write allows to record, change, vote, forget and import as well.
	Write Right = "write"
	// Admin allows to purge, to see the state of the store, and to see tokens as well.
	Admin Right = "admin"
	// Metrics allows to read the metrics of the server, and nothing else.
	Metrics Right = "metrics"
	// Sync allows to use the folder by which machines sync, and nothing else.
	Sync Right = "sync"
)

// Rights returns all of them.
func Rights() []Right { return []Right{Read, Write, Admin, Metrics, Sync} }

// Rights returns what it allows in a store; nothing for one that is not known.
func (r Right) Rights() hippo.Rights {
	switch r {
	case Read:
		return hippo.RightRead
	case Write:
		return hippo.RightRead | hippo.RightWrite
	case Admin:
		return hippo.AllRights
	case Metrics:
		return hippo.RightMetrics
	case Sync:
		return hippo.RightSync
	default:
		return 0
	}
}

// Token is an entry of the file.
type Token struct {
	// Name identifies it, 1 to [MaxName] characters.
	Name  string `json:"name"`
	Right Right  `json:"right"`
	// Namespace and Projects restrict it; see [hippo.Scope]. Projects nil: all.
	Namespace string    `json:"namespace,omitempty"`
	Projects  []string  `json:"projects,omitempty"`
	Created   time.Time `json:"created"`
	// Expires is when it ends; zero: never.
	Expires time.Time `json:"expires,omitzero"`
	// Hash is the SHA-256 of the text in hexadecimal digits.
	Hash string `json:"sha256"`
}

// MaxName is the largest length of a name in characters.
const MaxName = 64

// Scope returns what the token allows.
func (t *Token) Scope() hippo.Scope { return ScopeOf(t.Right, t.Namespace, t.Projects) }

// ScopeOf returns what a right allows in a namespace and projects, nil for all. Metrics count all scopes together, so
// that one that is restricted does not reach them; machines sync all projects of a namespace. The only project is the current one: nothing else can be meant.
func ScopeOf(r Right, namespace string, projects []string) hippo.Scope {
	s := hippo.Scope{Namespace: namespace, Projects: projects, Rights: r.Rights()}
	if namespace != "" || projects != nil {
		s.Rights &^= hippo.RightMetrics
	}
	if projects != nil {
		s.Rights &^= hippo.RightSync
	}
	if len(projects) == 1 {
		s.Project = projects[0]
	}
	return s
}

// Expired reports whether the token has ended.
func (t *Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// validate checks what a user chose.
func (t *Token) validate(now time.Time) error {
	switch {
	case t.Name == "" || utf8.RuneCountInString(t.Name) > MaxName || strings.ContainsFunc(t.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return hippo.Fieldf("name", "must be 1 to %d printable characters, got %.80q", MaxName, t.Name)
	case t.Right.Rights() == 0:
		return hippo.Fieldf("right", "must be one of %v, got %.40q", Rights(), string(t.Right))
	case t.Right == Metrics && (t.Namespace != "" || t.Projects != nil):
		return hippo.Fieldf("right", "metrics counts all namespaces and projects together: it cannot be restricted to some")
	case t.Right == Sync && t.Projects != nil:
		return hippo.Fieldf("right", "sync is for all projects of a namespace: it cannot be restricted to some")
	case t.Expired(now):
		return hippo.Fieldf("expires", "must be in the future, got %s", t.Expires.Format(time.RFC3339))
	}
	return nil
}

// Prefix begins the text of every token, so that people and scanners recognise it.
const Prefix = "hippo_"

// textBytes is the number of random bytes of a token.
const textBytes = 32

// newText returns the text of a new token.
func newText() string {
	b := make([]byte, textBytes)
	_, _ = rand.Read(b) // it does not fail
	return Prefix + hex.EncodeToString(b)
}

// hash returns the hash of the text of a token.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// find returns the token with a text; nil if there is none. Its time does not depend on which one it is, nor on how much
// of a hash is right.
func find(tokens []Token, text string) *Token {
	var found *Token
	h := []byte(hash(text))
	for i := range tokens {
		if subtle.ConstantTimeCompare([]byte(tokens[i].Hash), h) == 1 {
			found = &tokens[i]
		}
	}
	return found
}
