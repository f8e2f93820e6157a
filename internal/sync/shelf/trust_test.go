package shelf

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// council is several holders of one vault, whose clocks differ by years.
type council struct {
	t    testing.TB
	keys map[string]*Key
	run
}

func newCouncil(t testing.TB) *council {
	t.Helper()
	vault, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	root, err := randomKey(vault, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &council{t: t, keys: map[string]*Key{"root": root}}
	c.run = run{Shelf: Open(newMem(), root, &State{}, noon), trust: &trust{}}
	c.say(root, statement{Admit: root.admission(root, "root", Machine)})
	return c
}

func (c *council) admit(by, name string, kind Kind) {
	c.t.Helper()
	k, err := randomKey(c.key.vault, c.key.root)
	if err != nil {
		c.t.Fatal(err)
	}
	c.keys[name] = k
	c.states(by, statement{Admit: k.admission(c.keys[by], name, kind)})
}

// states adds a statement by the clock of a holder, which is off by as many years as its name is long.
func (c *council) states(by string, s statement) {
	c.now = func() time.Time { return noon().AddDate(-len(by), 0, 0) }
	c.say(c.keys[by], s)
}

func (c *council) claim(by string, replica byte) {
	c.states(by, statement{Claim: clock.Replica{replica}.String()})
}

func (c *council) retire(by, name string, limit entry.Vector) {
	c.states(by, statement{Retire: &retirement{c.keys[name].id(), limit}})
}

// says returns what the statements say, and fails if that depends on their order.
func (c *council) says() string {
	c.t.Helper()
	text := func() string {
		t := evaluate(c.key.root, c.state.Statements)
		var out []string
		for _, m := range t.members {
			line := m.Name
			if m.RetiredBy != nil {
				line += "-" + m.RetiredBy.Name
			}
			for _, r := range t.owned(m.ID) {
				line += fmt.Sprintf(" %d", r[0])
			}
			out = append(out, line)
		}
		slices.Sort(out)
		return strings.Join(out, ", ")
	}
	want := text()
	for range 5 {
		rand.Shuffle(len(c.state.Statements), func(i, j int) {
			l := c.state.Statements
			l[i], l[j] = l[j], l[i]
		})
		if got := text(); got != want {
			c.t.Errorf("in another order: %s, want %s", got, want)
		}
	}
	return want
}

func TestTrust(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		do   func(c *council)
		want string
	}{
		"a chain of machines": {func(c *council) {
			c.admit("root", "i", Invitation)
			c.admit("i", "desktop", Machine)
			c.admit("desktop", "recovery", Recovery)
			c.admit("recovery", "later", Machine)
			c.claim("later", 3)
			c.claim("root", 1)
		}, "desktop, i, later 3, recovery, root 1"},
		"an invitation admits machines alone, and writes nothing": {func(c *council) {
			c.admit("root", "i", Invitation)
			c.admit("i", "j", Invitation)
			c.admit("i", "k", Recovery)
			c.admit("root", "a", Machine)
			c.claim("i", 1)
			c.retire("i", "a", nil)
		}, "a, i, root"},
		"a stranger says nothing": {func(c *council) {
			c.admit("root", "a", Machine)
			c.admit("a", "b", Machine)
			c.state.Statements = slices.DeleteFunc(c.state.Statements, func(s signed) bool { return strings.Contains(s.Text, `"name":"a"`) })
			c.claim("b", 1)
			c.retire("b", "root", nil)
		}, "root"},
		"the first claim counts": {func(c *council) {
			c.admit("root", "a", Machine)
			c.admit("root", "bbbbbbb", Machine)
			c.claim("a", 1)
			c.claim("bbbbbbb", 1)
		}, "a 1, bbbbbbb, root"},
		"who retires takes over, and is retired": {func(c *council) {
			c.admit("root", "lost", Machine)
			c.admit("root", "second machine", Machine)
			c.claim("lost", 1)
			c.claim("second machine", 2)
			c.retire("second machine", "lost", entry.Vector{clock.Replica{1}: 7})
			c.retire("root", "second machine", entry.Vector{clock.Replica{1}: 7, clock.Replica{2}: 7})
		}, "lost-second machine, root 1 2, second machine-root"},
		"a relay gives way": {func(c *council) {
			c.admit("root", "a", Machine)
			c.admit("root", "b", Machine)
			c.states("a", statement{Claim: clock.Replica{1}.String(), Relay: true})
			c.states("b", statement{Claim: clock.Replica{1}.String(), Relay: true})
			c.states("b", statement{Claim: clock.Replica{2}.String(), Relay: true})
			c.claim("root", 2)
			c.states("a", statement{Claim: clock.Replica{2}.String(), Relay: true})
		}, "a 1, b, root 2"},
		"what a retired machine says later does not count": {func(c *council) {
			c.admit("root", "lost", Machine)
			c.claim("lost", 1)
			c.retire("root", "lost", entry.Vector{clock.Replica{1}: 7})
			c.claim("lost", 2)
			c.retire("lost", "root", nil)
		}, "lost-root, root 1"},
	} {
		c := newCouncil(t)
		x.do(c)
		if got := c.says(); got != x.want {
			t.Errorf("%s: got %q, want %q", name, got, x.want)
		}
	}
}

