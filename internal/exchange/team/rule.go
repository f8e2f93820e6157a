// Package team decides what a store sends to a team and takes over from it. A team has a store of its own on each machine, the copy, which
// is all that is synced with the others: what may leave is put into it, and what others have put into theirs is taken from it. The package
// compares the two stores and plans what to change in each; it writes nothing.
package team

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/code/project"
)

// Client is the client in the source of a memory that came from a team.
const Client = "team"

// uriScheme begins the URI of such a memory; the vault and the ID in the copy follow.
const uriScheme = "hippo-team:"

// Reason is why a memory is held back.
type Reason string

// The reasons, in the order in which they are asked for.
const (
	// OtherProject: nobody has named its project. It is only counted.
	OtherProject Reason = "project"
	Received     Reason = "received"     // it came from a team
	Forgotten    Reason = "forgotten"    //
	Private      Reason = "private"      // it has a tag of [PrivateTags]
	Unconfirmed  Reason = "unconfirmed"  // nobody has confirmed it
	Secret       Reason = "secret"       // it may hold a key, a token or a password
	Instructions Reason = "instructions" // it may give orders to its reader
	Purged       Reason = "purged"       // it was deleted for good from the team
	Invalid      Reason = "invalid"      // this program cannot store it
	Changed      Reason = "changed"      // its author has changed or deleted it, and it was changed here
)

// PrivateTags are the tags of a memory that stays at home. The case of letters does not count.
func PrivateTags() []string { return []string{"private", "local"} }

// sessionTag begins a tag that names a session of an agent. It is never sent.
const sessionTag = "session:"

// Rule is what may leave.
type Rule struct {
	// Projects are the names of the projects that were named; none: nothing leaves.
	Projects []string
	// Groups are names that are known to be one project.
	Groups [][]string
	// Screen returns why a memory may hold a secret; nil: it seems to hold none.
	Screen func(*hippo.Memory) error
}

// project returns the named project that a project is; false: it is none of them.
func (r *Rule) project(name string) (string, bool) {
	if name == "" || name == hippo.Unassigned || strings.HasPrefix(name, "*") {
		return "", false
	}
	names := project.Resolve(project.Identity{Name: name}, r.Projects, r.Groups)
	for _, p := range r.Projects {
		if slices.Contains(names, p) {
			return p, true
		}
	}
	return "", false
}

// Why returns why a memory of this store must not leave, and what was found; empty: it may.
func (r *Rule) Why(m *hippo.Memory) (why Reason, detail string) {
	_, named := r.project(m.Project)
	switch {
	case !named || m.Namespace != "":
		return OtherProject, ""
	case IsReceived(m):
		return Received, ""
	case m.Forgotten():
		return Forgotten, ""
	case isPrivate(m):
		return Private, ""
	case !isConfirmed(m):
		return Unconfirmed, ""
	}
	return r.screened(m)
}

// screened returns why nobody should get or store a memory.
func (r *Rule) screened(m *hippo.Memory) (why Reason, detail string) {
	if err := r.Screen(m); err != nil {
		return Secret, err.Error()
	}
	for _, text := range texts(m) {
		if flags := screen.Instructions(text); len(flags) > 0 {
			return Instructions, string(flags[0].Kind)
		}
	}
	return "", ""
}

// texts returns what a model may read of a memory.
func texts(m *hippo.Memory) []string {
	return append(slices.Concat(m.Situation, m.Tags), m.Content, m.Type, m.Project, m.Source.Author)
}

func isPrivate(m *hippo.Memory) bool {
	return slices.ContainsFunc(m.Tags, func(tag string) bool {
		return slices.ContainsFunc(PrivateTags(), func(p string) bool { return strings.EqualFold(p, tag) })
	})
}

// isConfirmed reports whether a memory is trusted, or somebody has confirmed it. That it was used is not enough to send it to others.
func isConfirmed(m *hippo.Memory) bool {
	switch {
	case m.Trust >= hippo.TrustNormal:
		return true
	case m.Trust <= hippo.TrustNone:
		return false
	}
	return m.Pinned || m.Importance.Value > m.Importance.Base
}

// IsReceived reports whether a memory came from a team.
func IsReceived(m *hippo.Memory) bool {
	return m.Source.Kind == hippo.SourceSync && m.Source.Client == Client && strings.HasPrefix(m.Source.URI, uriScheme)
}

// shared returns what a team gets of a memory: its text and labels, its project and when it holds. Votes, importance, uses, pins,
// metadata, trust and source stay at home.
func shared(m *hippo.Memory, id hippo.ID, successor hippo.ID) *hippo.Memory {
	return &hippo.Memory{
		ID: id, Content: m.Content, Situation: m.Situation, Type: m.Type, Project: m.Project, SupersededBy: successor,
		Tags:      slices.DeleteFunc(slices.Clone(m.Tags), func(tag string) bool { return strings.HasPrefix(tag, sessionTag) }),
		CreatedAt: m.CreatedAt, EventTime: m.EventTime, ValidFrom: m.ValidFrom, ValidUntil: m.ValidUntil, ForgottenAt: m.ForgottenAt,
	}
}

// fields returns the fields of [shared] as JSON, which are equal for equal memories.
func fields(m *hippo.Memory) []byte {
	b, err := json.Marshal([]any{
		m.Content, append([]string{}, m.Situation...), append([]string{}, m.Tags...), m.Type, m.Project, m.SupersededBy,
		m.CreatedAt.UnixMicro(), m.EventTime.UnixMicro(), m.ValidFrom.UnixMicro(), m.ValidUntil.UnixMicro(), m.Forgotten(),
	})
	if err != nil {
		panic(err) // texts and numbers can be encoded
	}
	return b
}
