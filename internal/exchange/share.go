package exchange

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange/team"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// plan is [member.compare] that changes nothing.
func (m *member) plan(ctx context.Context) (*team.Sending, *team.Receiving, error) {
	x, err := m.sides(ctx)
	if err != nil {
		return nil, nil, err
	}
	out := team.Send(x, m.known.Sent)
	return out, team.Receive(x, out.Mine, m.known.Taken), nil
}

// teamOf returns the remote of a team; without a carrier the only one.
func teamOf(x *Remotes, c Carrier) (*remote, error) {
	list, err := x.files.list()
	if err != nil {
		return nil, err
	}
	teams := slices.DeleteFunc(list, func(r *remote) bool { return r.team == nil || c != "" && r.carrier != c })
	vaults := make(map[string]bool)
	for _, r := range teams {
		vaults[r.vault()] = true
	}
	switch {
	case len(vaults) > 1:
		return nil, hippo.Fieldf("carrier", "must be given, as the store has remotes of several teams; hippo sync status lists them")
	case len(teams) == 0:
		return nil, fmt.Errorf("%w: the store has no such remote of a team: begin one with hippo sync init CARRIER --team PROJECT", hippo.ErrNotFound)
	}
	return teams[0], teams[0].broken
}

// Team returns what is exchanged with the team of a remote; nil: it is not one of a team.
func Team(x *Remotes, c Carrier) (*shelf.Team, error) {
	r, err := x.files.one(c)
	if err != nil {
		return nil, err
	}
	return r.team, nil
}

// onTeam opens a team, and runs fn with it.
func onTeam(ctx context.Context, x *Remotes, c Carrier, fn func(*member) error) error {
	r, err := teamOf(x, c)
	if err != nil {
		return err
	}
	m, err := openTeam(ctx, x, r)
	if err != nil {
		return err
	}
	return errors.Join(fn(m), m.close())
}

// Held returns the memories of this store that must not leave for a team, and those of others that were not taken over.
func Held(ctx context.Context, x *Remotes, c Carrier) (back, refused []team.Held, err error) {
	err = onTeam(ctx, x, c, func(m *member) error {
		out, in, err := m.plan(ctx)
		if err == nil {
			back, refused = out.Held, in.Held
		}
		return err
	})
	return back, refused, err
}

// Share adds projects to those that are exchanged with a team, or takes them out, and returns all. The next sync sends or withdraws what
// follows from it.
func Share(ctx context.Context, x *Remotes, c Carrier, projects []string, stop bool) ([]string, error) {
	r, err := teamOf(x, c)
	if err != nil {
		return nil, err
	}
	list, err := x.files.list()
	if err != nil {
		return nil, err
	}
	now := slices.DeleteFunc(slices.Clone(r.team.Projects), func(p string) bool { return slices.Contains(projects, p) })
	if !stop {
		now = append(now, projects...)
	}
	for _, one := range list {
		if one.key == nil || one.team == nil || one.vault() != r.vault() {
			continue
		}
		one.team = &shelf.Team{Projects: now}
		if err := one.save(); err != nil {
			return nil, err
		}
	}
	return now, ctx.Err()
}

// Review returns a team's memory as files for people to read: what its members have sent, and what this machine would send. Memories that
// may hold secrets or orders to the reader are left out and returned.
func Review(ctx context.Context, x *Remotes, c Carrier) (list []team.File, left []team.Held, err error) {
	err = onTeam(ctx, x, c, func(m *member) error {
		s, err := m.sides(ctx)
		if err != nil {
			return err
		}
		out := team.Send(s, m.known.Sent)
		s.Copy = maps.Clone(s.Copy)
		for _, p := range out.Put {
			s.Copy[p.ID] = p
		}
		for _, id := range out.Purge {
			delete(s.Copy, id)
		}
		list, left = team.Review(s)
		return nil
	})
	return list, left, err
}