// A machine that retires another one has seen its claim, or does not know of it. With files in the folder it counts in both cases.
func TestTrust_claim_at_once_with_a_retirement(t *testing.T) {
	t.Parallel()
	c := newCouncil(t)
	c.admit("root", "a long name, so an early clock", Machine)
	before := slices.Clone(c.state.Statements)
	c.retire("root", "a long name, so an early clock", entry.Vector{clock.Replica{1}: 7})
	retired := c.state.Statements
	c.state.Statements = before
	c.trust.last += 1000
	c.claim("a long name, so an early clock", 1)
	c.state.Statements = union(c.key.root, c.state.Statements, retired)
	if got, want := c.says(), "a long name, so an early clock-root, root 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnion_refuses_what_is_not_signed(t *testing.T) {
	t.Parallel()
	c := newCouncil(t)
	c.admit("root", "a", Machine)
	other := newCouncil(t)
	good := c.key.signed(statement{At: 1, Claim: clock.Replica{9}.String()})
	for name, change := range map[string]func(s *signed){
		"another text":      func(s *signed) { s.Text = strings.Replace(s.Text, "09", "08", 1) },
		"another signer":    func(s *signed) { s.By = c.keys["a"].public() },
		"no signature":      func(s *signed) { s.Sig = nil },
		"no signer":         func(s *signed) { s.By = nil },
		"another vault":     func(s *signed) { s.Sig = other.key.signed(statement{At: 1, Claim: clock.Replica{9}.String()}).Sig },
		"of a second vault": func(s *signed) { k := *c.key; k.root = other.key.root; *s = k.signed(statement{At: 1}) },
	} {
		s := good
		change(&s)
		if list := union(c.key.root, nil, []signed{s}); len(list) > 0 {
			t.Errorf("%s: accepted", name)
		}
	}
	if list := union(c.key.root, []signed{good}, []signed{good, c.keys["a"].signed(statement{At: 2})}); len(list) != 2 {
		t.Errorf("%d statements", len(list))
	}
}

// Numbers that no clock has, and texts that are no statements, break nothing.
func TestTrust_nonsense(t *testing.T) {
	t.Parallel()
	c := newCouncil(t)
	for _, text := range []string{`{"at":9223372036854775807,"claim":"x"}`, `{"at":-1,"claim":"01000000000000000000000000000000"}`, `x`, `{"at":5,"later":{}}`, `{"at":5,"admit":{}}`, `{"at":5,"retire":{}}`} {
		c.state.Statements = append(c.state.Statements, signed{By: c.key.public(), Text: text})
	}
	c.claim("root", 2)
	if got := c.says(); got != "root 2" {
		t.Errorf("got %q", got)
	}
}
