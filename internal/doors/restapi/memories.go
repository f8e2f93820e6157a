package restapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

// insight is a memory as JSON, see [wire.Stored].
type insight struct{ json.RawMessage }

// insightsOf returns memories as JSON.
func insightsOf(ms []*hippo.Memory, now time.Time) ([]insight, error) {
	out := make([]insight, len(ms))
	for i, m := range ms {
		b, err := wire.Stored(m, now)
		if err != nil {
			return nil, err
		}
		out[i] = insight{b}
	}
	return out, nil
}

// one returns a reply with a memory, what the history lacks of it, and its version as the ETag.
func one(status int, m *hippo.Memory, now time.Time, degraded ...string) (reply, error) {
	b, err := wire.Stored(m, now)
	if err == nil && len(degraded) > 0 {
		b, err = withKey(b, "degraded", degraded)
	}
	return reply{status: status, data: insight{b}, header: map[string]string{"ETag": etag(m)}, count: 1}, err
}

// etag is the version of a memory, which counts the changes of its content, situation, tags and type.
func etag(m *hippo.Memory) string { return fmt.Sprintf(`"v%d"`, m.Version) }

type recordInput struct {
	verb.Record
	key string
}

// maxKey is the maximum length in bytes of an Idempotency-Key.
const maxKey = 255

func (in *recordInput) Args() []verb.Arg {
	return append(in.Record.Args(), verb.Arg{
		Name: "Idempotency-Key", To: &in.key, About: "a name of this request that the client makes up: the same request again returns the memory that the first one recorded",
		Rules: verb.Schema{"maxLength": maxKey},
	})
}

// recorded is the answer to a record.
type recorded struct {
	Insight insight `json:"insight"`
	// Supersedes are those that it replaced, as asked; the rest is what it seems to be.
	Supersedes     []hippo.ID    `json:"supersedes,omitempty"`
	LikelyReplaces []replaceable `json:"likely_replaces,omitempty"`
	DuplicateOf    []hippo.ID    `json:"duplicate_of,omitempty"`
	Degraded       []string      `json:"degraded,omitempty"`
}

// replaceable is a memory that another one probably supersedes.
type replaceable struct {
	UUID    hippo.ID `json:"uuid"`
	Content string   `json:"content"`
	Reason  string   `json:"reason"`
}

