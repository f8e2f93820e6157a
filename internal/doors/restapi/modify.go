package restapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

// voteInput is a vote and the question that it is about.
type voteInput struct {
	reinforce string
	query     *string
}

// operationInput is how a change is carried out, whatever it changes.
type operationInput struct {
	ifMatch, reason string
	allowSecret     bool
	project         *string // where it moves to
}

// memories returns the memories of a request for the operation.
func (in *operationInput) memories(r *request) *engine.Memories {
	m := changing(r.Memories, r.caller, in.reason)
	if in.allowSecret {
		return engine.AllowSecrets(m)
	}
	return m
}

// labels are the lists of a modification, and the fields that it empties.
type labels struct {
	situation, tags *[]string
	clear           []string
}

type modifyInput struct {
	id            reference
	content, kind *string
	labels
	importance *float64
	pinned     *bool
	metadata   metadata
	vote       voteInput
	supersedes references
	validity   verb.Validity
	operation  operationInput
}

func (in *modifyInput) fields() []field {
	return slices.Concat([]field{
		idField(&in.id),
		{name: "If-Match", in: inHeader, to: &in.operation.ifMatch, about: "the ETag of the memory as it was read: if its text was changed since, nothing changes and the status is 412"},
		{name: "content", to: &in.content, rules: schema{"minLength": 1, "maxLength": hippo.MaxContent}},
		{name: "situation", to: &in.situation, about: "replaces all", rules: schema{"maxItems": hippo.MaxSituations}},
		{name: "importance", to: &in.importance, rules: schema{"minimum": 0, "maximum": 1}},
		{name: "tags", to: &in.tags, about: "replaces all", rules: schema{"maxItems": hippo.MaxTags}},
		{name: "type", to: &in.kind, rules: schema{"maxLength": hippo.MaxType}},
		{name: "pinned", to: &in.pinned},
		{name: "project", to: &in.operation.project, about: "moves it: a project that is known, or an abbreviation of one; none: to no project; new:NAME: to a new one", rules: schema{"maxLength": hippo.MaxName}},
		{name: "clear", to: &in.clear, about: "empties these fields, of situation, tags, type, valid_from, valid_until and metadata.KEY: a blank value of a field changes nothing"},
		{name: "metadata", to: &in.metadata, about: "sets these keys and keeps the others; clear removes one"},
		{name: "reinforce", to: &in.vote.reinforce, about: "default: upvote if content or situation changes and no importance is given", words: []string{"upvote", "downvote", "none", "undo"}},
		{name: "query", to: &in.vote.query, about: "the question that the vote is about"},
		{name: "supersedes", to: &in.supersedes, about: "what it replaces"},
	}, fieldsOf(in.validity.Args(), inBody), []field{
		{name: "reason", to: &in.operation.reason, about: "why, for the history", rules: schema{"maxLength": hippo.MaxName}},
		{name: "allow_secret", to: &in.operation.allowSecret, about: "store it although it looks like a secret; only if a person agreed"},
	})
}

func (in *modifyInput) call(ctx context.Context, r *request) (reply, error) {
	c := api.Change{
		Content: in.content, Type: in.kind, Importance: in.importance, Pinned: in.pinned, Project: in.operation.project, Vote: api.Vote(in.vote.reinforce),
		Situation: in.situation, Tags: in.tags,
	}
	c.SetMetadata(in.metadata)
	var err error
	if c.Query, err = engine.Question(in.vote.query); err != nil {
		return reply{}, err
	}
	if c.IfVersion, err = versionOf(in.operation.ifMatch); err != nil {
		return reply{}, err
	}
	if c.ValidFrom, c.ValidUntil, err = in.validity.Ends(r.now()); err != nil {
		return reply{}, err
	}
	if in.supersedes.texts != nil {
		old, err := r.resolveAll(ctx, in.supersedes, api.PreferLive)
		if err != nil {
			return reply{}, err
		}
		c.Supersedes = &old
	}
	if err := c.Clear(in.clear); err != nil {
		return reply{}, err
	}
	id, err := r.resolve(ctx, in.id, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	m, err := in.operation.memories(r).Modify(ctx, id, c)
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
