package web

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// dashboard is the client that changes name as their source.
const dashboard = "dashboard"

// newBody is the form for a new memory and the hints about its text.
type newBody struct {
	// Key identifies the form in the session, so that sending it twice records one memory. It is empty without a session.
	Key   string
	Draft draft
	newHint
}

// newHint holds what a person should know before recording the memory.
type newHint struct {
	// Compared: the text was compared with the other memories of the project.
	Compared bool
	// Warning says why the memory would be refused.
	Warning  string
	Same     []item
	Replaced []replaced
}

// replaced is a memory that the new one probably supersedes.
type replaced struct {
	item
	Reason string
	Chosen bool
}

func showNew(v *visit) (page, error) {
	b := &newBody{Draft: draftIn(v.r.URL.Query(), draft{})}
	if v.session != nil {
		b.Key = rand.Text()
	}
	return newPage(v, b)
}

func newPage(v *visit, b *newBody) (page, error) {
	err := b.Draft.choose(v.r.Context(), v)
	return page{Title: "Add a memory", Content: newContent(formsOf(v), *b)}, err
}

// compare shows the form again with hints about similar memories.
func compare(v *visit) error {
	b := &newBody{Key: v.r.PostForm.Get("key"), Draft: draftIn(v.r.PostForm, draft{})}
	if strings.TrimSpace(b.Draft.Content) != "" {
		m, err := b.Draft.record(v)
		if err == nil {
			err = memory.Screen(m)
		}
		if err == nil {
			b.newHint, err = hintOf(v, m, v.r.PostForm["supersedes"])
		}
		if correctable(err) {
			b.Warning = messageOf(err)
		} else if err != nil {
			return err
		}
	}
	p, err := newPage(v, b)
	if err == nil {
		v.render(v, http.StatusOK, p)
	}
	return err
}

// hintOf compares a new memory with the others of its project. chosen are those that the form says it supersedes.
func hintOf(v *visit, m *hippo.Memory, chosen []string) (h newHint, err error) {
	ctx := v.r.Context()
	c, err := memory.Compare(ctx, v.memories, m)
	if err != nil {
		return h, err
	}
	h.Compared = true
	if len(c.Duplicates) > 0 {
		same, err := memory.Get(ctx, v.memories, c.Duplicates)
		if err != nil {
			return h, err
		}
		h.Same = v.newItems(same)
	}
	for _, r := range c.Replaces {
		h.Replaced = append(h.Replaced, replaced{v.newItem(r.Memory), strings.TrimSpace(r.Reason), slices.Contains(chosen, r.Memory.ID.String())})
	}
	return h, nil
}

// add records a memory. A form that is wrong comes back with what was entered.
func add(v *visit) error {
	b := &newBody{Key: v.r.PostForm.Get("key"), Draft: draftIn(v.r.PostForm, draft{})}
	m, old, err := b.read(v)
	if err == nil {
		err = once(v, b.Key, m.ID, func() error {
			return applyTo(v, undoEntry{added: []hippo.ID{m.ID}}, memoryPath(m.ID), func(by *engine.Memories) (string, error) {
				_, recordErr := memory.Record(v.r.Context(), by, m, old...)
				return "Recorded.", asEntered(recordErr)
			})
		})
	}
	if b.Draft.Problem = problemOf(err); b.Draft.Problem == "" {
		return err
	}
	p, err := newPage(v, b)
	if err == nil {
		v.render(v, http.StatusUnprocessableEntity, p)
	}
	return err
}

// once calls do, which records the memory id, unless the session has sent the form before: then it goes to what that has recorded.
func once(v *visit, form string, id hippo.ID, do func() error) error {
	if v.session == nil || form == "" {
		return do()
	}
	if first, ok := v.session.claim(form, id); !ok {
		return leave(v, memoryPath(first), toast{Text: "This form was sent twice. The memory was recorded once."})
	}
	err := do()
	if err != nil {
		v.session.release(form)
	}
	return err
}

// read returns the memory that the form describes, and those that it supersedes.
func (b *newBody) read(v *visit) (m *hippo.Memory, old []hippo.ID, err error) {
	for _, text := range v.r.PostForm["supersedes"] {
		id, err := hippo.ParseID(text)
		if err != nil {
			return nil, nil, hippo.Fieldf("supersedes", "must be the id of a memory")
		}
		old = append(old, id)
	}
	if m, err = b.Draft.record(v); err != nil {
		return nil, nil, err
	}
	m.ID, err = newID()
	return m, old, err
}
