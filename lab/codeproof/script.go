package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// errMissing is the error of a judge whose program is not there.
var errMissing = errors.New("not judged")

// program returns the path of what a judge needs.
func program(name, what string) (string, error) {
	c := exec.Command(name)
	if c.Err != nil {
		return "", fmt.Errorf("%w: %s is not there, which %s needs", errMissing, name, what)
	}
	return c.Path, nil
}

// A judgement is what a script says of one file, a line of JSON.
type judgement struct {
	Path        string
	Definitions []int
	Uses        []struct {
		At     int
		Call   bool
		Caller int // the byte of a definition; -1: the file
		To     []struct {
			File string
			At   int
		}
	}
}

// script returns the facts that a command prints. What it says of files that it cannot read goes to the standard error.
func script(ctx context.Context, name string, args ...string) (*facts, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return decode(bytes.NewReader(out))
}

func decode(r io.Reader) (*facts, error) {
	f := newFacts()
	d := json.NewDecoder(bufio.NewReader(r))
	for {
		var j judgement
		if err := d.Decode(&j); errors.Is(err, io.EOF) {
			return f, nil
		} else if err != nil {
			return nil, err
		}
		f.files[j.Path] = true
		for _, at := range j.Definitions {
			f.definitions[place{j.Path, at}] = true
		}
		for _, u := range j.Uses {
			to := make([]place, len(u.To))
			for i, d := range u.To {
				to[i] = place{d.File, d.At}
			}
			f.uses[place{j.Path, u.At}] = use{to: to, call: u.Call, caller: place{j.Path, u.Caller}}
		}
	}
}

// install runs a command that fills a folder, unless it was filled before. What failed leaves no folder.
func install(ctx context.Context, folder, name string, args ...string) error {
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", name, err), os.RemoveAll(folder))
	}
	return nil
}
