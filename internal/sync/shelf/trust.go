package shelf

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// Kind is what holds the identity of a vault.
type Kind string

// The kinds of holders. An invitation and the recovery key do nothing but admit machines.
const (
	Machine    Kind = "machine"
	Invitation Kind = "invitation"
	Recovery   Kind = "recovery"
)

// statement is what a holder states of the vault; one of its fields but At is set. What a later program states otherwise is kept and repeated.
type statement struct {
	At     int64       `json:"at"` // in milliseconds since 1970, and above all that its writer knew
	Admit  *admission  `json:"admit,omitempty"`
	Claim  string      `json:"claim,omitempty"` // a replica, which the machine writes from now on
	Relay  bool        `json:"relay,omitempty"` // it claims what it has of a store that does not use the folder
	Retire *retirement `json:"retire,omitempty"`
	Team   *Team       `json:"team,omitempty"`
}

// admission makes a key one of the vault.
type admission struct {
	Key       []byte `json:"key"`
	Proof     []byte `json:"proof"`     // the signature of the key, see [admission.proven]
	Recipient string `json:"recipient"` // to wrap the identity of the vault to
	Name      string `json:"name"`
	Kind      Kind   `json:"kind"`
	Until     int64  `json:"until,omitempty"`
	Same      bool   `json:"same,omitempty"` // an invitation: who accepts it is the one who invites
}

// retirement ends the right of a machine to write more than it has written, and makes the one that states it the owner of its replicas.
type retirement struct {
	Holder string       `json:"holder"`
	Limit  entry.Vector `json:"limit"`
}

// signed is a statement with its signature.
type signed struct {
	By   []byte `json:"by"`
	Text string `json:"text"`
	Sig  []byte `json:"sig"`

	statement `json:"-"` // what Text says
}

// covered is what the signature of a statement covers: it holds for one vault alone.
func covered(root ed25519.PublicKey, text string) []byte {
	return []byte("hippo sync statement\n" + base64.StdEncoding.EncodeToString(root) + "\n" + text)
}

// union adds the statements of a list that are signed and not there yet.
func union(root ed25519.PublicKey, to, list []signed) []signed {
	for _, s := range list {
		same := func(o signed) bool { return o.Text == s.Text && bytes.Equal(o.By, s.By) }
		if len(s.By) == ed25519.PublicKeySize && !slices.ContainsFunc(to, same) && ed25519.Verify(s.By, covered(root, s.Text), s.Sig) {
			to = append(to, s)
		}
	}
	return to
}

// Member is a holder of the identity of the vault.
type Member struct {
	ID, Name string
	Kind     Kind
	Since    time.Time
	Until    time.Time // of an invitation
	// By has admitted it, RetiredBy has retired it; nil for none.
	By, RetiredBy *Member
	// Replicas are those that the machine writes.
	Replicas []ReplicaStatus

	key       ed25519.PublicKey
	recipient string
	limit     entry.Vector
	same      bool
}

// acting returns the machine that acts for a member: itself, or who has retired it.
func (m *Member) acting() *Member {
	for m != nil && m.RetiredBy != nil {
		m = m.RetiredBy
	}
	return m
}

// trust is what the statements say.
type trust struct {
	root    ed25519.PublicKey
	members map[string]*Member
	// claims are the machines that may write a replica: the first one whose own it is, then those that relay it.
	claims map[clock.Replica][]*Member
	owns   map[clock.Replica]bool // the first one is no relay
	last   int64                  // the highest At
	team   *Team                  // nil: all machines belong to one person
}

// maxAt bounds At.
const maxAt = int64(clock.MaxTime >> 16)

