package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/exchange/team"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// The copy of a team lies beside the keys: a store, and a file with what was compared last.
const (
	storeSuffix = ".team.db"
	knownSuffix = ".team.json"
)

// TeamStatus is what this machine gives to a team and gets from it.
type TeamStatus struct {
	// Projects are those that were named.
	Projects []string
	// May is how many memories may leave, Others how many are of other projects, Shown how many of other members this store has.
	May, Others, Shown int
	// HeldBack and Refused count, by reason, the memories of this store that must not leave, and those of others that were not taken over.
	HeldBack, Refused map[team.Reason]int
}

// known is what this machine remembers of the copy of a team. Without it memories are compared again.
type known struct {
	Sent  map[hippo.ID]team.Sent  `json:"sent,omitempty"`
	Taken map[hippo.ID]team.Taken `json:"taken,omitempty"`
	// Compared identifies what was compared last, when nothing was left to do.
	Compared string `json:"compared,omitempty"`
	// Last is what was found then, and Withdrawn identifies the memories that had been withdrawn.
	Last      TeamStatus `json:"last"`
	Withdrawn string     `json:"withdrawn,omitempty"`
}

// sameKind returns an error unless a vault is of the kind that this machine expects.
func sameKind(is, want *shelf.Team) error {
	switch {
	case is != nil && want == nil:
		return fmt.Errorf("%w: this is the vault of a team, which was begun for %q: name the projects to exchange with it, such as --team %s", hippo.ErrInvalid, is.Projects, append(slices.Clone(is.Projects), "PROJECT")[0])
	case is == nil && want != nil:
		return fmt.Errorf("%w: this is not the vault of a team: its machines exchange all memories; nothing was sent", hippo.ErrInvalid)
	}
	return nil
}

