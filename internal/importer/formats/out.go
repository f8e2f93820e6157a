package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// Out receives what the reader of another format reads; see [NewSource].
type Out struct {
	source *Source
	yield  yield
}

// NewSource returns a source of a format that another package reads. each is called for every
// reading, and returns the errors of the functions of Out at once.
func NewSource(kind Kind, each func(*Out) error) *Source {
	s := &Source{Kind: kind}
	s.each = func(y yield) error { return each(&Out{s, y}) }
	return s
}

// Memory adds a memory of another program, or the error in its place. where is the place in
// the source, such as "line 7". Control characters are replaced, what is too long for a
// situation, a tag or a type is shortened, and what is too much stays in the metadata.
func (o *Out) Memory(where string, m *hippo.Memory, err error) error {
	if err == nil {
		clean(m)
		fit(m)
		m.ContentHash = hippo.HashContent(m.Content)
		err = m.Validate()
	}
	if err != nil {
		m, err = nil, fmt.Errorf("%s: %w", where, err)
	}
	o.source.place = where
	if file := o.source.file; file.name != "" {
		if err != nil {
			o.source.file.broken = true
		} else if m.Source.URI != file.name {
			SetMeta(m, ImportFile, file.name)
		}
	}
	if !o.yield(m, err) {
		return errStop
	}
	return nil
}

// sourceFile is a file of a source that is being read.
type sourceFile struct {
	name   string
	broken bool // an entry of it is an error
}

// InFile calls read, which reads a whole file by the functions of Out: what a former import found there, and this one does not
// find any more, is no longer said. The memories note the name, which is a path with slashes. An empty name is of no file.
func (o *Out) InFile(name string, read func() error) error {
	o.source.file = sourceFile{name: name}
	err := read()
	if err == nil && name != "" && !o.source.file.broken {
		o.source.whole = append(o.source.whole, name)
	}
	o.source.file = sourceFile{}
	return err
}

// Whole returns the files that [Source.Entries] has read so far without an error, as [Out.InFile] names them.
func (s *Source) Whole() []string { return s.whole }

// Relate adds a relation; one that is not valid is left out.
func (o *Out) Relate(r hippo.Relation) {
	if r.Validate() != nil {
		o.Skip("relations of a thing to itself, or without a kind", 1)
		return
	}
	o.source.relations = append(o.source.relations, r)
}

// Skip counts n things of the source that are no memories.
func (o *Out) Skip(what string, n int) {
	if n == 0 {
		return
	}
	if o.source.skipped == nil {
		o.source.skipped = make(map[string]int)
	}
	o.source.skipped[what] += n
}

// Stopped reports whether an error is that of a reading that was ended by its caller.
func Stopped(err error) bool { return errors.Is(err, errStop) }

// Skipped is a kind of things that a source holds beside memories.
type Skipped struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Skipped returns what [Source.Entries] has left out so far because it is no memory, by name.
func (s *Source) Skipped() []Skipped {
	var out []Skipped
	for _, what := range slices.Sorted(maps.Keys(s.skipped)) {
		out = append(out, Skipped{what, s.skipped[what]})
	}
	return out
}

// fit shortens what a memory of another program may have too much of.
func fit(m *hippo.Memory) {
	m.Situation = fitList(m, "situation", m.Situation, hippo.MaxSituations, hippo.MaxSituation)
	m.Tags = fitList(m, "tags", m.Tags, hippo.MaxTags, hippo.MaxTag)
	if len(m.Type) > hippo.MaxType {
		SetMeta(m, "type", m.Type)
		m.Type = Shorten(m.Type, hippo.MaxType)
	}
	for _, s := range []*string{
		&m.Source.Author, &m.Source.Client, &m.Source.Session, &m.Source.URI, &m.Project,
	} {
		*s = Shorten(*s, hippo.MaxName)
	}
	fitMetadata(m)
}

// fitList drops blank and repeated elements, and those beyond a number, and shortens the
// others. A list that loses text is kept in the metadata.
func fitList(m *hippo.Memory, key string, list []string, most, size int) []string {
	var out []string
	lost := false
	for _, s := range list {
		short := Shorten(s, size)
		switch {
		case strings.TrimSpace(short) == "" || slices.Contains(out, short):
			continue
		case len(out) == most:
			lost = true
			continue
		}
		lost = lost || short != s
		out = append(out, short)
	}
	if lost {
		SetMeta(m, key, list)
	}
	return out
}

// fitMetadata removes the largest values of metadata that is too large.
func fitMetadata(m *hippo.Memory) {
	size := 0
	for k, v := range m.Metadata {
		size += len(k) + len(v)
	}
	for size > hippo.MaxMetadata {
		largest := ""
		for _, k := range slices.Sorted(maps.Keys(m.Metadata)) {
			if largest == "" || len(m.Metadata[k]) > len(m.Metadata[largest]) {
				largest = k
			}
		}
		size -= len(largest) + len(m.Metadata[largest])
		delete(m.Metadata, largest)
	}
}

// Shorten cuts a text to at most size bytes, between two characters.
func Shorten(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && s[size]&0xc0 == 0x80 {
		size--
	}
	return s[:size]
}

// SetMeta sets a key of the metadata to a value, unless that is empty or has no JSON.
func SetMeta(m *hippo.Memory, key string, value any) {
	b, err := marshal(value)
	switch string(b) {
	case "", "null", `""`, "[]", "{}":
		return
	}
	if err != nil {
		return
	}
	if m.Metadata == nil {
		m.Metadata = make(map[string]json.RawMessage)
	}
	m.Metadata[key] = b
}

// Imported returns a memory of another program: with the importance and the trust of an
// imported one, the ID of a name in that program, and that program as its client.
func Imported(client, name string) *hippo.Memory {
	m := imported()
	m.ID = importID(client, name)
	m.Source.Client = client
	m.Source.URI = client + ":" + name
	return m
}

// ImportID returns the ID of a name in another program, as [Imported] sets it.
func ImportID(client, name string) hippo.ID { return importID(client, name) }

// SetTimes sets when a memory was recorded, and, if the source says so, changed.
func SetTimes(m *hippo.Memory, created, updated time.Time) {
	m.CreatedAt, m.UpdatedAt = created, updated
	if updated.Before(created) {
		m.UpdatedAt = created
	}
}

// ParseTime reads a time as other programs write it: RFC 3339, with or without a zone (then
// UTC), a date, or a number since 1970 of seconds, or of milliseconds, microseconds or
// nanoseconds where that would be beyond the year 5138.
func ParseTime(s string) (time.Time, bool) { return parseTime(s) }

// Include adds what another source holds, of which name is the place in this one.
func (o *Out) Include(name string, s *Source) error {
	for m, err := range s.Entries() {
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		if o.source.place = name; s.Place() != "" {
			o.source.place += ": " + s.Place()
		}
		if !o.yield(m, err) {
			return errStop
		}
	}
	o.source.relations = append(o.source.relations, s.relations...)
	o.source.whole = append(o.source.whole, s.whole...)
	for what, n := range s.skipped {
		o.Skip(what, n)
	}
	return nil
}

// SurpriseEstimated is what the version of a row's surprise ends with until the surprise of its memory is known.
const SurpriseEstimated = " estimated"

// ImportFile is the key of the metadata of an imported memory that says which file it is from. A file that has one says all
// that it has to say: what it had said before, and does not say any more, no longer holds.
const ImportFile = "import_file"
