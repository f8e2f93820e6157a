// Package snapshots keeps the files of indexes where other machines find them: in a folder that they share, or in a bucket of a
// service that speaks S3. Both implement the interface of the same name of package index.
//
// A snapshot has the name STORE/FORM-REVISION.index, the revision in 20 digits. Names of stores that are not letters, digits,
// hyphens and underscores are replaced by a hash.
package snapshots

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
)

const (
	suffix         = ".index"
	revisionDigits = 20
	maxStore       = 100 // bytes of the name of a store that is not replaced
	// Snapshots that stay: of the form that was kept last, so that one can be fetched while the next is kept, and of all other
	// forms, which programs of other versions may need.
	keptOfForm, keptOfOthers = 2, 1
)

// name is that of a snapshot of a store.
type name struct {
	form     string
	revision hippo.Revision
}

func (n name) String() string {
	return fmt.Sprintf("%s-%0*d%s", n.form, revisionDigits, uint64(n.revision), suffix)
}

// parse returns the name of a snapshot, or false if a file or an object is none.
func parse(s string) (n name, ok bool) {
	rest, ok := strings.CutSuffix(s, suffix)
	at := len(rest) - revisionDigits - 1
	if !ok || at < 1 || rest[at] != '-' {
		return n, false
	}
	revision, err := strconv.ParseUint(rest[at+1:], 10, 64)
	n = name{rest[:at], hippo.Revision(revision)}
	return n, err == nil && n.String() == s
}

// folderOf returns the name of the folder of a store.
func folderOf(store string) string {
	if store != "" && len(store) <= maxStore && isPlain(store, "") {
		return store
	}
	sum := sha256.Sum256([]byte(store))
	return "store." + hex.EncodeToString(sum[:]) // no plain name has a dot
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// isPlain reports whether a name has only letters, digits, hyphens, underscores and some other characters.
func isPlain(name, others string) bool { return strings.Trim(name, plain+others) == "" }

// newest returns the highest revision of a form that is not above most.
func newest(list []name, form string, most hippo.Revision) (r hippo.Revision) {
	for _, n := range list {
		if n.form == form && n.revision <= most {
			r = max(r, n.revision)
		}
	}
	return r
}

// old returns the names that go when one was kept: what is above it was of a store that has lost its last changes.
func old(list []name, kept name) (out []name) {
	list = slices.SortedFunc(slices.Values(list), func(a, b name) int { return cmp.Compare(b.revision, a.revision) })
	own, others := 0, 0
	for _, n := range list {
		count, most := &others, keptOfOthers
		if n.form == kept.form {
			count, most = &own, keptOfForm
		}
		if n.form == kept.form && n.revision > kept.revision || *count == most {
			out = append(out, n)
		} else {
			*count++
		}
	}
	return out
}
