package config

import (
	"net/url"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
)

// postgres is the kind of a store in a database.
const postgres = "postgres"

// Database reports whether the store is in a Postgres database, where each namespace is a store of its own.
func (s Store) Database() bool { return s.Kind == postgres }

// Files reports whether the store is in files of this machine.
func (s Store) Files() bool { return s.Kind == "sqlite" || s.Kind == "dir" || s.Kind == "shared" }

// URL returns the URL of the store with its password.
func (s Store) URL() string {
	if !s.Database() || s.password == (secret.Value{}) {
		return s.String()
	}
	u, err := url.Parse(s.String())
	if err != nil {
		return s.String() // it was parsed before
	}
	u.User = url.UserPassword(u.User.Username(), s.password.Reveal())
	return u.String()
}

// parsePostgres reads the URL of a database. What is missing comes from the variables and files of libpq.
func parsePostgres(text string) (Store, error) {
	const want = "must be like postgres://USER@HOST:PORT/DATABASE"
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return Store{}, hippo.Fieldf("store", want+", got %q", secret.RedactURL(text))
	case u.Opaque != "" || !strings.Contains(text, "://"):
		return Store{}, hippo.Fieldf("store", want+", got %q", secret.RedactURL(text))
	case u.Fragment != "":
		return Store{}, hippo.Fieldf("store", "must have no fragment; write # in a password as %%23")
	case u.Query().Has("password") || u.Query().Has("sslpassword"):
		return Store{}, hippo.Fieldf("store", "must not hold a password in its query: use the file .pgpass, PGPASSWORD, or USER:PASSWORD@HOST in HIPPO_STORE")
	}
	s := Store{Kind: postgres}
	if password, ok := u.User.Password(); ok {
		s.password, u.User = secret.New(password), url.User(u.User.Username())
	}
	s.Path = "//" + strings.TrimPrefix(strings.TrimPrefix(u.String(), u.Scheme+":"), "//")
	return s, nil
}
