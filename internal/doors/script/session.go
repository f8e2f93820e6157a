package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
)

// session is one run of a program. Its calls come one at a time.
type session struct {
	memories *engine.Memories
	caller   Caller
	program  *Program
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

// function is a function of a program.
type function struct {
	name string
	// aliases are other names of it.
	aliases []string
	params  []string
	writes  bool
	call    func(ctx context.Context, s *session, c *sandbox.Call) (any, error)
}

// library returns the functions of a program. Names beside Hippo's are those of mcp-memory-service's
// interface for code.
func library() []function { return slices.Concat(readFunctions(), writeFunctions(), pastFunctions()) }

// parameterAliases are other names of parameters, of any function that has the parameter.
func parameterAliases() map[string]string {
	return map[string]string{
		"n_results": "limit", "top_k": "limit", "k": "limit", "n": "limit", "count": "limit", "max_results": "limit", "page_size": "limit",
		"threshold": "min_score", "min_relevance": "min_score", "q": "query", "text": "query", "tag": "tags", "memory_type": "type", "types": "type",
		"situations": "situation", "context": "situation", "situation_filter": "situation", "since": "created_after", "after": "created_after",
		"until": "created_before", "before": "created_before", "ids": "id", "uuid": "id", "uuids": "id", "hash": "id", "content_hash": "id", "ref": "id",
		"upvotes": "up", "downvotes": "down", "insight": "content", "relation": "kind", "from_id": "source", "to_id": "target", "a": "source", "b": "target",
		"time": "when", "time_expr": "when", "source": "sources", "budget": "max_tokens", "reinforce": "vote",
	}
}

// signatures returns the signatures of the functions, for the child.
func signatures() []sandbox.Function {
	var out []sandbox.Function
	for _, v := range library() {
		known := make(map[string]string)
		for alias, name := range parameterAliases() {
			if slices.Contains(v.params, name) && !slices.Contains(v.params, alias) {
				known[alias] = name
			}
		}
		for _, name := range append([]string{v.name}, v.aliases...) {
			out = append(out, sandbox.Function{Name: name, Params: v.params, Aliases: known})
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
	err = wire.RenameField(err, fieldNames())
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
	return v.call(ctx, s, c)
}

// remember keeps a write for the report.
func (s *session) remember(c *sandbox.Call, format string, args ...any) {
	s.writes = append(s.writes, Write{c.Name, fmt.Sprintf(format, args...)})
}

// resolve returns the ids of references, each once.
func (s *session) resolve(ctx context.Context, name string, refs []string, prefer api.Preference) ([]hippo.ID, error) {
	var out []hippo.ID
	for _, ref := range refs {
		id, err := s.memories.Resolve(ctx, ref, prefer)
		if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
			return nil, hippo.Fieldf(name, "%s", bad.Why)
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// resolveSome is resolve for at least one reference of the parameter id.
func (s *session) resolveSome(ctx context.Context, refs []string, prefer api.Preference) ([]hippo.ID, error) {
	if err := required("id", len(refs) > 0); err != nil {
		return nil, err
	}
	return s.resolve(ctx, "id", refs, prefer)
}

// values returns memories as a program sees them.
func (s *session) values(ms []*hippo.Memory, day hippo.Day, score func(i int) float64) []map[string]any {
	short := engine.ShortIDs(s.memories, hippo.IDsOf(ms...))
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

// projectsOf returns the filter for the project that an argument names; nil: it names none.
func projectsOf(ctx context.Context, s *session, name string) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	return engine.ResolveProject(ctx, s.memories, name)
}
