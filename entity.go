package hippo

import (
	"slices"
	"strings"
)

// EntityType is the type of a memory that is an entity: a person, a project, a file. Searches leave it out unless they ask for
// the type.
const EntityType = "entity"

// FileType is the type of a file of the memory tool: its reader names its path, and does not search for it.
const FileType = "MemoryToolFile"

// The limits of an [Entity], in bytes unless said otherwise.
const (
	MaxEntityName = 256
	MaxEntityKind = 64
	MaxAliases    = 64 // elements
)

// IsEntity reports whether the memory is an entity; [ParseEntity] reads it.
func (m *Memory) IsEntity() bool { return m.Type == EntityType }

// Entity is what a memory of type [EntityType] says. Its text is the content of the memory:
//
//	Ana Petrova (person)
//	Also: Ana; A. Petrova
//	She runs the gateway.
//
// The kind, the second line and the description may be missing.
type Entity struct {
	Name string
	// Kind is an open vocabulary (person, project, file, ...).
	Kind        string
	Aliases     []string
	Description string
}

const alsoLine, aliasSeparator = "Also:", ";"

// ParseEntity reads the content of a memory of type [EntityType]. Any text is one: its first line is the name.
func ParseEntity(content string) Entity {
	var e Entity
	head, rest, _ := strings.Cut(strings.TrimSpace(content), "\n")
	e.Name = strings.TrimSpace(head)
	if name, kind, ok := strings.Cut(e.Name, " ("); ok && strings.HasSuffix(kind, ")") {
		if i := strings.LastIndex(e.Name, " ("); i > 0 {
			name, kind = e.Name[:i], e.Name[i+2:]
		}
		e.Name, e.Kind = strings.TrimSpace(name), strings.TrimSuffix(kind, ")")
	}
	rest = strings.TrimSpace(rest)
	if list, ok := strings.CutPrefix(rest, alsoLine); ok {
		list, rest, _ = strings.Cut(list, "\n")
		for alias := range strings.SplitSeq(list, aliasSeparator) {
			if alias = strings.TrimSpace(alias); alias != "" {
				e.Aliases = append(e.Aliases, alias)
			}
		}
	}
	e.Description = strings.TrimSpace(rest)
	return e
}

// Content returns the text of the entity, which [ParseEntity] reads back.
func (e *Entity) Content() string {
	out := e.Name
	if e.Kind != "" || strings.HasSuffix(e.Name, ")") {
		out += " (" + e.Kind + ")"
	}
	if len(e.Aliases) > 0 || strings.HasPrefix(e.Description, alsoLine) {
		out += "\n" + alsoLine + " " + strings.Join(e.Aliases, aliasSeparator+" ")
	}
	if e.Description != "" {
		out += "\n" + e.Description
	}
	return out
}

// Names returns the name and the aliases.
func (e *Entity) Names() []string { return append([]string{e.Name}, e.Aliases...) }

// Normalise trims the texts, joins their spaces, and drops aliases that are there twice or are the name.
func (e *Entity) Normalise() {
	e.Name, e.Kind, e.Description = oneLine(e.Name), oneLine(e.Kind), strings.TrimSpace(e.Description)
	var aliases []string
	for _, a := range e.Aliases {
		if a = oneLine(a); a != "" && a != e.Name && !slices.Contains(aliases, a) {
			aliases = append(aliases, a)
		}
	}
	e.Aliases = aliases
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Validate reports the first rule that e breaks, as a [*FieldError]. The text of all is bounded by [MaxContent].
func (e *Entity) Validate() error {
	if e.Name == "" {
		return Required("name")
	}
	if err := validText("name", e.Name, MaxEntityName, false); err != nil {
		return err
	}
	if err := validText("kind", e.Kind, MaxEntityKind, false); err != nil {
		return err
	}
	if strings.ContainsAny(e.Kind, "()") {
		return Fieldf("kind", "must not contain parentheses, got %q", e.Kind)
	}
	if err := validList("aliases", e.Aliases, MaxAliases, MaxEntityName); err != nil {
		return err
	}
	for _, a := range e.Aliases {
		if strings.Contains(a, aliasSeparator) {
			return Fieldf("aliases", "must not contain %q, got %q", aliasSeparator, a)
		}
	}
	return validText("description", e.Description, MaxContent, true)
}
