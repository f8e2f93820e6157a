package verb

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Project is the name of a project in one of the forms that [memory.ReadProject] reads; a blank text was not given. Errors have the name that the caller used.
type Project struct {
	// Name is what the caller called it.
	Name, Text string
	// own: the caller is a program, which records for a project of its own: one that nobody knows is new.
	own bool
}

// ReadArg implements [Value].
func (p *Project) ReadArg(d Door, name string, raw json.RawMessage) error {
	p.Name, p.own = name, d == REST
	return d.readTo(name, raw, &p.Text)
}

// Schema implements [Value].
func (*Project) Schema() Schema { return Schema{"type": "string"} }

// Plain returns where a text goes.
func (p *Project) Plain() any { return &p.Text }

// Given reports whether a project was given.
func (p *Project) Given() bool {
	how, _ := memory.ReadProject(p.Text)
	return how != memory.NamesNothing
}

// text is what names the project for somebody who records for it, or works in it.
func (p *Project) text() string {
	if how, name := memory.ReadProject(p.Text); p.own && how == memory.NamesOne {
		return memory.NewProject + name
	}
	return p.Text
}

// Into sets the project of a new memory, if one was given.
func (p *Project) Into(ctx context.Context, m *engine.Memories, to *string) (err error) {
	if p.Given() {
		*to, err = memory.NameProject(ctx, m, p.text())
	}
	return Renamed(err, p.Name)
}

// In returns the memories for somebody who works in the project, or in that of m if none was given.
func (p *Project) In(ctx context.Context, m *engine.Memories) (_ *engine.Memories, err error) {
	if p.Given() {
		m, err = memory.InProject(ctx, m, p.text())
	}
	return m, Renamed(err, p.Name)
}

// Filter returns the names of the project; nil if none was given.
func (p *Project) Filter(ctx context.Context, m *engine.Memories) (names []string, err error) {
	if p.Given() {
		names, err = memory.ResolveProject(ctx, m, p.Text)
	}
	return names, Renamed(err, p.Name)
}

// Projects are several projects, each as [Project].
type Projects struct {
	Name  string
	Texts []string
}

// ReadArg implements [Value].
func (p *Projects) ReadArg(d Door, name string, raw json.RawMessage) error {
	p.Name = name
	return d.texts(name, raw, &p.Texts)
}

// Schema implements [Value].
func (*Projects) Schema() Schema { return Schema{"type": "array", "items": new(Project).Schema()} }

// Filter returns the names of all of them; nil if none was given. A name that the store does not know may be known to others, unless that is nil.
func (p *Projects) Filter(ctx context.Context, m *engine.Memories, others func(name string) bool) (out []string, err error) {
	for _, text := range p.Texts {
		names, err := (&Project{Name: p.Name, Text: text}).Filter(ctx, m)
		switch {
		case errors.Is(err, hippo.ErrNotFound) && others != nil && others(text):
			names = []string{text}
		case err != nil:
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}
