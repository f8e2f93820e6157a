package shelf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"filippo.io/age"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// Team makes a vault one of several people. The machine that begins the vault states it, once.
type Team struct {
	// Projects are those that the team was begun for. Each machine decides by itself what it sends.
	Projects []string `json:"projects,omitempty"`
}

// errTeam says that the vault is of another kind than this machine has joined.
func errTeam(team *Team) error {
	if team == nil {
		return fmt.Errorf("%w: the vault is not one of a team: its machines exchange all memories", hippo.ErrForbidden)
	}
	return fmt.Errorf("%w: the vault is one of a team, and this machine would send it all memories: remove it with hippo sync remove, and join again with --team PROJECT", hippo.ErrForbidden)
}

// Vault identifies the vault of a key.
func (k *Key) Vault() string { return digest(k.root) }

// Peek returns what the code of an invitation, or the recovery key, opens, without using it up: nil for a vault that is not one of a team.
// The errors are those of [Join].
func Peek(ctx context.Context, f Folder, code string, now func() time.Time) (*Team, error) {
	_, r, err := guestRun(ctx, f, code, now)
	if err != nil {
		return nil, err
	}
	return r.trust.team, nil
}

// guestRun reads the vault by a code, and returns the key of the code.
func guestRun(ctx context.Context, f Folder, code string, now func() time.Time) (*Key, *run, error) {
	guest, err := parseCode(code)
	if err != nil {
		return nil, nil, err
	}
	v, err := viewOf(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	if len(v.keys[guest.id()]) == 0 {
		return nil, nil, fmt.Errorf("%w: this folder does not know the code: it was used or has expired, it is for another folder, or the folder has not arrived yet", hippo.ErrNotFound)
	}
	rec, err := openRecord(ctx, f, v.keys[guest.id()][0], guest.self)
	if err != nil {
		return nil, nil, err
	}
	r := &run{Shelf: Open(f, nil, &State{Statements: union(rec.Root, nil, rec.Statements)}, now), view: v}
	r.trust = evaluate(rec.Root, r.state.Statements)
	r.state.Team = r.trust.team != nil
	guest.root = rec.Root
	if guest.vault, err = age.ParseX25519Identity(rec.Vault); err != nil {
		return nil, nil, errHalf()
	}
	m := r.trust.members[guest.id()]
	if m == nil || m.Kind == Invitation && now().After(m.Until) {
		return nil, nil, fmt.Errorf("%w: the invitation has expired: run hippo sync invite again", hippo.ErrForbidden)
	}
	return guest, r, nil
}

// Person returns the machine that stands for the person whose machine this is: the one that has invited it as another one of the same
// person, and so on, else itself. Nobody else can state that, so that the person is known by a key.
func (m *Member) Person() *Member {
	for m.By != nil && m.By.Kind == Invitation && m.By.same && m.By.By != nil {
		m = m.By.By
	}
	return m
}

// Authors says who has written what a store has.
type Authors struct {
	trust *trust
	self  *Member
}

// AuthorsOf returns what the statements in a state say. The error is [hippo.ErrForbidden] if the vault does not know the key.
func AuthorsOf(k *Key, s *State) (*Authors, error) {
	t := evaluate(k.root, s.Statements)
	a := &Authors{t, t.members[k.id()]}
	if a.self == nil {
		return nil, fmt.Errorf("%w: the vault does not know the key of this machine", hippo.ErrForbidden)
	}
	return a, nil
}

// Self returns this machine.
func (a *Authors) Self() *Member { return a.self }

// Of returns the machine that answers for what a replica has written; nil: it is not known.
func (a *Authors) Of(r clock.Replica) *Member { return a.trust.owner(r) }

// People returns the machines that stand for a person, see [Member.Person], by name.
func (a *Authors) People() []*Member {
	var out []*Member
	for _, m := range a.trust.members {
		if m.Kind == Machine && m.Person() == m {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *Member) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return out
}
