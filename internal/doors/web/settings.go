package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Tokens are the tokens of a server.
type Tokens interface {
	// List returns all tokens.
	List(ctx context.Context) ([]Token, error)
	// Create creates a token and returns its secret, which is shown once. A name that is in use in its namespace is
	// [hippo.ErrConflict].
	Create(ctx context.Context, t Token) (secret string, err error)
	// Revoke ends a token of a namespace; an unknown one is [hippo.ErrNotFound].
	Revoke(ctx context.Context, namespace, name string) error
}

// Token is what is known about a token.
type Token struct {
	Name  string
	Scope hippo.Scope
	// Created and Expires are zero if unknown, or if it does not expire.
	Created, Expires time.Time
}

// settingsBody is what the caller may do, the colours, and the tokens.
type settingsBody struct {
	Facts  []fact
	Themes []choice
	// Managed: tokens can be managed here.
	Managed bool
	Tokens  []tokenView
	Levels  []choice
	// NewName and Secret are those of a token that was just created.
	NewName, Secret string
}

type tokenView struct {
	Name, Rights, Projects string
	Created, Expires       moment
	Expired, Own           bool
}

// end says when a token expires.
func (t *tokenView) end() string {
	if t.Expired {
		return t.Expires.Text + " (expired)"
	}
	return cmp.Or(t.Expires.Text, "never")
}

func showSettings(v *visit) (page, error) { return settingsPage(v, "", "") }

func settingsPage(v *visit, name, secret string) (page, error) {
	s := &v.caller.Scope
	b := settingsBody{
		Facts: []fact{
			{"Signed in as", cmp.Or(v.caller.Name, "the owner of the store")},
			{"Rights", strings.Join(rightNames(s.Rights), ", ")},
			{"Namespace", s.Namespace},
			{"Projects", cmp.Or(strings.Join(s.Projects, ", "), "all")},
		},
		NewName: name, Secret: secret, Managed: v.options.Tokens != nil && s.Allows(hippo.RightAdmin),
		Levels: []choice{{"read", "Read: search and look", true}, {"write", "Write: read, and change memories", false}, {"admin", "Admin: everything", false}, {"sync", "Sync: keep what machines sync by, encrypted", false}},
	}
	b.Facts = known(b.Facts)
	theme := themeOf(v.r)
	for _, t := range []choice{{"", "As the system", false}, {"light", "Light", false}, {"dark", "Dark", false}} {
		t.Chosen = t.Value == theme
		b.Themes = append(b.Themes, t)
	}
	if b.Managed {
		list, err := visibleTokens(v)
		if err != nil {
			return page{}, err
		}
		for _, t := range list {
			projects := "all"
			if t.Scope.Projects != nil {
				projects = strings.Join(t.Scope.Projects, ", ")
			}
			b.Tokens = append(b.Tokens, tokenView{
				t.Name, strings.Join(rightNames(t.Scope.Rights), ", "), projects, v.moment(t.Created), v.moment(t.Expires),
				!t.Expires.IsZero() && !v.now.Before(t.Expires), t.Name == v.caller.Name,
			})
		}
	}
	return page{Title: "Settings", Content: settingsContent(formsOf(v), b)}, nil
}

// visibleTokens returns the tokens that give no more than the caller has.
func visibleTokens(v *visit) ([]Token, error) {
	list, err := v.options.Tokens.List(v.r.Context())
	return slices.DeleteFunc(list, func(t Token) bool { return !includes(&v.caller.Scope, &t.Scope) }), err
}

// includes reports whether everything that scope b allows is allowed by a.
func includes(a, b *hippo.Scope) bool {
	if a.Namespace != b.Namespace || !a.Allows(b.Rights) {
		return false
	}
	if a.Projects == nil {
		return true
	}
	return b.Projects != nil && !slices.ContainsFunc(b.Projects, func(p string) bool { return !slices.Contains(a.Projects, p) })
}

func rightNames(r hippo.Rights) []string {
	var out []string
	for _, x := range []struct {
		right hippo.Rights
		name  string
	}{{hippo.RightRead, "read"}, {hippo.RightWrite, "write"}, {hippo.RightPurge, "delete for good"}, {hippo.RightAdmin, "administer"}, {hippo.RightMetrics, "read metrics"}, {hippo.RightSync, "sync"}} {
		if r&x.right != 0 {
			out = append(out, x.name)
		}
	}
	return out
}

// maxTokenDays is the longest time until a token expires.
const maxTokenDays = 3650

// createToken creates a token and shows its secret once. It gives no more than the caller has.
func createToken(v *visit) error {
	if v.options.Tokens == nil {
		return hippo.ErrNotFound
	}
	f, err := fields(v.r.PostForm, verb.Table{
		{Name: "name", Is: verb.Required, To: verb.New[string]},
		{Name: "projects", To: verb.New[string]},
		{Name: "rights", Values: []string{"read", "write", "admin", "sync"}, Is: verb.Required, To: verb.New[string]},
		{Name: "days", Rules: verb.Between(1, maxTokenDays), To: verb.New[int]},
	})
	if err != nil {
		return v.refused(err)
	}
	const ofAll = hippo.RightMetrics | hippo.RightSync // which tokens for some projects lack
	rights := map[string]hippo.Rights{
		"read": hippo.RightRead, "write": hippo.RightRead | hippo.RightWrite, "admin": hippo.AllRights&^ofAll | v.caller.Scope.Rights&ofAll, "sync": hippo.RightSync,
	}[f.Text("rights")]
	t := Token{Name: f.Text("name"), Created: v.now, Scope: hippo.Scope{Namespace: v.caller.Scope.Namespace, Rights: rights, Projects: splitList(f.Text("projects"))}}
	if t.Scope.Projects == nil {
		t.Scope.Projects = v.caller.Scope.Projects
	}
	if f.Has("days") {
		t.Expires = v.now.AddDate(0, 0, f.Int("days", 0))
	}
	if !includes(&v.caller.Scope, &t.Scope) {
		return hippo.ErrForbidden
	}
	secret, err := v.options.Tokens.Create(v.r.Context(), t)
	if err != nil {
		return v.refused(err)
	}
	p, err := settingsPage(v, t.Name, secret)
	if err == nil {
		v.render(v, http.StatusOK, p)
	}
	return err
}

// revokeToken ends a token that the caller may see.
func revokeToken(v *visit) error {
	if v.options.Tokens == nil {
		return hippo.ErrNotFound
	}
	list, err := visibleTokens(v)
	if err != nil {
		return err
	}
	name := v.r.PostForm.Get("name")
	if !slices.ContainsFunc(list, func(t Token) bool { return t.Name == name }) {
		return hippo.ErrNotFound
	}
	if err := v.options.Tokens.Revoke(v.r.Context(), v.caller.Scope.Namespace, name); err != nil {
		return err
	}
	if v.session != nil {
		v.session.say(toast{Text: "Revoked: this token is no longer accepted."})
	}
	return v.back()
}

// setTheme remembers the colours in a cookie.
func setTheme(v *visit) error {
	f, err := fields(v.r.PostForm, verb.Table{{Name: "theme", Values: []string{"light", "dark"}, To: verb.New[string]}})
	if err != nil {
		return err
	}
	http.SetCookie(v.w, &http.Cookie{
		Name: themeCookie, Value: f.Text("theme"), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, Secure: v.r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
	return v.back()
}