// evaluate returns what signed statements say, the same on every machine that has the same ones.
func evaluate(root ed25519.PublicKey, list []signed) *trust {
	t := &trust{root: root, members: make(map[string]*Member), claims: make(map[clock.Replica][]*Member), owns: make(map[clock.Replica]bool)}
	list = slices.Clone(list)
	for i := range list {
		if json.Unmarshal([]byte(list[i].Text), &list[i].statement) != nil || list[i].At < 0 || list[i].At > maxAt {
			list[i].statement = statement{}
		}
		t.last = max(t.last, list[i].At)
	}
	slices.SortFunc(list, func(a, b signed) int {
		return cmp.Or(cmp.Compare(a.At, b.At), bytes.Compare(a.By, b.By), cmp.Compare(a.Text, b.Text))
	})
	for more := true; more; {
		more = false
		for i := range list {
			more = t.admit(&list[i]) || more
		}
	}
	for _, s := range list {
		by := t.members[digest(s.By)]
		if by == nil || by.Kind != Machine {
			continue
		}
		if s.Team != nil && t.team == nil && bytes.Equal(s.By, root) {
			t.team = s.Team
		}
		if s.Retire != nil {
			t.retire(by, s.Retire)
		}
		r, err := clock.ParseReplica(s.Claim)
		switch {
		case err != nil, by.RetiredBy != nil && by.limit[r] == 0:
		case s.Relay:
			t.claims[r] = append(t.claims[r], by)
		case !t.owns[r]:
			t.claims[r], t.owns[r] = slices.Insert(t.claims[r], 0, by), true
		}
	}
	return t
}

// admit reports whether there is a new member.
func (t *trust) admit(s *signed) bool {
	a, by := s.Admit, t.members[digest(s.By)]
	if a == nil || len(a.Key) != ed25519.PublicKeySize || t.members[digest(a.Key)] != nil || !ed25519.Verify(a.Key, a.proven(t.root, s.By), a.Proof) {
		return false
	}
	began := by == nil && bytes.Equal(s.By, t.root) && bytes.Equal(a.Key, t.root)
	if !began && (by == nil || by.Kind != Machine && a.Kind != Machine) {
		return false
	}
	t.members[digest(a.Key)] = &Member{
		ID: digest(a.Key), Name: a.Name, Kind: a.Kind, Since: time.UnixMilli(s.At).UTC(), Until: time.UnixMilli(a.Until).UTC(), By: by,
		key: a.Key, recipient: a.Recipient, same: a.Same,
	}
	return true
}

// retire notes a retirement. The first one counts; a later one may only raise the limit.
func (t *trust) retire(by *Member, r *retirement) {
	m := t.members[r.Holder]
	if m == nil || m == by || by.RetiredBy != nil {
		return
	}
	m.limit = m.limit.Union(r.Limit)
	if m.RetiredBy == nil {
		m.RetiredBy = by
	}
}

// owner returns the machine that writes a replica; nil if none is known.
func (t *trust) owner(r clock.Replica) *Member {
	if len(t.claims[r]) == 0 {
		return nil
	}
	return t.claims[r][0].acting()
}

// owned returns the replicas that a machine writes, in order.
func (t *trust) owned(id string) []clock.Replica {
	var out []clock.Replica
	for r := range t.claims {
		if t.owner(r).ID == id {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, clock.Replica.Compare)
	return out
}

// mayWrite returns the machine with an id if it may have written a file.
func (t *trust) mayWrite(f *file, id string) (*Member, error) {
	m, claims := t.members[id], t.claims[f.replica]
	if m == nil || len(claims) == 0 {
		return nil, fmt.Errorf("%w: the vault does not know the machine that wrote it, or not yet", hippo.ErrUnavailable)
	}
	may := slices.ContainsFunc(claims, func(x *Member) bool {
		for x != m && x != nil {
			x = x.RetiredBy
		}
		return x == m
	})
	switch {
	case !may:
		return nil, fmt.Errorf("%w: it was signed by %s, which does not write replica %v", hippo.ErrForbidden, m.Name, f.replica)
	case m.RetiredBy != nil && f.to > m.limit[f.replica]:
		return nil, fmt.Errorf("%w: %s wrote it after it was retired: to take it over, run hippo sync retire %[2]s again", hippo.ErrForbidden, m.Name)
	}
	return m, nil
}
