package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Memo answers a process that asks about the same folders with every call. It trusts an answer while the settings of the repository
// are the same file of the same time, which takes one system call instead of some thirty. It keeps only answers that neither a commit
// nor more history can change. Its methods may be called concurrently.
type Memo struct {
	Cache Cache

	mu    sync.Mutex
	known map[string]known
}

// known is the answer for a folder, and what it was read from.
type known struct {
	identity Identity
	between  []string // the folders from the one asked about up to the root of the working tree, without the root
	config   string   // the file of the settings
	at       time.Time
	size     int64
}

// maxKnown bounds the folders of a memo. A client names few.
const maxKnown = 64

// Identify is [Cache.Identify].
func (m *Memo) Identify(ctx context.Context, dir string) Identity {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k, ok := m.known[dir]; ok && k.holds() {
		return k.identity
	}
	identity := m.Cache.Identify(ctx, dir)
	var k known
	ok := identity.Name != "" // outside of repositories one may come to be in any folder above
	if ok {
		k, ok = m.Cache.settled(dir)
	}
	if !ok {
		delete(m.known, dir)
		return identity
	}
	if m.known == nil || len(m.known) >= maxKnown {
		m.known = make(map[string]known)
	}
	k.identity = identity
	m.known[dir] = k
	return identity
}

// settled returns what a later answer for a folder depends on. False: on more than a [Memo] checks. That is so without a first
// commit, and where a symbolic link may come to lead elsewhere.
func (c Cache) settled(dir string) (known, bool) {
	r, ok := Find(dir)
	if !ok || r.Bare() {
		return known{}, false
	}
	k := known{config: filepath.Join(r.Common, "config")}
	for at := filepath.Clean(dir); at != r.Tree; at = filepath.Dir(at) {
		if at == filepath.Dir(at) {
			return known{}, false
		}
		k.between = append(k.between, at)
	}
	info, err := os.Stat(k.config)
	e := c.load(r.Common)
	if err != nil || e.Root == "" || e.Waited > 0 || e.Stamp != stampOf(r) {
		return known{}, false
	}
	k.at, k.size = info.ModTime(), info.Size()
	return k, true
}

// holds reports whether an answer is still right.
func (k *known) holds() bool {
	if slices.ContainsFunc(k.between, isRoot) {
		return false
	}
	info, err := os.Stat(k.config)
	return err == nil && info.ModTime().Equal(k.at) && info.Size() == k.size
}
