package project_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
)

const (
	root, rest = "0123abcd", "ef01"
	local      = "local#" + root + rest
	web        = "github.com/acme/web#" + root
)

// Either half of a name identifies a project, and former names do; a fork is another one.
func TestResolve(t *testing.T) {
	t.Parallel()
	me := func(name string, former ...string) project.Identity {
		return project.Identity{Name: name, Former: former}
	}
	list := func(names ...string) []string { return names }
	for what, c := range map[string]struct {
		me     project.Identity
		known  []string
		groups [][]string
		want   []string
	}{
		"nothing known":         {me(web), nil, nil, list(web)},
		"a remote was added":    {me(web, local), list(local, "x"), nil, list(web, local)},
		"added elsewhere":       {me(web), list(local), nil, list(web, local)},
		"renamed":               {me("github.com/new/web#"+root, web), list(web), nil, list("github.com/new/web#"+root, web)},
		"renamed elsewhere":     {me(web), nil, [][]string{{"github.com/new/web#" + root, web}}, list("github.com/new/web#"+root, web)},
		"in other letters":      {me(web), list("github.com/Acme/Web#" + root), nil, list("github.com/Acme/Web#"+root, web)},
		"an alias of the host":  {me("work/acme/web#" + root), list(web), nil, list(web, "work/acme/web#"+root)},
		"at another host":       {me("gitlab.com/acme/web#" + root), list(web), nil, list(web, "gitlab.com/acme/web#"+root)},
		"another first commit":  {me("github.com/acme/web#99999999"), list(web), nil, list(web, "github.com/acme/web#99999999")},
		"shallow":               {me("github.com/acme/web"), list(web), nil, list(web, "github.com/acme/web")},
		"whole after shallow":   {me(web), list("github.com/acme/web"), nil, list(web, "github.com/acme/web")},
		"the remote is removed": {me(local), list(web), nil, list(web, local)},
		"a fork":                {me("github.com/me/web#" + root), list(web), nil, list("github.com/me/web#" + root)},
		"of the same template":  {me("github.com/acme/shop#" + root), list(web), nil, list("github.com/acme/shop#" + root)},
		"a fork of what was local": {
			me("github.com/me/web#" + root), list(local, web), [][]string{{web, local}}, list("github.com/me/web#" + root),
		},
		"either of two forks":   {me(local), list(web, "github.com/me/web#"+root), nil, list(local)},
		"local, and a fork":     {me(web), list(local, "github.com/me/web#"+root), nil, list(web)},
		"clones of two servers": {me("/srv/a.git#" + root), list("/srv/b.git#" + root), nil, list("/srv/a.git#" + root)},
		"a clone by its path":   {me(web), list("/srv/a.git#" + root), nil, list(web, "/srv/a.git#"+root)},
		"a given name":          {me(web), nil, [][]string{{"shop", web}}, list("shop", web)},
		"renamed with a name":   {me("github.com/new/web#"+root, web), nil, [][]string{{"shop", web}}, list("shop", "github.com/new/web#"+root, web)},
		"a first commit":        {me(local, "folder#0123456789ab"), list("folder#0123456789ab"), nil, list(local, "folder#0123456789ab")},
		"no repository":         {me(""), list(web), nil, list("")},
		"unassigned":            {me(hippo.Unassigned), list(web), nil, list(hippo.Unassigned)},
		"a name of a person":    {me("web"), list(web), nil, list("web")},
	} {
		got := project.Resolve(c.me, c.known, c.groups)
		if got[0] != c.want[0] || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%s: got %q, want %q", what, got, c.want)
		}
	}
}

// A folder's name means the repository at hand, or the one known project that is called so; what fits several, or none, is not guessed.
func TestNamed(t *testing.T) {
	t.Parallel()
	const shop, fork, web, local = "github.com/acme/shop#11111111", "gitlab.com/me/shop#22222222", "github.com/acme/web#33333333", "local#444444444444"
	here := project.Identity{Name: local, Folder: "Tools"}
	groups := [][]string{{shop}, {web, "site"}, {"attic"}, {"github.com/acme/webapp"}}
	for _, c := range []struct {
		name   string
		here   project.Identity
		groups [][]string
		want   []string
	}{
		{"tools", here, groups, []string{local}},
		{"shop", here, groups, []string{shop}},
		{"acme/shop", here, groups, []string{shop}},
		{"site", here, groups, groups[1]},
		{"shop", here, append(groups, []string{fork}), nil},
		{"shop", project.Identity{Name: fork, Folder: "x"}, append(groups, []string{fork}), []string{fork}},
		{"attic", here, groups, nil},
		{"app", here, groups, nil},
		{"github", here, groups, nil},
		{"", here, groups, nil},
		{"x", project.Identity{Name: hippo.Unassigned, Folder: "x"}, nil, nil},
		{"x", project.Identity{}, nil, nil},
	} {
		if got := project.Named(c.name, c.here, c.groups); !slices.Equal(got, c.want) {
			t.Errorf("%q in %+v: got %q, want %q", c.name, c.here, got, c.want)
		}
	}
}
