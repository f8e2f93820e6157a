package script

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// session is one run of a program. Its calls come one at a time.
type session struct {
	memories *engine.Memories
	caller   Caller
	program  *verb.Program
	writes   []Write
	failed   failed
}

// failed is the last call that failed.
type failed struct {
	text string
	code hippo.Code
}

// of returns the code of the call if that is why a program failed, else an empty one.
func (f *failed) of(why *sandbox.Failure) hippo.Code {
	if f.text == "" || !strings.HasPrefix(why.Message, f.text) {
		return ""
	}
	return f.code
}

// library returns the functions of a program. Names beside Hippo's are those of mcp-memory-service's
// interface for code.
func library() []function { return slices.Concat(readFunctions(), writeFunctions(), pastFunctions()) }

// signatures returns the signatures of the functions, for the child.
func signatures() []sandbox.Function {
	var out []sandbox.Function
	for _, v := range library() {
		params, aliases := v.params()
		for _, name := range append([]string{v.name}, v.aliases...) {
			out = append(out, sandbox.Function{Name: name, Params: params, Aliases: aliases})
		}
	}
	return out
}

// answer executes a call. What the program did wrong is a reply; the error is of ctx.
func (s *session) answer(ctx context.Context, c *sandbox.Call) (*sandbox.Reply, error) {
	value, err := s.execute(ctx, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var raw json.RawMessage
	if err == nil {
		raw, err = json.Marshal(value)
	}
	if err != nil {
		s.failed = failed{explain(c, err), hippo.CodeOf(err)}
		return &sandbox.Reply{Error: s.failed.text}, nil
	}
	return &sandbox.Reply{Value: raw}, nil
}

// explain returns the text of an error of a call, with the parameter by its name.
func explain(c *sandbox.Call, err error) string {
	body := wire.ErrorOf(err, "").Error
	text := c.Name + ": " + body.Message
	if hippo.CodeOf(err) == hippo.CodeSecret {
		text += "; leave it out and say where it is kept"
	}
	return text
}

func (s *session) execute(ctx context.Context, c *sandbox.Call) (any, error) {
	all := library()
	i := slices.IndexFunc(all, func(v function) bool { return v.name == c.Name || slices.Contains(v.aliases, c.Name) })
	if i < 0 {
		return nil, fmt.Errorf("%w: no function %.40q", hippo.ErrInvalid, c.Name)
	}
	v := &all[i]
	switch {
	case v.writes && s.program.ReadOnly:
		return nil, fmt.Errorf("%w: it writes, and the program was run with read_only", hippo.ErrForbidden)
	case v.writes && len(s.writes) >= maxWrites:
		return nil, fmt.Errorf("%w: more than %d writes in one program", hippo.ErrInvalid, maxWrites)
	}
	in := v.input()
	args := in.Args()
	if err := verb.DecodeMembers(verb.Script, c.Args, args); err != nil {
		return nil, err
	}
	for i := range args { // a list that is empty by chance is not all
		if a := &args[i]; a.Blank && (a.Name == "id" || a.Name == "kind") {
			return nil, hippo.Required(a.NameAt(verb.Script))
		}
	}
	out, err := in.call(ctx, s, c)
	return out, verb.Named(err, verb.Script, args)
}

// remember keeps a write for the report.
func (s *session) remember(c *sandbox.Call, format string, args ...any) {
	s.writes = append(s.writes, Write{c.Name, fmt.Sprintf(format, args...)})
}

// values returns memories as a program sees them.
func (s *session) values(ms []*hippo.Memory, day hippo.Day, score func(i int) float64) []map[string]any {
	short := memory.ShortIDs(s.memories, hippo.IDsOf(ms...))
	out := make([]map[string]any, len(ms))
	for i, m := range ms {
		out[i] = valueOf(m, short, s.caller.Now().In(s.memories.Zone()))
		out[i]["importance"] = wire.Round(s.memories.Importance(m, day), 4)
		out[i]["score"] = 1.0
		if score != nil {
			out[i]["score"] = wire.Round(score(i), 4)
		}
	}
	return out
}
