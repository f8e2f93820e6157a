package restapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

type modifyInput struct {
	verb.Modify
	ifMatch string
}

func (in *modifyInput) Args() []verb.Arg {
	return append(in.Modify.Args(), verb.Arg{
		Name: "If-Match", To: &in.ifMatch, About: "the ETag of the memory as it was read: if its text was changed since, nothing changes and the status is 412",
	})
}

func (in *modifyInput) call(ctx context.Context, r *request) (reply, error) {
	c, err := in.Modification(r.now())
	if err != nil {
		return reply{}, err
	}
	if c.IfVersion, err = versionOf(in.ifMatch); err != nil {
		return reply{}, err
	}
	if in.Supersedes.Texts != nil {
		old, err := in.Supersedes.Resolve(ctx, r.Memories, api.PreferLive)
		if err != nil {
			return reply{}, err
		}
		c.Supersedes = &old
	}
	id, err := in.ID.Resolve(ctx, r.Memories, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	m, err := memory.Modify(ctx, in.Memories(changing(r.Memories, r.caller, in.Reason)), id, c)
	if errors.Is(err, engine.ErrVersion) || c.IfVersion != 0 && c.Supersedes == nil && errors.Is(err, hippo.ErrConflict) {
		return reply{}, &statusError{http.StatusPreconditionFailed, err}
	}
	if err != nil {
		return reply{}, err
	}
	return one(http.StatusOK, m, r.server.Now())
}

// versionOf returns the version of an ETag; 0 for any.
func versionOf(tag string) (int, error) {
	if tag == "" || tag == "*" {
		return 0, nil
	}
	digits, ok := strings.CutPrefix(strings.TrimSuffix(tag, `"`), `"v`)
	version, err := strconv.Atoi(digits)
	if !ok || err != nil || version < 1 || tag != `"v`+strconv.Itoa(version)+`"` {
		return 0, hippo.Fieldf("If-Match", `must be one ETag of a memory, such as "v1" with its quotes, got %.60q`, tag)
	}
	return version, nil
}
