// Package database fills databases for measurements, and reads the processor time of this process and of a server.
package database

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// In returns the memories of a namespace, with all rights.
func In(e *engine.Engine, namespace string) *engine.Memories {
	return e.In(hippo.Scope{Namespace: namespace, Rights: hippo.AllRights})
}

// Copies copies the namespace PREFIX0 until there are count with the prefix.
func Copies(ctx context.Context, url, prefix string, count int) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close(ctx) //nolint:errcheck // it is not used again
	const insert = `SELECT format('INSERT INTO hippo.%I (%s) SELECT %s FROM hippo.%I JOIN generate_series(1, %s) AS n ON tenant = %L', table_name, string_agg(quote_ident(column_name), ', '),
		string_agg(CASE WHEN column_name IN ('tenant', 'namespace') THEN quote_literal($1::text) || ' || n' WHEN column_name = 'store' THEN 'store || n' ELSE quote_ident(column_name) END, ', '),
		table_name, $2::int - 1, $1 || '0') FROM information_schema.columns WHERE table_schema = 'hippo' AND table_name IN (SELECT table_name FROM information_schema.columns WHERE table_schema = 'hippo'
		AND column_name = 'tenant') AND table_name NOT IN ('lease', 'writer') AND table_name NOT LIKE '%snapshot%' GROUP BY table_name`
	rows, err := c.Query(ctx, insert, prefix, count)
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, s := range append(statements, "ANALYZE") {
		if err == nil {
			_, err = c.Exec(ctx, s)
		}
	}
	return err
}

// Processor returns the time of the processor that this process has used.
func Processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ProcessorOf returns the time that another process has used, to 10 ms; 0: the system does not say.
func ProcessorOf(pid int) time.Duration {
	fields, err := stat(pid)
	if err != nil {
		return 0
	}
	user, _ := strconv.Atoi(fields[ownUser]) // a number by proc(5)
	system, _ := strconv.Atoi(fields[ownSys])
	return time.Duration(user+system) * tick
}

// Server reads the processor time of a Postgres server on this machine. It needs /proc.
type Server struct{ postmaster int }

// ServerOf returns the server of a connection.
func ServerOf(ctx context.Context, c *pgx.Conn) (s Server, err error) {
	var backend int
	if err := c.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return s, err
	}
	fields, err := stat(backend)
	if err != nil {
		return s, err
	}
	s.postmaster, err = strconv.Atoi(fields[parent])
	return s, err
}

// Places in /proc/PID/stat after the name: proc(5).
const (
	parent       = 1
	ownUser      = 11 // in ticks
	ownSys       = 12
	childrenUser = 13 // of children that have ended
	childrenSys  = 14
)

const tick = 10 * time.Millisecond

// stat returns the fields of /proc/PID/stat after the name.
func stat(pid int) ([]string, error) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) <= childrenSys {
		return nil, errors.New("/proc/PID/stat is too short")
	}
	return fields, nil
}

// Processor returns the time that the processes of the server have used, those that have ended to 10 ms.
func (s Server) Processor() (time.Duration, error) {
	own, err := stat(s.postmaster)
	if err != nil {
		return 0, err
	}
	user, err := strconv.Atoi(own[childrenUser])
	system, sysErr := strconv.Atoi(own[childrenSys])
	sum := time.Duration(user+system) * tick
	all, listErr := filepath.Glob("/proc/[0-9]*/schedstat")
	if err := errors.Join(err, sysErr, listErr); err != nil {
		return 0, err
	}
	for _, path := range all {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path))) // a number by the pattern
		fields, err := stat(pid)
		if err != nil || pid != s.postmaster && fields[parent] != strconv.Itoa(s.postmaster) {
			continue // it has ended, or is another one
		}
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		ran, err := strconv.ParseInt(strings.Fields(string(b))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(ran)
	}
	return sum, nil
}
