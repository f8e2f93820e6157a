package memoryservice

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/verb"
)

// shownHashes is how many hashes a dry run names.
const shownHashes = 5

// changing returns the tools that change or forget memories.
func changing() []d.Tool {
	return []d.Tool{
		{
			Name: "memory_delete", Description: "Forget a memory, or those of tags and times. dry_run counts them. hippo_forget with restore undoes it.", Destructive: true, Call: callDelete,
			Params: verb.With(verb.Table{
				{Name: "content_hash", Also: "hash", Field: "ID IDs Up Down", To: verb.New[string]},
				d.TagsArg(), d.MatchArg(),
			}, append(d.TimeArgs(), verb.Arg{Name: "dry_run", To: verb.New[bool]}, storeParam())...),
		},
		{Name: "memory_cleanup", Description: "Forget all but the oldest of memories with the same text.", Destructive: true, Call: callCleanup},
		{
			Name: "memory_update", Description: "Change tags, type, metadata or content of a memory; other fields stay.", Writes: true, Destructive: true, Call: callUpdate,
			Params: verb.Table{
				hashParam(),
				{Name: "updates", Is: verb.Required, To: verb.Nested(verb.Table{
					d.TagsArg(), d.TypeArg(),
					{Name: "metadata", About: "sets these keys", To: verb.New[verb.Metadata]},
					{Name: "content", To: verb.New[string]},
					{Name: "reason", To: verb.New[string]},
				})},
				{Name: "preserve_timestamps", Rules: verb.Schema{"default": true}, To: verb.New[bool]},
				{Name: "versioned", About: "keep the old one, superseded", To: verb.New[bool]},
			},
		},
		{
			Name: "memory_resolve", Description: "Settle a conflict: the winner supersedes the losers.", Writes: true, Destructive: true, Call: callResolve,
			Params: verb.Table{
				{Name: "winner_hash", Is: verb.Required, To: verb.New[string]},
				{Name: "loser_hash", Also: "loser_hashes", Field: "Supersedes", Is: verb.Required, To: verb.New[[]string]},
			},
		},
		{
			Name: "memory_consolidate", Description: "action merge: store merged_content in place of the memories of content_hashes; run: link near-duplicates, summarise, archive; recommend: say what run would do.", Destructive: true, Call: callConsolidate,
			Params: verb.Table{
				{Name: "action", Values: []string{"merge", "run", "status", "recommend", "scheduler", "pause", "resume"}, Is: verb.Required, To: verb.New[string]},
				horizonParam(),
				{Name: "immediate", To: verb.New[bool]},
				{Name: "content_hashes", To: verb.New[[]string]},
				{Name: "merged_content", Field: "content", To: verb.New[string]},
				d.TagsArg(), d.TypeArg(),
			},
		},
	}
}

func callDelete(ctx context.Context, c *d.Call) (d.Result, error) {
	ms, err := deletion(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return forget(ctx, c, ms, c.Flag("dry_run"))
}

// deletion returns the memories that the arguments of a deletion mean.
func deletion(ctx context.Context, c *d.Call) ([]*hippo.Memory, error) {
	if err := d.NotBlank(c, "store"); err != nil {
		return nil, err
	}
	if ref := c.Text("content_hash"); ref != "" {
		for _, name := range []string{"tags", "memory_type", "after", "before"} {
			if c.Has(name) {
				return nil, hippo.Fieldf(name, "and content_hash exclude each other")
			}
		}
		return findInStore(ctx, c, ref)
	}
	s, err := selectionOf(ctx, c)
	if err != nil {
		return nil, err
	}
	return s.Deletion(ctx, c)
}

// findInStore returns the memories with a hash that are in the store that the arguments name; wherever they are, if they name none.
func findInStore(ctx context.Context, c *d.Call, ref string) ([]*hippo.Memory, error) {
	within, err := storeOf(c, "store").Filter(ctx, c.Memories)
	if err != nil {
		return nil, err
	}
	ms, err := d.Find(ctx, c, "content_hash", ref)
	if err != nil || within == nil || slices.Contains(within, hippo.AllProjects) {
		return ms, err
	}
	ms = slices.DeleteFunc(ms, func(m *hippo.Memory) bool { return !slices.Contains(within, m.Project) })
	if len(ms) == 0 {
		return nil, fmt.Errorf("%w: no memory with hash %.64q in store %.60q", hippo.ErrNotFound, ref, c.Text("store"))
	}
	return ms, nil
}

// deleted is the result of a deletion for programs.
type deleted struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Count   int    `json:"deleted_count"`
}

