// Command conformance runs the official conformance suite of MCP, its scenarios for servers, against the HTTP
// transport of Hippo.
//
//	go -C tools run ./conformance --folder ../bin/conformance
//
// It runs them twice: against the tools of Hippo, and against a server with the tools, prompts and resources that the
// scenarios look for by name. Both are served by the code of the program. Each server has a file that names the
// scenarios which fail, and why; the suite also fails if one of them passes. Suite and Node come from npm in the
// versions, and with the checksums, of the lock file in npm. The folder keeps them between runs.
package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/tools/npm"
)

// files has the lock file of the suite, and the scenarios that fail for each server.
//
//go:embed npm hippo.yml fixture.yml
var files embed.FS

func main() {
	folder := flag.String("folder", "../bin/conformance", "folder of the suite")
	scenario := flag.String("scenario", "", "this scenario only")
	serve := flag.String("serve", "", "serve fixture or hippo until interrupted")
	flag.Parse()
	if err := run(context.Background(), *folder, *scenario, *serve); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, scenario, serve string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	own, err := hippoRoutes(ctx)
	if err != nil {
		return err
	}
	servers := map[string][]httpd.Route{"hippo": own, "fixture": {{Pattern: mcpserver.Path, Stream: true, Handler: mcpserver.Streamable(newFixture(), nil)}}}
	if serve != "" {
		url, err := listen(ctx, servers[serve])
		if err != nil {
			return err
		}
		fmt.Println(url)
		select {}
	}
	if err := npm.Install(ctx, files, "npm", folder); err != nil {
		return err
	}
	errs := make(chan error, len(servers))
	for name, h := range servers { // at the same time: the scenarios mostly wait
		go func() {
			url, err := listen(ctx, h)
			if err == nil {
				err = suite(ctx, folder, name, url, scenario)
			}
			errs <- err
		}()
	}
	for range servers {
		err = errors.Join(err, <-errs)
	}
	return err
}

// hippoRoutes returns the tools of Hippo on an empty store in RAM.
func hippoRoutes(ctx context.Context) ([]httpd.Route, error) {
	st := store.New(memstore.New(nil), nil)
	x, err := index.Open(ctx, st, nil)
	if err != nil {
		return nil, err
	}
	e := engine.New(engine.Config{Store: st, Index: x})
	return mcpserver.Routes(func(context.Context) (*engine.Engine, error) { return e, nil }, &mcpserver.Options{Version: "v0.0.0"}), nil
}

// listen serves routes on loopback, open to everyone, for a caller who may do everything: the suite has no token.
func listen(ctx context.Context, routes []httpd.Route) (url string, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	caller := httpd.Caller{Name: "suite", Scope: hippo.LocalScope("")}
	for i := range routes {
		r := &routes[i]
		next := r.Handler
		r.Rights = 0
		r.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(httpd.WithCaller(r.Context(), caller)))
		})
	}
	go httpd.New(routes, httpd.Options{}).Serve(listener) //nolint:errcheck // it ends with the program
	return "http://" + listener.Addr().String() + mcpserver.Path, nil
}

// versions are those of the protocol that have scenarios for servers.
func versions() []string { return []string{"2025-06-18", "2025-11-25", "2026-07-28"} }

// suite runs the scenarios of all versions against a server.
func suite(ctx context.Context, folder, name, url, scenario string) error {
	failures, err := files.ReadFile(name + ".yml")
	if err != nil {
		return err
	}
	expected, results := filepath.Join(folder, name+".yml"), filepath.Join(folder, "results", name)
	if err := errors.Join(os.RemoveAll(results), os.MkdirAll(results, 0o700), os.WriteFile(expected, failures, 0o600)); err != nil {
		return err
	}
	args := []string{"--url", url, "--output-dir", results, "--expected-failures", expected, "--suite", "all"}
	if scenario != "" {
		args = []string{"--url", url, "--output-dir", results, "--scenario", scenario}
	}
	for _, version := range versions() {
		began := time.Now()
		out, runErr := runSuite(ctx, folder, append(args, "--spec-version", version)...)
		if runErr != nil {
			_, end, _ := strings.Cut(out, "=== SUMMARY ===")
			fmt.Print(cmp.Or(end, out))
			err = errors.Join(err, fmt.Errorf("%s, version %s: %w", name, version, runErr))
			continue
		}
		passed := strings.Count(out, "\n✓ ")
		fmt.Printf("ok      %s, version %s: %d scenarios pass, %d fail as expected, %.1f s\n", name, version, passed, strings.Count(out, "\n✗ "), time.Since(began).Seconds())
		if passed == 0 && scenario == "" {
			err = errors.Join(err, fmt.Errorf("%s, version %s: nothing was tested", name, version))
		}
	}
	return err
}

// runSuite runs the suite for servers and returns what it printed.
func runSuite(ctx context.Context, folder string, args ...string) (string, error) {
	modules := filepath.Join(folder, "node_modules")
	node := filepath.Join(modules, "node-"+runtime.GOOS+"-"+strings.Replace(runtime.GOARCH, "amd64", "x64", 1), "bin", "node")
	program := filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	cmd := exec.CommandContext(ctx, node, append([]string{program, "server"}, args...)...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	return string(out), err
}
