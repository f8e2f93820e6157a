package catalog

import (
	"encoding/binary"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// A body holds what a parser found in a file, and its chunks: varints and, at the front, each string
// once. References and locals come last, because few questions need them.

// encoder writes a body.
type encoder struct {
	ids  map[string]uint64
	list []string
	out  []byte
}

func (e *encoder) number(n int) { e.out = binary.AppendUvarint(e.out, uint64(max(0, n))) }

// signed writes a number that may be -1.
func (e *encoder) signed(n int) { e.number(n + 1) }

func (e *encoder) text(s string) {
	id, ok := e.ids[s]
	if !ok {
		id = uint64(len(e.list))
		e.ids[s] = id
		e.list = append(e.list, s)
	}
	e.out = binary.AppendUvarint(e.out, id)
}

func (e *encoder) span(r syntax.Range) {
	e.number(r.From)
	e.number(r.Until - r.From)
	e.number(r.First)
	e.number(r.Last - r.First)
}

// encodeBody returns the body of a file.
func encodeBody(f *syntax.File, chunks []chunk.Chunk) []byte {
	e := &encoder{ids: make(map[string]uint64)}
	e.text(f.Language)
	e.text(f.Package)
	e.number(f.Errors)
	e.number(boolean(f.Partial))
	e.number(len(f.Symbols))
	for i := range f.Symbols {
		s := &f.Symbols[i]
		e.text(s.Name)
		e.text(s.Qualified)
		e.text(string(s.Kind))
		e.text(s.Signature)
		e.span(s.Doc)
		e.span(s.Range)
		e.span(s.NameAt)
		e.signed(s.Parent)
		e.number(len(s.Bases))
		for _, b := range s.Bases {
			e.text(b)
		}
	}
	e.number(len(chunks))
	for i := range chunks {
		c := &chunks[i]
		e.span(syntax.Range{From: c.From, Until: c.Until, First: c.First, Last: c.Last})
		e.signed(c.Symbol)
		e.number(c.Part)
	}
	e.number(len(f.Imports))
	for i := range f.Imports {
		m := &f.Imports[i]
		e.text(m.Path)
		e.text(m.Name)
		e.text(m.Alias)
		e.span(m.At)
	}
	e.references(f.References)
	e.locals(f.Locals)
	return e.seal()
}

func (e *encoder) references(list []syntax.Reference) {
	e.number(len(list))
	for i := range list {
		r := &list[i]
		e.text(r.Name)
		e.text(r.Qualifier)
		e.text(string(r.Use))
		e.number(r.At.From)
		e.number(r.At.First)
		e.signed(r.In)
	}
}

func (e *encoder) locals(list []syntax.Local) {
	e.number(len(list))
	for i := range list {
		l := &list[i]
		e.text(l.Name)
		e.text(l.Type)
		e.text(l.Value)
		e.number(l.Part)
		e.number(l.From)
		e.number(l.Until - l.From)
	}
}

// seal returns the strings and what was written.
func (e *encoder) seal() []byte {
	head := binary.AppendUvarint(nil, uint64(len(e.list)))
	for _, s := range e.list {
		head = binary.AppendUvarint(head, uint64(len(s)))
		head = append(head, s...)
	}
	return append(head, e.out...)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// decoder reads a body. After an error it returns zeros.
type decoder struct {
	in   string
	list []string
	bad  bool
}

func (d *decoder) number() int {
	n, shift := uint64(0), 0
	for i := 0; i < len(d.in) && i < binary.MaxVarintLen64; i++ {
		c := d.in[i]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			d.in = d.in[i+1:]
			if n > 1<<40 {
				break
			}
			return int(n)
		}
		shift += 7
	}
	d.in, d.bad = "", true
	return 0
}

// count reads a number of things that take at least a byte each.
func (d *decoder) count() int {
	n := d.number()
	if n > len(d.in) {
		d.in, d.bad = "", true
		return 0
	}
	return n
}

func (d *decoder) signed() int { return d.number() - 1 }

func (d *decoder) text() string {
	if id := d.number(); id < len(d.list) {
		return d.list[id]
	}
	d.bad = true
	return ""
}

func (d *decoder) texts() (list []string) {
	for range d.count() {
		list = append(list, d.text())
	}
	return list
}

func (d *decoder) span() (r syntax.Range) {
	r.From = d.number()
	r.Until = r.From + d.number()
	r.First = d.number()
	r.Last = r.First + d.number()
	return r
}

func (d *decoder) strings() {
	n := d.count()
	d.list = make([]string, 0, n)
	for range n {
		size := d.number()
		if size > len(d.in) {
			d.in, d.bad = "", true
			return
		}
		d.list = append(d.list, d.in[:size])
		d.in = d.in[size:]
	}
}

// mentions reports whether one of the strings of a body is in a set.
func mentions(body string, names map[string]bool) bool {
	d := &decoder{in: body}
	for range d.count() {
		size := d.number()
		if size > len(d.in) {
			return false
		}
		if names[d.in[:size]] {
			return true
		}
		d.in = d.in[size:]
	}
	return false
}

// decodeBody reads a body; references only if they are asked for. Strings share the memory of the body.
func decodeBody(body string, references bool) (*syntax.File, []chunk.Chunk, error) {
	d := &decoder{in: body}
	d.strings()
	f := &syntax.File{Language: d.text(), Package: d.text(), Errors: d.number(), Partial: d.number() != 0}
	f.Symbols = make([]syntax.Symbol, d.count())
	for i := range f.Symbols {
		f.Symbols[i] = syntax.Symbol{
			Name: d.text(), Qualified: d.text(), Kind: syntax.Kind(d.text()), Signature: d.text(), Doc: d.span(), Range: d.span(), NameAt: d.span(), Parent: d.signed(), Bases: d.texts(),
		}
	}
	chunks := make([]chunk.Chunk, d.count())
	for i := range chunks {
		r := d.span()
		chunks[i] = chunk.Chunk{From: r.From, Until: r.Until, First: r.First, Last: r.Last, Symbol: d.signed(), Part: d.number()}
	}
	f.Imports = make([]syntax.Import, d.count())
	for i := range f.Imports {
		f.Imports[i] = syntax.Import{Path: d.text(), Name: d.text(), Alias: d.text(), At: d.span()}
	}
	if references {
		d.references(f)
		d.locals(f)
	}
	if d.bad {
		return nil, nil, fmt.Errorf("%w: code catalog: a file's record cannot be read", hippo.ErrCorrupt)
	}
	return f, chunks, nil
}

func (d *decoder) references(f *syntax.File) {
	f.References = make([]syntax.Reference, d.count())
	for i := range f.References {
		r := syntax.Reference{Name: d.text(), Qualifier: d.text(), Use: syntax.Use(d.text())}
		r.At.From, r.At.First = d.number(), d.number()
		r.At.Until, r.At.Last, r.In = r.At.From+len(r.Name), r.At.First, d.signed()
		f.References[i] = r
	}
}

func (d *decoder) locals(f *syntax.File) {
	f.Locals = make([]syntax.Local, d.count())
	for i := range f.Locals {
		l := syntax.Local{Name: d.text(), Type: d.text(), Value: d.text(), Part: d.number(), From: d.number()}
		l.Until = l.From + d.number()
		f.Locals[i] = l
	}
}