// forget forgets memories, or says which it would forget.
func forget(ctx context.Context, c *d.Call, ms []*hippo.Memory, dryRun bool) (d.Result, error) {
	if dryRun {
		text := fmt.Sprintf("Would delete %d memories", len(ms))
		if len(ms) > 0 {
			text += "\nHashes: " + strings.Join(hashes(ms[:min(len(ms), shownHashes)]), ", ")
		}
		if len(ms) > shownHashes {
			text += "..."
		}
		return d.Result{Text: text, Count: len(ms)}, nil
	}
	done := 0
	for batch := range slices.Chunk(ms, hippo.MaxIDs) {
		ids := make([]hippo.ID, len(batch))
		for i, m := range batch {
			ids[i] = m.ID
		}
		if _, err := memory.Forget(ctx, c.Memories, ids); err != nil {
			return d.Result{}, fmt.Errorf("%d of %d were deleted: %w", done, len(ms), err)
		}
		done += len(batch)
	}
	out := deleted{Success: done > 0, Message: "Nothing fits", Count: done}
	if done > 0 {
		out.Message = "Forgotten; hippo_forget with restore undoes it"
	}
	return d.Result{Text: fmt.Sprintf("%s\n\nDeleted %d memories", out.Message, done), Data: out, Count: done}, nil
}

func hashes(ms []*hippo.Memory) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = d.HashOf(m)
	}
	return out
}

func callCleanup(ctx context.Context, c *d.Call) (d.Result, error) {
	s := d.Selection{}
	ms, err := s.Every(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	type key struct {
		hippo.Hash
		project string
	}
	seen := make(map[key]bool)
	var repeated []*hippo.Memory
	for _, m := range slices.Backward(ms) { // the oldest first
		k := key{m.ContentHash, m.Project}
		if seen[k] {
			repeated = append(repeated, m)
		}
		seen[k] = true
	}
	if len(repeated) == 0 {
		return d.Result{Text: "No duplicate memories found"}, nil
	}
	return forget(ctx, c, repeated, false)
}

func callUpdate(ctx context.Context, c *d.Call) (d.Result, error) {
	u := c.Inner("updates")
	if c.Has("preserve_timestamps") && !c.Flag("preserve_timestamps") {
		return d.Result{}, d.Missing("preserve_timestamps false: the time of creation never changes; leave the argument out")
	}
	change := api.Change{Vote: api.VoteNone}
	if tags := normalTags(u.Texts("tags")); len(tags) > 0 { // a blank value erases nothing
		change.Tags = &tags
	}
	if kind := u.Text("memory_type"); strings.TrimSpace(kind) != "" {
		change.Type = &kind
	}
	if content := u.Text("content"); strings.TrimSpace(content) != "" {
		change.Content = &content
	}
	change.SetMetadata(u.Object("metadata"))
	if change.Tags == nil && change.Type == nil && change.Content == nil && change.Metadata == nil {
		return d.Result{}, hippo.Fieldf("updates", "must have tags, memory_type, metadata or content that is not blank; hippo_modify_insight with clear empties tags, type and keys of the metadata")
	}
	if reason := u.Text("reason"); reason != "" {
		change.SetMetadata(withText(u.Object("metadata"), "evolution_reason", reason))
	}
	m, err := findOne(ctx, c, "content_hash")
	if err != nil {
		return d.Result{}, err
	}
	if c.Flag("versioned") {
		m, err = newVersion(ctx, c, m, &change)
	} else {
		m, err = memory.Modify(ctx, c.Memories, m.ID, change)
	}
	if err != nil {
		return d.Result{}, err
	}
	text := fmt.Sprintf("Memory updated successfully (hash: %s)", d.HashOf(m))
	return d.Result{Text: text, Data: storeOutcome{true, "Memory updated successfully", d.HashOf(m)}, Count: 1}, nil
}

// newVersion records a changed copy of a memory that supersedes it.
func newVersion(ctx context.Context, c *d.Call, old *hippo.Memory, change *api.Change) (*hippo.Memory, error) {
	if change.Content == nil || hippo.HashContent(*change.Content) == old.ContentHash {
		return nil, hippo.Fieldf("updates.content", "must be another text if versioned is true")
	}
	m := &hippo.Memory{
		Content: *change.Content, Situation: old.Situation, Tags: old.Tags, Type: old.Type, Pinned: old.Pinned, Project: old.Project, Namespace: old.Namespace,
		Source: hippo.Source{Kind: hippo.SourceAgent}, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: old.Importance.Base}, Metadata: old.Clone().Metadata,
	}
	if change.Tags != nil {
		m.Tags = *change.Tags
	}
	if change.Type != nil {
		m.Type = *change.Type
	}
	if change.Metadata != nil {
		if m.Metadata == nil {
			m.Metadata = make(map[string]json.RawMessage)
		}
		maps.Copy(m.Metadata, *change.Metadata)
	}
	return memory.Record(ctx, c.Memories, m, old.ID)
}