func (in *recordInput) call(ctx context.Context, r *request) (reply, error) {
	supersedes, err := in.Supersedes.Resolve(ctx, r.Memories, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	given, err := in.memory(ctx, r)
	if err != nil {
		return reply{}, err
	}
	change := verb.Change{AllowSecret: in.AllowSecret}
	m, same, err := memory.RecordCompared(ctx, change.Memories(r.Memories), given.Clone(), supersedes...)
	if in.key != "" && errors.Is(err, hippo.ErrConflict) {
		return in.again(ctx, r, given, err)
	}
	if err != nil {
		return reply{}, err
	}
	out := recorded{Supersedes: supersedes, DuplicateOf: same.Duplicates}
	if same.Err != nil {
		out.Degraded = []string{"not compared with others"}
	}
	for _, x := range same.Replaces {
		out.LikelyReplaces = append(out.LikelyReplaces, replaceable{x.Memory.ID, wire.Clip(x.Memory.Content, previewLength), x.Reason})
	}
	return in.reply(http.StatusCreated, m, r.server.Now(), &out)
}

// previewLength is how many characters of the content of a [replaceable] are shown.
const previewLength = 200

func (in *recordInput) reply(status int, m *hippo.Memory, now time.Time, out *recorded) (reply, error) {
	b, err := wire.Stored(m, now)
	out.Insight = insight{b}
	header := map[string]string{"Location": prefix + "/memories/" + m.ID.String(), "ETag": etag(m)}
	return reply{status: status, data: out, header: header, count: 1}, err
}

// memory returns the memory to record.
func (in *recordInput) memory(ctx context.Context, r *request) (*hippo.Memory, error) {
	m, err := in.In(ctx, r.Memories, r.now())
	if err != nil {
		return nil, err
	}
	if in.key != "" {
		if len(in.key) > maxKey {
			return nil, hippo.Fieldf("Idempotency-Key", "must be at most %d bytes, got %d", maxKey, len(in.key))
		}
		// The identity of the memory follows from the key, so that the store itself refuses a second
		// one, whichever process takes the request, and however late it comes.
		name := fmt.Sprintf("%q %q %q", r.scope.Namespace, r.caller, in.key)
		m.ID = hippo.ID(uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/hippo-memory/hippo/idempotency "+name)))
	}
	return m, nil
}

// again answers a request whose key was used: with the memory that is there, or with the conflict if it is
// another one, or that is not about the key.
func (in *recordInput) again(ctx context.Context, r *request, given *hippo.Memory, conflict error) (reply, error) {
	ms, err := memory.Get(ctx, r.Memories, []hippo.ID{given.ID})
	if err != nil {
		return reply{}, conflict
	}
	if m := ms[0]; m.Version > 1 || m.ContentHash == hippo.HashContent(given.Content) {
		return in.reply(http.StatusOK, m, r.server.Now(), &recorded{})
	}
	return reply{}, &statusError{http.StatusUnprocessableEntity, hippo.Fieldf("Idempotency-Key", "was used for another memory")}
}

// insights is a list of memories.
type insights struct {
	Insights []insight `json:"insights"`
	// Degraded says what the history lacks of what was known at a time.
	Degraded []string `json:"degraded,omitempty"`
}

type getManyInput struct{ verb.Get }

// Args implements [verb.Object]. The answer has no excerpts.
func (in *getManyInput) Args() []verb.Arg { return verb.Without(in.Get.Args(), "query") }

func (in *getManyInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request(ctx, r.Memories, r.now())
	if err != nil {
		return reply{}, err
	}
	got, err := query.GetAt(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	list, err := insightsOf(got.Memories, r.server.Now())
	return reply{status: http.StatusOK, data: insights{list, got.Degraded}, count: len(list)}, err
}

// getInput asks for one memory.
type getInput struct {
	verb.Get
	id verb.Ref
}

func (in *getInput) Args() []verb.Arg {
	return append([]verb.Arg{verb.IDArg(&in.id)}, verb.Without(in.Get.Args(), "id")...)
}

func (in *getInput) get(ctx context.Context, r *request) (*api.Got, error) {
	in.IDs = in.id.Refs
	q, err := in.Request(ctx, r.Memories, r.now())
	if err != nil {
		return nil, err
	}
	return query.GetAt(ctx, r.Memories, q)
}

func (in *getInput) call(ctx context.Context, r *request) (reply, error) {
	got, err := in.get(ctx, r)
	if err != nil {
		return reply{}, err
	}
	m := got.Memories[0]
	out, err := one(http.StatusOK, m, r.server.Now(), got.Degraded...)
	if excerpt := got.Excerpt(m.ID); err == nil && excerpt != nil {
		err = out.withExcerpt(wire.PartOf(m.Content, excerpt))
	}
	return out, err
}

// withExcerpt adds a part of a memory that is too long to be read whole.
func (r *reply) withExcerpt(p wire.Preview) error {
	x, ok := r.data.(insight)
	if !ok || p.More == 0 {
		return nil
	}
	b, err := withKey(x.RawMessage, "excerpt", p.Text)
	r.data = insight{b}
	return err
}

// withKey returns a JSON object that is not empty with one more key.
func withKey(object json.RawMessage, key string, value any) (json.RawMessage, error) {
	raw, err := json.Marshal(value)
	out := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}")), " \n")
	return fmt.Appendf(bytes.Clone(out), ", %q: %s}", key, raw), err
}

type listInput struct {
	verb.List
	projects verb.Projects
}

func (in *listInput) Args() []verb.Arg { return append(in.List.Args(), verb.ProjectArg(&in.projects)) }

// listing is a page of a list.
type listing struct {
	Insights      []insight `json:"insights"`
	TotalCount    int       `json:"total_count"`
	ReturnedCount int       `json:"returned_count"`
	ActiveDay     hippo.Day `json:"active_day"`
	// NextOffset is where the next page begins; absent on the last.
	NextOffset int `json:"next_offset,omitempty"`
}

func (in *listInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request(r.now())
	if err != nil {
		return reply{}, err
	}
	if q.Filter.Projects, err = in.projects.Filter(ctx, r.Memories, r.ofTree); err != nil {
		return reply{}, err
	}
	l, err := memory.List(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	out := listing{TotalCount: l.Total, ReturnedCount: len(l.Memories), ActiveDay: l.Day}
	if end := in.Offset + len(l.Memories); len(l.Memories) > 0 && end < l.Total {
		out.NextOffset = end
	}
	out.Insights, err = insightsOf(l.Memories, r.server.Now())
	return reply{status: http.StatusOK, data: out, count: len(l.Memories)}, err
}
