package web

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// apply changes memories in one write by those that it gives the change, remembers how to undo that, and returns to the page of the form.
func (v *visit) apply(text string, change func(by *engine.Memories) error) error {
	return applyTo(v, undoEntry{}, "", func(by *engine.Memories) (string, error) { return text, change(by) })
}

// applyTo is [visit.apply] for a change that itself says what it has done; nothing: it has changed nothing. If it adds memories or declares
// relations, which history does not keep, the entry names them. It goes to a path; empty: back to the page of the form.
func applyTo(v *visit, u undoEntry, path string, change func(by *engine.Memories) (said string, err error)) error {
	said, err := change(operate(v))
	if err != nil {
		return v.refused(err)
	}
	if said == "" {
		return leave(v, path, toast{Text: "Nothing was changed: it is like this already."})
	}
	u.text, u.operations = said, v.operations
	t := toast{Text: said}
	if v.session != nil {
		t.Undo = v.remember(u)
	}
	return leave(v, path, t)
}

// operate returns the memories for one more operation of the person at the dashboard.
func operate(v *visit) *engine.Memories {
	op := hippo.Operation{By: hippo.Source{Kind: hippo.SourceUser, Client: dashboard}}
	if id, err := newID(); err == nil {
		op.ID = id
		v.operations = append(v.operations, id)
	}
	return engine.As(v.memories, op)
}