func callResolve(ctx context.Context, c *d.Call) (d.Result, error) {
	winner, err := findOne(ctx, c, "winner_hash")
	if err != nil {
		return d.Result{}, err
	}
	losers, err := idsOf(ctx, c, "loser_hash")
	if err != nil {
		return d.Result{}, err
	}
	if _, err = memory.Modify(ctx, c.Memories, winner.ID, api.Change{Supersedes: &losers, Vote: api.VoteNone}); err != nil {
		return d.Result{}, err
	}
	return d.Result{Text: fmt.Sprintf("Conflict resolved: %s supersedes %d memories", d.HashOf(winner), len(losers)), Count: 1 + len(losers)}, nil
}

// idsOf returns the memories that a list of hashes names, each once.
func idsOf(ctx context.Context, c *d.Call, field string) ([]hippo.ID, error) {
	refs := c.Texts(field)
	if len(refs) == 0 || len(refs) > hippo.MaxIDs {
		return nil, hippo.Fieldf(field, "must have 1 to %d elements, got %d", hippo.MaxIDs, len(refs))
	}
	var out []hippo.ID
	for i, ref := range refs {
		ms, err := d.Find(ctx, c, fmt.Sprintf("%s[%d]", field, i), ref)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if !slices.Contains(out, m.ID) {
				out = append(out, m.ID)
			}
		}
	}
	return out, nil
}

// callRun consolidates, or says what a consolidation would do.
func callRun(ctx context.Context, c *d.Call, dryRun bool) (d.Result, error) {
	h := cmp.Or(api.Horizon(c.Text("time_horizon")), api.Weekly)
	done, err := upkeep.Consolidate(ctx, c.Memories, upkeep.ConsolidateOptions{Horizon: h, DryRun: dryRun})
	if err != nil {
		return d.Result{}, err
	}
	out := wire.ConsolidationOf(done)
	return d.JSON(&out, done.Linked+done.Summarised+done.Archived)
}

func callConsolidate(ctx context.Context, c *d.Call) (d.Result, error) {
	switch action := c.Text("action"); action {
	case "merge":
	case "run", "recommend":
		return callRun(ctx, c, action == "recommend")
	default:
		return d.Result{}, d.Missing("action " + action + ": the server that holds the store decides about a schedule; action run consolidates now, recommend says what it would do, hippo log lists what was done")
	}
	if err := c.Require("action merge", "merged_content"); err != nil {
		return d.Result{}, err
	}
	old, err := idsOf(ctx, c, "content_hashes")
	if err != nil {
		return d.Result{}, err
	}
	m := &hippo.Memory{
		Content: c.Text("merged_content"), Tags: normalTags(c.Texts("tags")), Type: c.Text("memory_type"), Project: c.Scope.Project, Namespace: c.Scope.Namespace,
		Source: hippo.Source{Kind: hippo.SourceAgent}, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: hippo.DefaultImportance},
	}
	if m, err = memory.Record(ctx, c.Memories, m, old...); err != nil {
		return d.Result{}, err
	}
	return d.Result{Text: fmt.Sprintf("Merged %d memories (hash: %s)", len(old), d.HashOf(m)), Count: 1 + len(old)}, nil
}
