// Command served checks hippo serve --http, as it is built and delivered, against programs that others wrote: an ACME
// server (pebble), promtool, systemd-analyze, the library of docker compose, and the image in a root of its own.
//
//	go -C tools run ./served --hippo ../bin/hippo
//
// What this machine lacks is named and left out: Debian has promtool in prometheus, and systemd-analyze in systemd.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// check is one check of the program.
type check struct {
	name string
	// run returns what it found.
	run func(ctx context.Context, w *workplace) (string, error)
}

// errAbsent says that this machine lacks what a check needs.
var errAbsent = errors.New("left out")

// timeout bounds a check.
const timeout = 3 * time.Minute

func checks() []check {
	return []check{{"acme", checkACME}, {"metrics", checkMetrics}, {"unit", checkUnit}, {"compose", checkCompose}, {"image", checkImage}, {"buildah", checkDockerfile}}
}

func main() {
	hippo := flag.String("hippo", "../bin/hippo", "the program")
	image := flag.String("image", "../bin/hippo.tar", "the archive that make image writes")
	only := flag.String("only", "", "these checks only, with commas")
	flag.Parse()
	if err := run(*hippo, *image, *only); err != nil {
		fmt.Fprintln(os.Stderr, "served:", err)
		os.Exit(1)
	}
}

func run(hippo, image, only string) error {
	hippo, err := filepath.Abs(hippo)
	if err == nil {
		image, err = filepath.Abs(image)
	}
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range checks() {
		if only != "" && !slices.Contains(strings.Split(only, ","), c.name) {
			continue
		}
		began := time.Now()
		found, err := within(&workplace{hippo: hippo, image: image}, c)
		switch {
		case errors.Is(err, errAbsent):
			fmt.Printf("%-8s%v\n", c.name, err)
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", c.name, err))
		default:
			fmt.Printf("%-8sok, %s, %.1f s\n", c.name, found, time.Since(began).Seconds())
		}
	}
	return errors.Join(errs...)
}

// within runs a check in a folder of its own.
func within(w *workplace, c check) (found string, err error) {
	if w.dir, err = os.MkdirTemp("", "served"); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer func() {
		w.end()
		cancel()
		err = errors.Join(err, os.RemoveAll(w.dir))
	}()
	return c.run(ctx, w)
}
