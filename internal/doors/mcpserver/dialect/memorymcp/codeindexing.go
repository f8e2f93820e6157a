package memorymcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/code/project"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/verb"
)

// The actions of project_info. Those from actionProjection on are of a fork.
const (
	actionList       = "list"
	actionStatus     = "status"
	actionStats      = "stats"
	actionIndex      = "index"
	actionCancel     = "cancel_index"
	actionCleanup    = "cleanup_abandoned_index_jobs"
	actionProjection = "projection"
	actionLocator    = "projection_by_locator"
	actionBind       = "bind"
	actionUnbind     = "unbind"
	actionBinding    = "binding_status"
)

// indexing returns the tools about the indexes of source trees.
func indexing() []d.Tool {
	index := verb.Table{
		{Name: "path", About: "a folder of the current project, or of an indexed tree", To: verb.New[string]},
		{Name: "force", About: "parse all files again", To: verb.New[bool]},
		{Name: "watch", Is: verb.Unlisted, To: verb.New[bool]},
		{Name: "confirm_failed_restart", Is: verb.Unlisted, To: verb.New[bool]},
		{Name: "include_patterns", Is: verb.Unlisted, To: verb.New[[]string]},
		{Name: "exclude_patterns", Is: verb.Unlisted, To: verb.New[[]string]},
	}
	hidden := make(verb.Table, len(index))
	for i := range index {
		hidden[i] = index[i]
		hidden[i].Is |= verb.Unlisted
	}
	required := append(verb.Table{}, index...)
	required[0].Is |= verb.Required
	needed := projectParam()
	needed.Is, needed.About = verb.Required, ""
	actions := []string{actionList, actionStatus, actionStats, actionIndex, actionCancel, actionCleanup, actionProjection, actionLocator, actionBind, actionUnbind, actionBinding}
	return []d.Tool{
		{Name: "index_project", Description: "Index a source tree, or bring its index up to date.", Writes: true, Call: callIndex, Params: required},
		{
			Name: "project_info", Description: "Indexed source trees: list, status (how far), stats (what is in it).", Call: callProject,
			Params: verb.With(verb.Table{{Name: "action", Values: actions, Is: verb.Required, To: verb.New[string]}, projectParam()}, hidden...),
		},
		{Name: "delete_project", Description: "Delete the index of a source tree; its files stay.", Destructive: true, Writes: true, Call: callDeleteProject, Params: verb.Table{needed}},
		{Name: "list_projects", Description: "The indexed source trees.", ReadOnly: true, Unlisted: true, Call: callProjects},
		{Name: "get_index_status", Description: "How far the index of a source tree is.", ReadOnly: true, Unlisted: true, Call: callIndexStatus, Params: verb.Table{projectParam()}},
		{Name: "get_project_stats", Description: "What the index of a source tree holds.", ReadOnly: true, Unlisted: true, Call: callStats, Params: verb.Table{projectParam()}},
	}
}

func callProject(ctx context.Context, c *d.Call) (d.Result, error) {
	switch action := c.Text("action"); action {
	case actionList:
		return callProjects(ctx, c)
	case actionStatus:
		return callIndexStatus(ctx, c)
	case actionStats:
		return callStats(ctx, c)
	case actionIndex:
		return callIndex(ctx, c)
	case actionCancel:
		return callCancel(ctx, c)
	case actionCleanup:
		return d.JSON(struct {
			Cleaned int    `json:"cleaned"`
			Message string `json:"message"`
		}{0, "An update that was cut off leaves the former index: there is nothing to clean."}, 0)
	default:
		return d.Result{}, d.Missing("project_info " + action + ": project_info list and stats say what is indexed, and namespace of the tools about memories is their project")
	}
}

// indexWait is how long index_project waits for the end of an update, and delete_project for one that it stops. Most trees take less;
// clients give up after a minute.
const indexWait = 5 * time.Second

// maxPath bounds a path, in bytes: no system has longer ones.
const maxPath = 4096

// indexed is the result of index_project. The counts are those of the whole index.
type indexed struct {
	ID      string `json:"project_id"`
	Status  string `json:"status"`
	Files   int    `json:"files_indexed"`
	Chunks  int    `json:"chunks_created"`
	Symbols int    `json:"symbols"`
	Parsed  int    `json:"files_parsed"`
	Message string `json:"message"`
}

