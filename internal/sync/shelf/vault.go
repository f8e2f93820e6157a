package shelf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"filippo.io/age"

	"github.com/hippo-memory/hippo"
)

// record is the file of a holder. The file format has no more than its first field.
type record struct {
	Format     int      `json:"format"`
	Vault      string   `json:"vault,omitempty"`
	Root       []byte   `json:"root,omitempty"`
	Statements []signed `json:"statements,omitempty"`
}

func parseRecord(b []byte) (rec record, err error) {
	err = json.Unmarshal(b, &rec)
	switch {
	case rec.Format > Format:
		return rec, newer(rec.Format)
	case err != nil || rec.Format < 1:
		return rec, errHalf()
	}
	return rec, nil
}

// openRecord reads the file of a holder.
func openRecord(ctx context.Context, f Folder, name string, id age.Identity) (rec record, err error) {
	b, err := get(ctx, f, name)
	if err == nil {
		b, err = decrypt(b, id)
	}
	if err != nil {
		return rec, err
	}
	return parseRecord(b)
}

// loadTrust reads who belongs to the vault, and whether this machine does, before anything is written.
func (r *run) loadTrust(ctx context.Context) error {
	if _, ok := r.view.sizes[formatName]; ok {
		b, err := r.folder.Get(ctx, formatName)
		if err == nil {
			_, err = parseRecord(b)
		}
		if errors.Is(err, hippo.ErrUnsupported) {
			return err
		}
		r.skip(formatName, err)
	}
	repeated := make(map[string]bool) // what the own file says
	r.state.Holders = nil
	for _, name := range r.view.holders() {
		rec, err := openRecord(ctx, r.folder, name, r.key.vault)
		if errors.Is(err, hippo.ErrUnsupported) {
			return fmt.Errorf("%s: %w", name, err)
		}
		if r.skip(name, err) {
			continue
		}
		r.state.Holders = append(r.state.Holders, name)
		r.state.Statements = union(r.key.root, r.state.Statements, rec.Statements)
		for _, s := range rec.Statements {
			repeated[s.Text] = repeated[s.Text] || slices.Contains(r.view.keys[r.key.id()], name)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.trust = evaluate(r.key.root, r.state.Statements)
	r.record = len(r.view.keys[r.key.id()]) == 0 || slices.ContainsFunc(r.state.Statements, func(s signed) bool {
		return digest(s.By) == r.key.id() && !repeated[s.Text]
	})
	foreign := slices.ContainsFunc(r.Skipped, func(s Skipped) bool { return errors.Is(s.Err, hippo.ErrForbidden) })
	switch m := r.trust.members[r.key.id()]; {
	case m == nil || len(r.state.Holders) == 0 && foreign:
		return fmt.Errorf("%w: the folder holds a vault that does not know the key of this machine: run hippo sync join with an invitation from another machine, or with the recovery key", hippo.ErrForbidden)
	case m.RetiredBy != nil:
		return fmt.Errorf("%w: this machine was retired by %s: run hippo sync join with an invitation to use the vault again", hippo.ErrForbidden, m.RetiredBy.Name)
	case r.state.Team != (r.trust.team != nil):
		return errTeam(r.trust.team)
	}
	return nil
}

// say states something with a key. The file with it is written before files that need it.
func (r *run) say(k *Key, s statement) {
	s.At = min(max(r.now().UnixMilli(), r.trust.last+1), maxAt)
	r.state.Statements = append(r.state.Statements, k.signed(s))
	r.trust = evaluate(k.root, r.state.Statements)
	r.record = true
}

// writeTrust writes the files of the vault that are missing or were changed, and removes those of holders that are no more.
func (r *run) writeTrust(ctx context.Context) error {
	self := r.trust.members[r.key.id()]
	for id, m := range r.trust.members {
		files, mine := r.view.keys[id], m.By.acting() == self
		var err error
		switch {
		case m.acting() == self && m != self, m.Kind == Invitation && mine && r.now().After(m.Until):
			err = r.removeRecords(ctx, files)
		case m == self && r.record, m.Kind == Recovery && mine && len(files) == 0:
			err = r.writeRecord(ctx, m)
		}
		if err != nil {
			return err
		}
	}
	r.record = false
	if slices.ContainsFunc(r.Skipped, func(s Skipped) bool { return s.Name == formatName }) {
		if err := r.folder.Remove(ctx, formatName); err != nil {
			return err
		}
	} else if _, ok := r.view.sizes[formatName]; ok {
		return nil
	}
	return r.folder.Put(ctx, formatName, fmt.Appendf(nil, "{\"format\":%d}\n", Format))
}

// writeRecord wraps the identity of the vault for a holder, with all statements, and removes older files of it.
func (r *run) writeRecord(ctx context.Context, m *Member) error {
	to, err := age.ParseX25519Recipient(m.recipient)
	if err != nil {
		return fmt.Errorf("%w: the key of %s: %w", hippo.ErrCorrupt, m.Name, err)
	}
	b, err := json.Marshal(record{Format, r.key.vault.String(), r.key.root, r.state.Statements})
	if err == nil {
		b, err = encrypt(b, to, r.key.vault.Recipient())
	}
	if err != nil {
		return err
	}
	name := named("keys/"+m.ID, b)
	if err := r.folder.Put(ctx, name, b); err != nil {
		return err
	}
	r.Written, r.BytesSent = r.Written+1, r.BytesSent+int64(len(b))
	r.state.Holders = append(r.state.Holders, name)
	return r.removeRecords(ctx, r.view.keys[m.ID])
}

func (r *run) removeRecords(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := r.folder.Remove(ctx, name); err != nil {
			return err
		}
	}
	r.state.Holders = slices.DeleteFunc(r.state.Holders, func(s string) bool { return slices.Contains(names, s) })
	slices.Sort(r.state.Holders)
	return nil
}
