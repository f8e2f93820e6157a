package sharedstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// edit is what a transaction changed of a memory, beside what its columns show.
type edit struct {
	// metadata are the keys that were set, and removed: nil.
	metadata map[string]json.RawMessage
}

// editOf returns the difference between two states of a memory; old may be nil.
func editOf(old, now *hippo.Memory, earlier edit) edit {
	e := edit{metadata: make(map[string]json.RawMessage)}
	maps.Copy(e.metadata, earlier.metadata)
	if old == nil {
		old = &hippo.Memory{}
	}
	for k := range old.Metadata {
		if _, ok := now.Metadata[k]; !ok {
			e.metadata[k] = nil
		}
	}
	for k, v := range now.Metadata {
		if string(old.Metadata[k]) != string(v) {
			e.metadata[k] = v
		}
	}
	return e
}

// projection shows memories to the other programs, in their tables.
type projection struct{ vectorTable }

// memory brings the rows up to date that show a memory, or did.
func (p *projection) memory(id hippo.ID, e edit) error {
	m, err := p.Peek(id)
	if err != nil {
		return driver.Readable(err)
	}
	at, err := p.linkOf(id)
	if err != nil {
		return err
	}
	want := ""
	if m != nil {
		if want, err = p.rowFor(m, at); err != nil {
			return err
		}
	}
	if at != want {
		if err := p.link(id, want); err != nil {
			return err
		}
		if m != nil {
			e = editOf(nil, m, e) // another row shows all of it
		}
		if at != "" {
			if err := p.settle(at, m, hippo.ID{}, edit{}); err != nil {
				return err
			}
			p = after(p, id)
		}
	}
	if want == "" {
		return nil
	}
	return p.settle(want, m, id, e)
}

// after returns the projection for a row that shows a memory whose text was just changed: the vector that the store has of it is of the former text.
func after(p *projection, changed hippo.ID) *projection {
	out := *p
	out.changed = changed
	return &out
}

// rowFor returns the hash of the row for a memory, which may not be there yet; empty if the others cannot
// have it. at is that of the present one.
func (p *projection) rowFor(m *hippo.Memory, at string) (string, error) {
	if m.Namespace != "" && !p.layout.store || m.Forgotten() && at == "" {
		return "", nil
	}
	hashes := []string{rawHash(m.Content), plainHash(m.Content)}
	if p.layout.python() {
		slices.Reverse(hashes)
	}
	if slices.Contains(hashes, at) {
		return at, nil
	}
	rows, err := p.layout.rows(context.Background(), p, "content_hash IN (?, ?, ?)", hashes[0], hashes[1], at)
	if err == nil {
		err = p.takeOver(rows)
	}
	if err != nil {
		return "", err
	}
	found := make(map[string]bool)
	for i := range rows { // one with the very text, by whatever hash
		text, _ := textOf(rows[i].content)
		hash := rows[i].key()
		_, bad := rows[i].memory()
		if found[hash] = rows[i].namespace() == m.Namespace && bad == nil; found[hash] && text == m.Content {
			return hash, nil
		}
	}
	for _, hash := range hashes { // one that the others take for the same, or a new one
		if ours, there := found[hash]; ours || !there {
			return hash, nil
		}
	}
	return "", nil // other namespaces have both, or they are no memories and stay as they are
}

// takeOver takes over rows that are left, before another memory shares them.
func (p *projection) takeOver(rows []row) error {
	if len(p.group.seen.left) == 0 {
		return nil
	}
	c := p.group.reconciler(p.tx)
	var ids []int64
	for i := range rows {
		if _, ok := slices.BinarySearch(p.group.seen.left, rows[i].id); ok {
			ids = append(ids, rows[i].id)
		}
	}
	return errors.Join(addRows(context.Background(), c, ids), applySuccessors(c))
}

// settle makes a row show the first of its memories. m is what was changed, nil if it was purged; e is
// what was changed of the memory id.
func (p *projection) settle(hash string, m *hippo.Memory, id hippo.ID, e edit) error {
	members, err := p.members(hash)
	if err != nil {
		return err
	}
	rows, err := p.layout.rows(context.Background(), p, "content_hash = ?", hash)
	if err != nil {
		return err
	}
	var old *row
	if len(rows) > 0 {
		old = &rows[0]
	}
	switch {
	case old == nil && (len(members) == 0 || members[0].Forgotten()):
		return p.Exec("DELETE FROM shared_row WHERE hash = ?", hash)
	case old == nil:
		return p.insert(hash, members[0])
	case len(members) == 0 && m == nil:
		return p.purge(hash, old)
	case len(members) == 0:
		return p.remove(hash, old, m.UpdatedAt)
	}
	if members[0].ID != id {
		e = edit{}
		if m == nil || precedes(m, members[0]) {
			e = editOf(nil, members[0], e) // the row may have shown m
		}
	}
	return p.update(hash, old, members[0], e)
}

