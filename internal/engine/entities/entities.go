// Package entities knows entities by their names: which one a name means, and which ones a text mentions.
package entities

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// EntityIn returns the entity that a memory is.
func EntityIn(x *hippo.Memory) *api.Entity {
	return &api.Entity{Entity: hippo.ParseEntity(x.Content), ID: x.ID, Project: x.Project}
}

// Cards caches the entities of memories by their text. The zero value is empty.
type Cards struct {
	mu    sync.Mutex
	known map[CardKey]*Card
}

// Card is an entity with its names as texts are searched for them.
type Card struct {
	*api.Entity
	Keys []string
}

// CardOf returns the card of a memory of type [hippo.EntityType].
func CardOf(x *hippo.Memory) *Card {
	c := &Card{Entity: EntityIn(x)}
	for _, name := range c.Names() {
		if key := NameKey(name); key != "" {
			c.Keys = append(c.Keys, key)
		}
	}
	return c
}

// CardKey is a memory with a certain text.
type CardKey struct {
	ID   hippo.ID
	Text uint64
}

// maxCards is how many entities are cached, some 10 MB.
const maxCards = 1 << 16

// Get returns the cards of those keys that are known, and the memories of the others.
func (c *Cards) Get(keys []CardKey) (list []*Card, missing []hippo.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range keys {
		if e := c.known[k]; e != nil {
			list = append(list, e)
		} else {
			missing = append(missing, k.ID)
		}
	}
	return list, missing
}

// Put stores a card. If the cache is full, it forgets all others.
func (c *Cards) Put(k CardKey, e *Card) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxCards {
		clear(c.known)
	}
	if c.known == nil {
		c.known = make(map[CardKey]*Card)
	}
	c.known[k] = e
}

// NoEntity is the kind of a record which says that a name is no entity, although the rules find it.
const NoEntity = "none"

// NameKey returns the form in which names are compared: in lower case, without accents, with single spaces.
func NameKey(name string) string {
	trimmed := strings.TrimFunc(bm25.Fold(name), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'.,;:!?`, r) })
	return strings.Join(strings.Fields(strings.ToLower(trimmed)), " ")
}

// Names finds recorded entities by their names.
type Names struct {
	List            []*api.Entity // by name
	byName, byAlias map[string][]*api.Entity
	byWord          map[string][]*api.Entity // of a name or an alias
	None            map[string]*api.Entity   // records which say that a name is no entity
	keys            map[*api.Entity][]string // of the name and the aliases
	Since           hippo.Revision           // of the store; what was changed later may be missing
}

// NewNames returns the names of a list of entities.
func NewNames(list []*api.Entity) *Names {
	n := &Names{
		byName: make(map[string][]*api.Entity), byAlias: make(map[string][]*api.Entity), byWord: make(map[string][]*api.Entity),
		None: make(map[string]*api.Entity), keys: make(map[*api.Entity][]string),
	}
	slices.SortFunc(list, func(a, b *api.Entity) int {
		return cmp.Or(cmp.Compare(NameKey(a.Name), NameKey(b.Name)), cmp.Compare(a.Project, b.Project), a.ID.Compare(b.ID))
	})
	for _, e := range list {
		n.add(e)
	}
	return n
}

func (n *Names) add(e *api.Entity) {
	if e.Kind == NoEntity {
		for _, name := range e.Names() {
			n.None[NameKey(name)] = e
		}
		return
	}
	n.List = append(n.List, e)
	words := make(map[string]bool)
	for i, name := range e.Names() {
		key := NameKey(name)
		if key == "" || slices.Contains(n.keys[e], key) {
			continue
		}
		n.keys[e] = append(n.keys[e], key)
		if i == 0 {
			n.byName[key] = append(n.byName[key], e)
		} else {
			n.byAlias[key] = append(n.byAlias[key], e)
		}
		for word := range strings.FieldsSeq(key) {
			if !words[word] {
				words[word] = true
				n.byWord[word] = append(n.byWord[word], e)
			}
		}
	}
}

// Named returns the entities with a name or an alias, those with the name alone if there are any.
func (n *Names) Named(key string) []*api.Entity {
	if list := n.byName[key]; len(list) > 0 {
		return list
	}
	return n.byAlias[key]
}

// find is named, and else returns the entities of which a name has all words of the key in their order: its short forms.
func (n *Names) find(key string) []*api.Entity {
	if list := n.Named(key); len(list) > 0 || key == "" {
		return list
	}
	words := strings.Fields(key)
	return slices.DeleteFunc(slices.Clone(n.byWord[words[0]]), func(e *api.Entity) bool {
		return !slices.ContainsFunc(n.keys[e], func(name string) bool { return inOrder(words, strings.Fields(name)) })
	})
}

// inOrder reports whether words are among others in their order.
func inOrder(words, others []string) bool {
	for _, w := range others {
		if len(words) > 0 && w == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// One returns the entity that a name means; nil if there is none. Several are a [*hippo.AmbiguousError].
func (n *Names) One(name string) (*api.Entity, error) {
	switch list := n.find(NameKey(name)); len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0], nil
	default:
		e := &hippo.AmbiguousError{Ref: name}
		for _, x := range list {
			e.Candidates = append(e.Candidates, [2]string{x.ID.Short(), DescribeEntity(x)})
		}
		return nil, e
	}
}

// DescribeEntity returns the name with the kind and the project.
func DescribeEntity(e *api.Entity) string {
	out := e.Name
	if e.Kind != "" {
		out += " (" + e.Kind + ")"
	}
	if e.Project != "" {
		out += " of project " + e.Project
	}
	return out
}

// Taken returns [hippo.ErrConflict] if a name of an entity is that of another one.
func (n *Names) Taken(e *hippo.Entity, self hippo.ID) error {
	for _, name := range e.Names() {
		for _, other := range slices.Concat(n.byName[NameKey(name)], n.byAlias[NameKey(name)]) {
			if other.ID != self {
				return fmt.Errorf("%w: %q is a name of the entity %s already: merge them, or choose another name", hippo.ErrConflict, name, DescribeEntity(other))
			}
		}
	}
	return nil
}

// Searched returns the keys under which texts name an entity: its names, and the first name of a person that no other has.
func (n *Names) Searched(e *api.Entity) []string {
	var keys []string
	for _, name := range e.Names() {
		if key := NameKey(name); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if first, _, more := strings.Cut(NameKey(e.Name), " "); more && e.Kind == "person" && !slices.Contains(keys, first) {
		if list := n.find(first); len(list) == 1 && list[0].ID == e.ID {
			keys = append(keys, first)
		}
	}
	return keys
}

// Says reports whether a text, which is folded and in lower case, has one of some keys as whole words.
func Says(text string, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return AfterName(text, key) != nil })
}

// AfterName returns the texts after each place where a text has a key as whole words; nil if there is none.
func AfterName(text, key string) (rest []string) {
	for at := 0; key != ""; {
		i := strings.Index(text[at:], key)
		if i < 0 {
			break
		}
		from, to := at+i, at+i+len(key)
		if !joins(lastRune(text[:from])) && !joins(firstRune(text[to:])) {
			rest = append(rest, text[to:])
		}
		at = from + 1
	}
	return rest
}

// joins reports whether a character beside a name makes another word of it.
func joins(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func firstRune(text string) rune {
	for _, r := range text {
		return r
	}
	return 0
}

func lastRune(text string) (last rune) {
	for _, r := range text[max(0, len(text)-4):] {
		last = r
	}
	return last
}