func callIndex(ctx context.Context, c *d.Call) (d.Result, error) {
	for _, name := range []string{"include_patterns", "exclude_patterns"} {
		if len(c.Texts(name)) > 0 {
			return d.Result{}, d.Missing(name + ": a file .hippoignore in the tree says what is left out and what is taken back")
		}
	}
	if !c.Scope.Allows(hippo.RightWrite) {
		return d.Result{}, fmt.Errorf("%w: the caller has no right to index", hippo.ErrForbidden)
	}
	t, err := indexable(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, indexWait)
	defer cancel()
	out := indexed{ID: projectID(t), Status: stateIndexing}
	r, err := c.Code.Update(waiting, t, c.Flag("force"))
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		out.Message = "The index is being made: project_info with action status says how far it is. Until it is whole, answers are of the former state."
		return d.JSON(out, 0)
	case err != nil:
		return d.Result{}, err
	}
	out.Status, out.Files, out.Chunks, out.Symbols, out.Parsed = stateCompleted, r.Files, r.Chunks, r.Symbols, r.Parsed
	out.Message = fmt.Sprintf("%d files were parsed, %d are as before, %d are gone. Changes are followed from now on.", r.Parsed, r.Unchanged, r.Removed)
	return d.JSON(out, r.Parsed)
}

// indexable returns the tree that the argument path lies in: one that the user has indexed, else that of the path itself if it lies in the
// project that the caller works on. Links are followed before that is decided. Any other path is [hippo.ErrForbidden], whether there is
// something or not.
func indexable(ctx context.Context, c *d.Call) (*code.Tree, error) {
	l, err := library(c)
	if err != nil {
		return nil, err
	}
	given := c.Text("path")
	full := given
	switch {
	case strings.TrimSpace(given) == "" || len(given) > maxPath:
		return nil, hippo.Fieldf("path", "is required: a folder, of at most %d bytes", maxPath)
	case !filepath.IsAbs(given) && c.Code.Dir() == "":
		return nil, hippo.Fieldf("path", "must be absolute, got %.200q", given)
	case !filepath.IsAbs(given):
		full = filepath.Join(c.Code.Dir(), given)
	}
	real, missing := code.Resolve(full)
	at := real
	if missing != nil {
		at = filepath.Clean(full)
	}
	t, notIndexed := choose(c, l, "", at)
	own := c.Code.Project()
	switch {
	case notIndexed != nil && (own == "" || !lies(own, at)):
		return nil, &pathError{"Invalid path: " + given + ": it is in no tree that the user has indexed, and not in the current project; the user can run hippo code index PATH", hippo.ErrForbidden}
	case errors.Is(missing, hippo.ErrNotFound):
		return nil, &pathError{"Path does not exist: " + given, hippo.ErrNotFound}
	case missing != nil:
		return nil, &pathError{"Invalid path: " + given + ": it is not a folder", hippo.ErrInvalid}
	case notIndexed == nil:
		return t, nil
	case !c.Scope.Contains("", project.Identify(ctx, real).Name):
		return nil, &pathError{"Invalid path: " + given + ": it is of a project that the caller does not see", hippo.ErrForbidden}
	}
	return l.Add(ctx, real)
}

// pathError says why a path cannot be indexed, in the words that this system documents. It is the error is.
type pathError struct {
	text string
	is   error
}

func (e *pathError) Error() string { return e.text }

func (e *pathError) Unwrap() error { return e.is }

// lies reports whether a path is a folder or lies below it.
func lies(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

func callCancel(ctx context.Context, c *d.Call) (d.Result, error) {
	t, err := treeOf(c)
	if err != nil {
		return d.Result{}, err
	}
	if !c.Scope.Allows(hippo.RightWrite) {
		return d.Result{}, fmt.Errorf("%w: the caller has no right to stop an index", hippo.ErrForbidden)
	}
	running := t.Status(ctx).Progress != nil
	c.Code.Stop(t)
	return d.JSON(struct {
		ID        string `json:"project_id"`
		Cancelled bool   `json:"cancelled"`
	}{projectID(t), running}, 0)
}

// callDeleteProject deletes an index. Only an administrator may do that: the right to write memories does not include taking away what the
// user has indexed.
func callDeleteProject(ctx context.Context, c *d.Call) (d.Result, error) {
	t, err := treeOf(c)
	if err != nil {
		return d.Result{}, err
	}
	if !c.Scope.Allows(hippo.RightAdmin) {
		return d.Result{}, fmt.Errorf("%w: the caller has no right to delete an index", hippo.ErrForbidden)
	}
	l, err := c.Code.Library()
	if err != nil {
		return d.Result{}, err
	}
	chunks := t.Status(ctx).Chunks
	c.Code.Stop(t)
	waiting, cancel := context.WithTimeout(ctx, indexWait)
	defer cancel()
	_, err = l.Forget(waiting, t.Root())
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return d.Result{}, fmt.Errorf("%w: the index is being updated by another process; try again", hippo.ErrConflict)
	}
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(struct {
		Deleted int    `json:"deleted_chunks"`
		Chunks  int    `json:"chunks_deleted"`
		ID      string `json:"project_id"`
	}{chunks, chunks, projectID(t)}, 1)
}