// insert adds the row of a memory.
func (p *projection) insert(hash string, m *hippo.Memory) error {
	all := maps.Clone(m.Metadata)
	if all == nil {
		all = make(map[string]json.RawMessage)
	}
	if _, err := showSurprise(all, m); err != nil {
		return err
	}
	metadata, err := textOfMetadata(all)
	if err != nil {
		return err
	}
	columns := []string{"content_hash", "content", "tags", "memory_type", "metadata", "created_at", "updated_at", "created_at_iso", "updated_at_iso"}
	args := []any{hash, m.Content, joinTags(m.Tags), null(m.Type), metadata, seconds(m.CreatedAt), seconds(m.UpdatedAt), iso(m.CreatedAt), iso(m.UpdatedAt)}
	if p.layout.store {
		columns, args = append(columns, storeColumn), append(args, storeOf(m.Namespace))
	}
	by, err := p.successorOf(m)
	if err != nil {
		return err
	}
	if p.layout.superseded {
		columns, args = append(columns, supersededColumn), append(args, null(by))
	}
	id, err := p.Insert("INSERT INTO memories ("+strings.Join(columns, ", ")+") VALUES (?"+strings.Repeat(", ?", len(args)-1)+")", args...)
	if err != nil {
		return err
	}
	if err := errors.Join(p.embed(id, m), p.edges(m.ID)); err != nil {
		return err
	}
	return p.shown(hash, by)
}

// null is NULL for the empty text.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// changes are columns to set.
type changes struct {
	columns []string
	args    []any
}

func (c *changes) set(column string, v any) {
	c.columns, c.args = append(c.columns, column+" = ?"), append(c.args, v)
}

// update sets the columns that differ from a memory. A row that became none stays as it is, but is deleted with the memory.
func (p *projection) update(hash string, old *row, m *hippo.Memory, e edit) error {
	if _, bad := old.memory(); bad != nil {
		if m.Forgotten() {
			return p.remove(hash, old, m.ForgottenAt)
		}
		return p.seen(hash)
	}
	var c changes
	tags, _ := textOf(old.tags)
	if !slices.Equal(splitTags(tags), splitTags(joinTags(m.Tags))) {
		c.set("tags", joinTags(m.Tags))
	}
	if kind, _ := textOf(old.kind); kind != m.Type {
		c.set("memory_type", null(m.Type))
	}
	if text, changed := editMetadata(old, m, e); changed {
		c.set("metadata", text)
	}
	by, err := p.setSuccessor(hash, m, &c)
	if err != nil {
		return err
	}
	if at, ok := timeOf(old.updated); ok && at.Before(m.UpdatedAt) {
		c.set("updated_at", seconds(m.UpdatedAt))
		c.set("updated_at_iso", iso(m.UpdatedAt))
	}
	alive := old.deleted == nil
	if alive == m.Forgotten() {
		c.set("deleted_at", seconds(m.ForgottenAt))
	}
	if len(c.columns) > 0 {
		if err := p.Exec("UPDATE memories SET "+strings.Join(c.columns, ", ")+" WHERE content_hash = ?", append(c.args, hash)...); err != nil {
			return err
		}
	}
	switch {
	case alive && m.Forgotten():
		if err := p.drop(old.id, hash); err != nil {
			return err
		}
	case !alive && !m.Forgotten():
		if err := errors.Join(p.embed(old.id, m), p.edges(m.ID)); err != nil {
			return err
		}
	}
	return p.shown(hash, by)
}

// shown records a row as it was written, with its successor.
func (p *projection) shown(hash, by string) error {
	if err := p.seen(hash); err != nil || !p.layout.superseded {
		return err
	}
	return p.agree(hash, by)
}

// editMetadata returns the column metadata of a row that shows a memory with an edit, and whether that changes it. One that is not a
// JSON object stays as it is.
func editMetadata(r *row, m *hippo.Memory, e edit) (string, bool) {
	all, err := r.object()
	if err != nil {
		return "", false
	}
	changed := false
	for k, v := range e.metadata {
		if string(compacted(all[k])) == string(compacted(v)) {
			continue
		}
		changed = true
		if v == nil {
			delete(all, k)
		} else {
			all[k] = v
		}
	}
	shown, err := showSurprise(all, m)
	if err != nil {
		return "", false
	}
	text, err := textOfMetadata(all)
	return text, (changed || shown) && err == nil
}

// textOfMetadata writes the column metadata, characters such as < as they are.
func textOfMetadata(m map[string]json.RawMessage) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(m)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// compacted is a JSON value without spaces between its parts.
func compacted(v json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}

// remove marks a row as deleted.
func (p *projection) remove(hash string, old *row, at time.Time) error {
	if old.deleted != nil {
		return nil
	}
	if err := p.Exec("UPDATE memories SET deleted_at = ? WHERE content_hash = ?", seconds(at), hash); err != nil {
		return err
	}
	if err := p.drop(old.id, hash); err != nil {
		return err
	}
	return p.seen(hash)
}

// purge removes a row for good.
func (p *projection) purge(hash string, old *row) error {
	if err := p.Exec("DELETE FROM memories WHERE content_hash = ?", hash); err != nil {
		return err
	}
	if err := p.drop(old.id, hash); err != nil {
		return err
	}
	return p.Exec("DELETE FROM shared_row WHERE hash = ?", hash)
}
