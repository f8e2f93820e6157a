// Command e2e drives the real Claude Code, Codex, Gemini CLI and opencode with a memory against a mock model on
// loopback, and looks at what the model was sent.
//
//	go -C tools run ./e2e --hippo ../bin/hippo --folder ../bin/clients
//
// Each client runs in a home of its own, with the files that its user would have. The folder keeps the clients between
// runs. They come from npm in the versions, and with the checksums, of the lock files in npm.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	hippo, folder string
	only          string
	keep          string
	jobs          int
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("e2e", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.hippo, "hippo", "../bin/hippo", "the program")
	f.StringVar(&o.folder, "folder", "../bin/clients", "folder of the clients")
	f.StringVar(&o.only, "only", "", "this client only")
	f.StringVar(&o.keep, "keep", "", "folder, which must not exist, that keeps the homes, and what the models were sent last")
	f.IntVar(&o.jobs, "jobs", 2, "clients that run at the same time")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for _, path := range []*string{&o.hippo, &o.folder, &o.keep} {
		if *path != "" {
			full, absErr := filepath.Abs(*path)
			*path, err = full, errors.Join(err, absErr)
		}
	}
	return o, err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	var chosen []client
	for _, c := range clients() {
		if o.only == "" || o.only == c.name {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("--only: there is no client %q", o.only)
	}
	if err := install(ctx, o.folder); err != nil {
		return err
	}
	root := o.keep
	if root == "" {
		if root, err = os.MkdirTemp("", "hippo-e2e"); err != nil {
			return err
		}
		defer os.RemoveAll(root) //nolint:errcheck // it is a temporary folder
	}
	return proveAll(ctx, &o, chosen, root, stdout)
}

// proveAll proves the clients, some at the same time, and prints what was found in their order.
func proveAll(ctx context.Context, o *options, chosen []client, root string, stdout io.Writer) error {
	outputs, errs := make([]bytes.Buffer, len(chosen)), make([]error, len(chosen))
	slots := make(chan struct{}, max(1, o.jobs))
	var group sync.WaitGroup
	for i := range chosen {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = proveOne(ctx, o, &chosen[i], filepath.Join(root, chosen[i].name), &outputs[i])
		})
	}
	group.Wait()
	checks := 0
	for i := range outputs {
		checks += bytes.Count(outputs[i].Bytes(), []byte("\n")) // if none failed, each is a line
		if _, err := outputs[i].WriteTo(stdout); err != nil {
			return err
		}
	}
	err := errors.Join(errs...)
	if err == nil {
		_, err = fmt.Fprintf(stdout, "ok      all %d checks of %d clients\n", checks, len(chosen))
	}
	return err
}

func proveOne(ctx context.Context, o *options, c *client, root string, out io.Writer) error {
	m, err := startModel()
	if err != nil {
		return err
	}
	defer m.close()
	used, err := newPlace(ctx, o, c, m, filepath.Join(root, "used"))
	if err != nil {
		return err
	}
	unused, err := newPlace(ctx, o, c, m, filepath.Join(root, "unused"))
	if err != nil {
		return err
	}
	if c.needs != "" {
		if err := os.CopyFS(filepath.Join(used.home, filepath.FromSlash(c.needs)), os.DirFS(filepath.Join(o.folder, c.name))); err != nil {
			return err
		}
	}
	p := proof{place: used, out: out}
	p.prove(ctx)
	other := proof{place: unused, out: out}
	other.check("setup --remove puts every file back", other.removed(ctx))
	if o.keep != "" {
		err = os.WriteFile(filepath.Join(root, "requests.json"), []byte(jsonOf(m.seen())), 0o600)
	}
	if p.failed || other.failed {
		err = errors.Join(err, fmt.Errorf("%s failed", c.name))
	}
	return err
}
