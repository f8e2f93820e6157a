package pgstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Server is what a database says of itself, its tables and the role that is connected.
type Server struct {
	Database string `json:"database"`
	Version  string `json:"version"`
	Encoding string `json:"encoding"`
	Role     string `json:"role"`
	// Schema is the version of the tables, 0 without any, and Known that of this program.
	Schema int `json:"schema"`
	Known  int `json:"known"`
	// Replica: the server follows another one. ReadOnly: it refuses writes, as a replica does and as a setting asks for.
	Replica  bool `json:"replica,omitempty"`
	ReadOnly bool `json:"read_only,omitempty"`
	// MayMigrate: the role may change the tables.
	MayMigrate bool `json:"may_migrate"`
	// Lacking are the rights on the tables that the role lacks, such as "INSERT on hippo.memory".
	Lacking []string `json:"lacking,omitempty"`
}

const selectServer = `SELECT current_setting('server_version'), current_setting('server_encoding'), current_user::text,
	pg_is_in_recovery(), pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on', has_database_privilege(current_database(), 'CREATE'),
	EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'hippo'),
	coalesce((SELECT has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = 'hippo'), false),
	coalesce((SELECT pg_has_role(nspowner, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = 'hippo'), false)`

const selectRights = `SELECT p || ' on hippo.' || c.relname, has_table_privilege(c.oid, p), pg_has_role(c.relowner, 'USAGE')
	FROM pg_catalog.pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY AS t (p, n)
	WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'hippo') AND c.relkind IN ('r', 'p') AND c.relname <> 'schema'
	ORDER BY c.relname, n`

// Inspect returns what a database says of itself. It needs no right on the tables.
func Inspect(ctx context.Context, d *DB) (s Server, err error) {
	s.Database, s.Known = d.String(), len(migrations())
	var mayCreate, there, mayUse, owner bool
	err = d.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, func(row pgx.CollectableRow) (struct{}, error) {
			return struct{}{}, row.Scan(&s.Version, &s.Encoding, &s.Role, &s.Replica, &s.ReadOnly, &mayCreate, &there, &mayUse, &owner)
		}, selectServer)
		return err
	})
	if err != nil {
		return s, err
	}
	s.MayMigrate = !there && mayCreate || owner
	if there && !mayUse {
		s.Lacking = []string{"USAGE on schema hippo"}
		return s, nil
	}
	if err := s.addRights(ctx, d); err != nil {
		return s, err
	}
	s.Schema, _, err = SchemaVersion(ctx, d)
	return s, err
}

// addRights adds what the role may do with the tables.
func (s *Server) addRights(ctx context.Context, d *DB) error {
	return d.view(ctx, func(q querier) error {
		s.Lacking = nil
		owns := true
		_, err := collect(ctx, q, func(row pgx.CollectableRow) (struct{}, error) {
			var what string
			var may, own bool
			err := row.Scan(&what, &may, &own)
			if !may {
				s.Lacking = append(s.Lacking, what)
			}
			owns = owns && own
			return struct{}{}, err
		}, selectRights)
		s.MayMigrate = s.MayMigrate && owns
		return err
	})
}

// Problems returns what keeps programs from using the database, each with what mends it.
func (s *Server) Problems(d *DB) (out []string) {
	switch {
	case len(s.Lacking) > 0 && strings.HasPrefix(s.Lacking[0], "USAGE"): // then the version is not known
	case s.Schema == 0:
		out = append(out, "there are no tables: hippo db migrate creates them")
	case s.Schema < s.Known:
		out = append(out, fmt.Sprintf("the tables have version %d, this program needs %d: hippo db plan shows what a migration would do, hippo db migrate does it", s.Schema, s.Known))
	case s.Schema > s.Known:
		out = append(out, fmt.Sprintf("the tables have version %d, this program knows %d: use a newer hippo", s.Schema, s.Known))
	}
	if n := len(s.Lacking); n > 0 {
		out = append(out, fmt.Sprintf("the role %s lacks %s%s", s.Role, strings.Join(s.Lacking, ", "), d.hint("42501")))
	}
	return out
}
