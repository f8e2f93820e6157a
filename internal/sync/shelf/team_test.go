package shelf

import (
	"errors"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// A member cannot admit the key of somebody else before it was admitted, under another name or as his own.
func TestTeam_stolen_admission(t *testing.T) {
	t.Parallel()
	c := newCouncil(t)
	c.admit("root", "mallory", Machine)
	c.admit("root", "ann", Machine)
	ann, mallory := c.keys["ann"], c.keys["mallory"]
	a := ann.admission(mallory, "ann", Machine) // as if ann had helped
	a.Name = "mallory the second"
	forged := mallory.signed(statement{At: 1, Admit: a})
	a = ann.admission(c.keys["root"], "ann", Machine)
	c.state.Statements = append(c.state.Statements, forged, mallory.signed(statement{At: 1, Admit: a}))
	got := evaluate(c.key.root, c.state.Statements).members[ann.id()]
	if got == nil || got.Name != "ann" || got.By.Name != "root" {
		t.Errorf("%+v", got)
	}
}

func initTeam(t *testing.T, f Folder, team *Team) (key *Key, state *State) {
	t.Helper()
	_, err := Init(t.Context(), f, "desk", team, nil, noon, func(k *Key, s *State) error { key, state = k, s; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return key, state
}

// An invitation for another machine of the same person makes it one; any other one does not.
func TestTeam_person(t *testing.T) {
	t.Parallel()
	f := newMem()
	key, state := initTeam(t, f, &Team{Projects: []string{"shop"}})
	person := make(map[string]string)
	desk := Open(f, key, state, noon)
	for name, invite := range map[string]func() (string, error){
		"lap": func() (string, error) { return desk.InviteSame(t.Context(), noon().AddDate(0, 0, 1)) },
		"bob": func() (string, error) { return desk.Invite(t.Context(), noon().AddDate(0, 0, 1)) },
	} {
		code, err := invite()
		if err != nil {
			t.Fatal(err)
		}
		team, err := Peek(t.Context(), f, code, noon)
		if err != nil || team == nil || len(team.Projects) != 1 {
			t.Fatal(team, err)
		}
		var key *Key
		var state *State
		err = Join(t.Context(), f, code, name, noon, func(k *Key, s *State) error { key, state = k, s; return nil })
		if err != nil || !state.Team {
			t.Fatal(err)
		}
		a, err := AuthorsOf(key, state)
		if err != nil {
			t.Fatal(err)
		}
		person[name] = a.Self().Person().Name
		if again, err := AuthorsOf(key, state); err != nil || len(again.People()) == 0 {
			t.Fatal(err)
		}
	}
	if person["lap"] != "desk" || person["bob"] != "bob" {
		t.Errorf("%v", person)
	}
}

// A machine that takes the vault for one of its own sends nothing, whatever it was shown when it joined.
func TestTeam_kind(t *testing.T) {
	t.Parallel()
	for _, team := range []*Team{nil, {}} {
		f := newMem()
		key, state := initTeam(t, f, team)
		before := len(f.names("r/"))
		state.Team = !state.Team
		s := newStore(t)
		s.text(1, "private")
		_, err := Open(f, key, state, noon).Sync(t.Context(), face{s})
		if !errors.Is(err, hippo.ErrForbidden) || !strings.Contains(err.Error(), "team") || len(f.names("r/")) != before {
			t.Errorf("%v", err)
		}
	}
}
