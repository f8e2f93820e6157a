package codeindex

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

const (
	// sightingsFile is the name of the file that says how code was when it was first seen for a memory: a line for each,
	// with the memory, the text of the link, the hash of the code and the time, separated by tabs.
	sightingsFile = "sightings"
	// maxSightings bounds the file, in bytes. Beyond it the older half is dropped.
	maxSightings = 4 << 20
)

// sightings are what the file says, and what is to be added.
type sightings struct {
	path  string
	text  []byte
	known map[string]sighting // by memory and text of the link
	added []string            // keys
}

// sighting is how code was at a time.
type sighting struct {
	hash string
	at   time.Time
}

// openSightings reads the file of a tree. One that cannot be read is empty.
func openSightings(t *Tree) *sightings {
	b := &sightings{path: filepath.Join(t.folder, sightingsFile), known: make(map[string]sighting)}
	b.text, _ = os.ReadFile(b.path)
	for line := range bytes.Lines(b.text) {
		parts := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(parts) != 4 {
			continue // the rest of a write that was cut off
		}
		seconds, err := strconv.ParseInt(parts[3], 10, 64)
		key := parts[0] + "\t" + parts[1]
		if _, before := b.known[key]; err == nil && !before {
			b.known[key] = sighting{parts[2], time.Unix(seconds, 0)}
		}
	}
	return b
}

// subject names a memory with its content: another content speaks of code as it is then.
func subject(m *hippo.Memory) string {
	return m.ID.String() + "-" + hex.EncodeToString(m.ContentHash[:4])
}

// compare returns the links of a memory, and notes what is seen for the first time.
func (b *sightings) compare(t *Tree, m *hippo.Memory, texts []string, meanings map[string]meaning) (out []api.CodeLink) {
	for _, text := range texts {
		now, there := meanings[text]
		key := subject(m) + "\t" + text
		before, seen := b.known[key]
		if !there && !seen || len(out) == maxLinks {
			continue
		}
		l := api.CodeLink{Root: t.Root.Path, Text: text, Of: now.of, Since: before.at}
		switch {
		case !there:
			l.State = api.LinkGone
		case now.hash == "":
			l.State = api.LinkUnknown
		case !seen:
			b.known[key] = sighting{hash: now.hash}
			b.added = append(b.added, key)
		case now.hash != before.hash:
			l.State = api.LinkChanged
		}
		out = append(out, l)
	}
	return out
}

// save adds to the file what was seen for the first time at a time.
func (b *sightings) save(now time.Time) error {
	if len(b.added) == 0 {
		return nil
	}
	var lines strings.Builder
	if n := len(b.text); n > 0 && b.text[n-1] != '\n' {
		lines.WriteByte('\n') // a write was cut off
	}
	for _, key := range b.added {
		fmt.Fprintf(&lines, "%s\t%s\t%d\n", key, b.known[key].hash, now.Unix())
	}
	if len(b.text)+lines.Len() > maxSightings {
		half := b.text[len(b.text)/2:]
		half = half[bytes.IndexByte(half, '\n')+1:]
		if err := atomicfile.Write(b.path, append(half, lines.String()...)); err != nil {
			return fmt.Errorf("code index: %w", err)
		}
		return nil
	}
	f, err := os.OpenFile(b.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("code index: %w", err)
	}
	_, err = f.WriteString(lines.String())
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("code index: %w", err)
	}
	return nil
}