// removeCopy deletes the copy of a team.
func (x files) removeCopy(vault string) error {
	paths, err := filepath.Glob(filepath.Join(string(x), vault+".team.*"))
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// member is a team as this machine takes part in it.
type member struct {
	*Remotes
	remote *remote
	copy   *store.Store
	known  known
	keep   bool // known was changed
}

// openTeam opens the copy of a team. The caller closes it.
func openTeam(ctx context.Context, x *Remotes, r *remote) (*member, error) {
	path := filepath.Join(x.Dir, r.vault())
	s, err := x.OpenCopy(ctx, path+storeSuffix)
	if err != nil {
		return nil, err
	}
	m := &member{Remotes: x, remote: r, copy: s}
	if b, err := os.ReadFile(path + knownSuffix); err == nil {
		if json.Unmarshal(b, &m.known) != nil {
			m.known = known{}
		}
	}
	if err := enable(ctx, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return m, nil
}

// close keeps what is known and closes the copy.
func (m *member) close() error {
	var err error
	if m.keep {
		var b []byte
		if b, err = json.Marshal(m.known); err == nil {
			err = atomicfile.Write(filepath.Join(m.Dir, m.remote.vault())+knownSuffix, b)
		}
	}
	return errors.Join(err, m.copy.Close())
}

// useTeam does something with the shelf of a team. What must not leave is taken out of the copy before anything is sent.
func useTeam(ctx context.Context, x *Remotes, r *remote, s *shelf.Shelf, do work) (out Outcome) {
	m, err := openTeam(ctx, x, r)
	if err != nil {
		out.Err = err
		return out
	}
	out, err = m.exchange(ctx, s, do)
	out.Err = errors.Join(err, out.Err, m.close())
	return out
}

func (m *member) exchange(ctx context.Context, s *shelf.Shelf, do work) (out Outcome, err error) {
	changed, _, err := m.compare(ctx)
	if err != nil {
		return out, err
	}
	to := &replica{store: m.copy, allowed: m.allowed}
	out = exchange(ctx, to, s, do)
	out.Changed, out.Conflicts = changed, nil
	if out.Err != nil || !out.asked {
		return out, nil
	}
	more, sends, err := m.compare(ctx)
	out.Changed, out.Team = ids(append(out.Changed, more...)), &m.known.Last
	if err != nil {
		return out, err
	}
	again := (*shelf.Shelf).Sync
	if m.remote.withdrawn != m.known.Withdrawn {
		again = (*shelf.Shelf).Rebuild // the text leaves the files
	} else if !sends {
		return out, nil
	}
	second := exchange(ctx, to, s, again)
	if out.Err = second.Err; out.Err == nil {
		m.remote.withdrawn = m.known.Withdrawn
	}
	out.add(&second.Result)
	return out, nil
}

// add adds what another call has done with the same remote.
func (o *Outcome) add(r *shelf.Result) {
	o.Read, o.Written, o.Removed, o.Entries = o.Read+r.Read, o.Written+r.Written, o.Removed+r.Removed, o.Entries+r.Entries
	o.BytesRead, o.BytesSent, o.Idle = o.BytesRead+r.BytesRead, o.BytesSent+r.BytesSent, false
}

// allowed returns a segment without the entries that a member has written to memories of others.
func (m *member) allowed(s *entry.Segment) (*entry.Segment, error) {
	authors, err := shelf.AuthorsOf(m.remote.key, m.remote.state)
	if err != nil {
		return nil, err
	}
	key := ""
	if by := authors.Of(s.Replica); by != nil {
		key = by.Person().ID
	}
	out, _ := team.Allowed(s, key)
	return out, nil
}

// compare brings what may leave into the copy, and takes over what others have sent. It returns the memories that look different in the store,
// and whether the copy was changed.
func (m *member) compare(ctx context.Context) (changed []hippo.ID, sends bool, err error) {
	mark, err := m.mark(ctx)
	if err != nil || mark == m.known.Compared {
		return nil, false, err
	}
	x, err := m.sides(ctx)
	if err != nil {
		return nil, false, err
	}
	out := team.Send(x, m.known.Sent)
	if err := store.Reflect(ctx, m.copy, &store.Reflection{Put: out.Put, Purge: out.Purge}); err != nil {
		return nil, false, err
	}
	m.known.Sent, m.keep = out.Sent, true
	in := team.Receive(x, out.Mine, m.known.Taken)
	if changed, err = m.receive(ctx, in); err != nil {
		return changed, true, err
	}
	m.known.Taken, m.known.Last, m.known.Withdrawn = in.Taken, m.status(out, in), out.Withdrawn
	sends = len(out.Put)+len(out.Purge) > 0
	if m.known.Compared = ""; !sends && len(changed) == 0 {
		m.known.Compared = mark
	}
	return changed, sends, nil
}

func (m *member) receive(ctx context.Context, in *team.Receiving) ([]hippo.ID, error) {
	r := &store.Received{
		By: hippo.Source{Kind: hippo.SourceSync, Client: team.Client}, Reason: "the team of " + m.remote.carrier.String(), Record: in.Record, Purge: in.Purge,
	}
	r.Reason = r.Reason[:min(len(r.Reason), hippo.MaxName)]
	for _, c := range in.Change {
		r.Change = append(r.Change, store.Changed{ID: c.ID, Do: func(x *hippo.Memory, _ hippo.Day) error {
			c.Do(x)
			return nil
		}})
	}
	return store.Receive(ctx, m.store, r)
}

func (m *member) status(out *team.Sending, in *team.Receiving) TeamStatus {
	s := TeamStatus{
		Projects: m.remote.team.Projects, May: out.May, Others: out.Others, Shown: in.Shown,
		HeldBack: make(map[team.Reason]int), Refused: make(map[team.Reason]int),
	}
	for i := range out.Held {
		s.HeldBack[out.Held[i].Reason]++
	}
	for i := range in.Held {
		s.Refused[in.Held[i].Reason]++
	}
	return s
}

// mark identifies what [member.compare] compares, without reading it.
func (m *member) mark(ctx context.Context) (string, error) {
	var heads []hippo.Revision
	for _, s := range []*store.Store{m.store, m.copy} {
		h, err := s.Head(ctx)
		if err != nil {
			return "", err
		}
		heads = append(heads, h.Revision)
	}
	b, err := json.Marshal([]any{heads, m.remote.team, len(m.remote.state.Statements)})
	return string(b), err
}

// sides reads both stores.
func (m *member) sides(ctx context.Context) (*team.Sides, error) {
	authors, err := shelf.AuthorsOf(m.remote.key, m.remote.state)
	if err != nil {
		return nil, err
	}
	x := &team.Sides{Vault: m.remote.vault(), Self: authors.Self().Person().ID, Now: m.Now().UTC()}
	for _, p := range authors.People() {
		x.People = append(x.People, team.Person{Key: p.ID, Name: p.Name})
	}
	if x.Store, err = memoriesOf(ctx, m.store); err != nil {
		return nil, err
	}
	if x.Copy, err = memoriesOf(ctx, m.copy); err != nil {
		return nil, err
	}
	x.Rule = &team.Rule{Projects: m.remote.team.Projects, Groups: groupsOf(x.Store), Screen: m.Screen}
	here, there := x.Asked(m.known.Sent)
	if x.Purged, err = store.PurgedOf(ctx, m.store, here); err != nil {
		return nil, err
	}
	gone, err := store.PurgedOf(ctx, m.copy, there)
	maps.Copy(x.Purged, gone)
	return x, err
}
