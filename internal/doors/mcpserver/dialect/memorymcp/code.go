package memorymcp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/verb"
)

// coding returns the tools about source code.
func coding() []d.Tool {
	tools := slices.Concat(indexing(), findingCode(), graphing())
	for i := range tools {
		tools[i].Code = true
	}
	return tools
}

// aProject is the word for a source tree in errors.
const aProject = "Project"

func projectParam() verb.Arg {
	return verb.Arg{Name: "project_id", About: "default: the current one", To: verb.New[string]}
}

// idDigits is how many digits of the hash of its path the ID of a project has.
const idDigits = 8

// projectID returns the ID of a source tree: the name of its folder, and the beginning of a hash of its path, so that two trees of one
// name have two IDs.
func projectID(t *code.Tree) string {
	sum := sha256.Sum256([]byte(t.Root()))
	return filepath.Base(t.Root()) + "-" + hex.EncodeToString(sum[:])[:idDigits]
}

// library returns the indexes. The error is [hippo.ErrUnsupported] where there are none to ask about.
func library(c *d.Call) (code.Library, error) {
	if c.Code == nil {
		return code.Library{}, fmt.Errorf("%w: this server answers no questions about code", hippo.ErrUnsupported)
	}
	return c.Code.Library()
}

// treeOf returns the source tree that the argument project_id means, by its ID, the name of its folder if that is enough, or a path in
// it; without the argument that of the current project. What lies outside of the scope is a [*missingError] as well.
func treeOf(c *d.Call) (*code.Tree, error) {
	l, err := library(c)
	if err != nil {
		return nil, err
	}
	id := c.Text("project_id")
	if id == "" {
		t, err := choose(c, l, c.Code.Dir(), "")
		if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
			return nil, hippo.Fieldf("project_id", "%s", bad.Why)
		}
		return t, err
	}
	t, err := treeNamed(c, l, id)
	if t != nil || err != nil {
		return t, err
	}
	if t, err = choose(c, l, "", id); err != nil {
		return nil, &missingError{aProject, id}
	}
	return t, nil
}

// choose returns the only tree that a path in it, or else the folder of the caller, means.
func choose(c *d.Call, l code.Library, dir, root string) (*code.Tree, error) {
	trees, err := l.Among(&c.Scope, dir, root)
	if err != nil {
		return nil, err
	}
	return trees.Only()
}

// treeNamed returns the visible tree with an ID; nil if there is none.
func treeNamed(c *d.Call, l code.Library, id string) (*code.Tree, error) {
	trees, err := l.Visible(&c.Scope)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(trees, func(t *code.Tree) bool { return projectID(t) == id }); i >= 0 {
		return trees[i], nil
	}
	return nil, nil
}

// asked is [treeOf] for a question: the index is kept up to date from now on.
func asked(c *d.Call) (*code.Tree, error) {
	t, err := treeOf(c)
	if err == nil {
		c.Code.Follow(t)
	}
	return t, err
}

// stale marks what has changed or is gone since it was indexed.
const stale = "stale"

// freshnessOf returns the mark of an answer; empty: it is as it was indexed.
func freshnessOf(f api.Freshness) string {
	if f == api.CodeFresh {
		return ""
	}
	return stale
}