// leave goes to a path, which shows a message; empty: to the page of the form.
func leave(v *visit, path string, t toast) error {
	if v.session != nil {
		v.session.say(t)
	}
	if path == "" {
		return v.back()
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

func newID() (hippo.ID, error) {
	id, err := uuid.NewV7()
	return hippo.ID(id), err
}

// remember lets the session undo a change, and returns the key; empty if nothing was changed, or the store keeps no history.
func (v *visit) remember(u undoEntry) string {
	u.operations = slices.DeleteFunc(u.operations, func(id hippo.ID) bool {
		vs, err := memory.Versions(v.r.Context(), v.memories, api.Versions{Operation: id})
		return err != nil || len(vs) == 0
	})
	if len(u.operations) > 0 {
		u.declared = nil
	} else if u.declared == nil && u.added == nil {
		return ""
	}
	return v.session.keep(u)
}

// refused says on the page of the form why a change was not made, if the caller can do something about it.
func (v *visit) refused(err error) error {
	if v.session == nil || !correctable(err) {
		return err
	}
	v.session.say(toast{Text: messageOf(err), Failed: true})
	return v.back()
}

// correctable reports whether the caller can do something about an error.
func correctable(err error) bool {
	return errors.Is(err, hippo.ErrConflict) || errors.Is(err, hippo.ErrInvalid) || errors.Is(err, hippo.ErrSecret)
}

// back returns to the page of the form.
func (v *visit) back() error {
	http.Redirect(v.w, v.r, localPath(v.r.PostForm.Get("back"), "/"), http.StatusSeeOther)
	return nil
}

// change changes the memory of the path.
func (v *visit) change(text string, do func(by *engine.Memories, m *hippo.Memory) error) error {
	m, err := v.get(v.r.Context())
	if err != nil {
		return err
	}
	return v.apply(text, func(by *engine.Memories) error { return do(by, m) })
}

// vote votes on a memory, as an answer to the search that the form names; without one, on no question in particular.
func vote(v *visit) error {
	in, err := fields(v.r.PostForm, verb.Table{{Name: "vote", Values: []string{"up", "down"}, Is: verb.Required, To: verb.New[string]}, {Name: "query", To: verb.New[string]}})
	if err != nil {
		return err
	}
	up, query := in.Text("vote") == "up", in.Text("query")
	if !utf8.ValidString(v.r.PostForm.Get("query")) {
		return hippo.Fieldf("query", "must be valid UTF-8")
	}
	text := "Voted down: it ranks lower"
	if up {
		text = "Voted up: it ranks higher"
	}
	if query != "" {
		text += " for searches like this one"
	}
	return v.change(text+" now.", func(by *engine.Memories, m *hippo.Memory) error {
		b := api.Reinforce{Query: query}
		if up {
			b.Up = []hippo.ID{m.ID}
		} else {
			b.Down = []hippo.ID{m.ID}
		}
		_, err := memory.Cast(v.r.Context(), by, b)
		return err
	})
}

// accept confirms a memory.
func accept(v *visit) error {
	return v.change("Accepted: sessions may show it unasked.", func(by *engine.Memories, m *hippo.Memory) error {
		_, err := memory.Modify(v.r.Context(), by, m.ID, memory.Confirmation(m))
		return err
	})
}

func pin(v *visit) error {
	pinned := v.r.PostForm.Get("pinned") == "true"
	text := "Unpinned: its importance decays again."
	if pinned {
		text = "Pinned: its importance no longer decays."
	}
	return v.change(text, func(by *engine.Memories, m *hippo.Memory) error {
		_, err := memory.Modify(v.r.Context(), by, m.ID, api.Change{Pinned: &pinned})
		return err
	})
}

func forget(v *visit) error {
	return v.change("Forgotten: searches no longer find it.", func(by *engine.Memories, m *hippo.Memory) error {
		_, err := memory.Forget(v.r.Context(), by, []hippo.ID{m.ID})
		return err
	})
}

func restore(v *visit) error {
	return v.change("Restored: searches find it again.", func(by *engine.Memories, m *hippo.Memory) error {
		_, err := memory.Restore(v.r.Context(), by, []hippo.ID{m.ID})
		return err
	})
}

// holds removes the end of the time in which a memory holds.
func holds(v *visit) error {
	return v.change("Holds: it has no end any more.", func(by *engine.Memories, m *hippo.Memory) error {
		_, err := memory.Modify(v.r.Context(), by, m.ID, api.Change{ValidUntil: &time.Time{}})
		return err
	})
}

// move moves a memory to a project.
func move(v *visit) error {
	project := v.r.PostForm.Get("project")
	return v.change("Moved to "+memory.ProjectTitles(v.memories)(project)+".", func(by *engine.Memories, m *hippo.Memory) error {
		_, err := memory.Modify(v.r.Context(), by, m.ID, api.Change{Project: &project})
		return err
	})
}

// edit changes a memory. A form that is wrong comes back with what was entered.
func edit(v *visit) error {
	m, err := v.get(v.r.Context())
	if err != nil {
		return err
	}
	sent := draftIn(v.r.PostForm, draftOf(m, v.memories.Zone()))
	change, err := sent.change(m, v.now.In(v.memories.Zone()))
	if err == nil && change.Project != nil {
		_, err = named(v, "project", *change.Project)
	}
	if err == nil {
		err = unchanged(v, m)
	}
	if err == nil && change == (api.Change{}) {
		return v.back()
	}
	if err == nil {
		err = v.apply("Changed.", func(by *engine.Memories) error {
			_, changeErr := memory.Modify(v.r.Context(), by, m.ID, change)
			return asEntered(changeErr)
		})
	}
	return again(v, m, &sent, nil, err)
}

// unchanged checks that a memory has the version that the form was made of.
func unchanged(v *visit, m *hippo.Memory) error {
	if version := v.r.PostForm.Get("version"); version != "" && version != strconv.Itoa(m.Version) {
		return hippo.Fieldf("memory", "was changed by somebody else meanwhile; compare it with what is below, and save again to replace it")
	}
	return nil
}

// again shows the page of a memory with a form as it was sent, if the error is about that; nil: that form was not sent. It returns any
// other error.
func again(v *visit, m *hippo.Memory, edited, split *draft, err error) error {
	problem := problemOf(err)
	if problem == "" {
		return err
	}
	for _, sent := range []*draft{edited, split} {
		if sent != nil {
			sent.Problem = problem
		}
	}
	p, err := memoryPage(v, m, edited, split)
	if err == nil {
		v.render(v, http.StatusUnprocessableEntity, p)
	}
	return err
}

// editError is an error of a change that the form can show; nothing unwraps it before that.
type editError struct{ error }

// asEntered makes an error that the caller can do something about an [editError].
func asEntered(err error) error {
	if correctable(err) {
		return &editError{err}
	}
	return err
}

// problemOf returns what a form says about an error; empty if the error is of another kind.
func problemOf(err error) string {
	if wrong, ok := errors.AsType[*editError](err); ok {
		return messageOf(wrong.error)
	}
	if errors.Is(err, hippo.ErrInvalid) {
		return messageOf(err)
	}
	return ""
}

// idsOf returns the memories that two fields of the form name.
func idsOf(v *visit, fields [2]string) (ids [2]hippo.ID, err error) {
	for i, field := range fields {
		if ids[i], err = hippo.ParseID(v.r.PostForm.Get(field)); err != nil {
			return ids, hippo.Fieldf(field, "must be the id of a memory")
		}
	}
	return ids, nil
}

// compatible declares that two memories both stay, so that no audit calls them contradictory or duplicates.
func compatible(v *visit) error {
	ids, err := idsOf(v, [2]string{"a", "b"})
	if err != nil {
		return err
	}
	list := []hippo.Relation{{From: ids[0], To: ids[1], Kind: hippo.CompatibleWith, Weight: 1}}
	return applyTo(v, undoEntry{declared: list}, "", func(by *engine.Memories) (string, error) {
		_, err := knowledge.Relate(v.r.Context(), by, list)
		return "Both stay: an audit no longer names this pair.", err
	})
}

// merge makes one memory supersede another of the same meaning, and gives it the situation and the tags of both.
func merge(v *visit) error {
	ctx := v.r.Context()
	ids, err := idsOf(v, [2]string{"keep", "drop"})
	if err != nil {
		return err
	}
	ms, err := memory.Get(ctx, v.memories, ids[:])
	if err != nil {
		return err
	}
	change := api.Change{Supersedes: &[]hippo.ID{ids[1]}, Vote: api.VoteNone}
	if v.r.PostForm.Get("union") != "" && len(ms) == len(ids) {
		situation, tags := union(ms[0].Situation, ms[1].Situation), union(ms[0].Tags, ms[1].Tags)
		change.Situation, change.Tags = &situation, &tags
	}
	return v.apply("Merged: the other memory is superseded now.", func(by *engine.Memories) error {
		_, err := memory.Modify(ctx, by, ids[0], change)
		return err
	})
}

// union returns the elements of a, and those of b that are not in a.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// undo undoes a change of this session, which can be undone in turn.
func undo(v *visit) error {
	if v.session == nil {
		return hippo.Fieldf("undo", "needs a session; changes of this caller are not remembered")
	}
	u, ok := v.session.takeUndo(v.r.PostForm.Get("change"))
	if !ok {
		v.session.say(toast{Text: "This was undone already, or is one of more than twenty changes since.", Failed: true})
		return v.back()
	}
	return v.apply("Undone.", func(by *engine.Memories) error { return takeBack(v, u, by) })
}

// takeBack undoes a change by one or more operations, the first of which is given.
func takeBack(v *visit, u undoEntry, by *engine.Memories) error {
	ctx := v.r.Context()
	if u.declared != nil {
		return knowledge.Unrelate(ctx, by, u.declared)
	}
	for i, id := range slices.Backward(u.operations) {
		if _, err := memory.Undo(ctx, by, id); err != nil {
			return err
		}
		if i > 0 || u.added != nil {
			by = operate(v)
		}
	}
	if u.added == nil {
		return nil
	}
	ms, err := memory.Get(ctx, v.memories, u.added)
	if err != nil {
		return err
	}
	var left []hippo.ID
	for _, m := range ms {
		if !m.Forgotten() {
			left = append(left, m.ID)
		}
	}
	if len(left) > 0 {
		_, err = memory.Forget(ctx, by, left)
	}
	return err
}
