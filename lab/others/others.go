// Package others starts memory programs of others, and this one, as a client does: over standard input and
// output. It calls what each has for storing, recalling, listing and deleting under one form.
//
// The programs are in one folder, which make bin/neighbours fills. A program that is not there is named, not an error.
package others

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo/lab/stdio"
)

// ErrRefused says that a program did not store a text, such as one that it has, or finds like another one.
var ErrRefused = errors.New("not stored")

// Program is a memory program.
type Program struct {
	// Name is the name with the version.
	Name string
	// Shares: its file is one that hippo opens as shared:PATH.
	Shares bool
	// Slow: it takes seconds to start.
	Slow bool
	// binary is the file that is looked for.
	binary string
	// command returns how to start it on a file, in a folder of its own.
	command func(file, dir string) (args, env []string)
	store   func(s *Session, text string, tags []string) (key string, err error)
	recall  func(s *Session, query string, n int) (keys []string, err error)
	list    func(s *Session) ([]Row, error)
	remove  func(s *Session, key string) error
	// count returns how many memories the program says that it has.
	count func(s *Session) (int, error)
	// wait waits for what goes on after a call; nil: nothing does.
	wait func(s *Session) error
}

// Row is a memory as a program lists it.
type Row struct {
	// Key is what the program calls it: a hash or an ID.
	Key, Content, Type string
	Tags               []string
	// Created is the time in seconds since 1970.
	Created float64
}

// Missing says why a program cannot be started; nil: it can.
func (p *Program) Missing() error {
	_, err := os.Stat(p.binary)
	return err
}

// Session is a program that runs.
type Session struct {
	*stdio.Client
	Program *Program
	// Plain: it recalls by the vectors alone, if it has a choice.
	Plain bool
	// Text is what the last call returned, as a model reads it.
	Text string
	// meta is what the result has beside it.
	meta map[string]any
	file string
	env  []string
}

// Start starts the program on a file and waits for its first reply. dir is a folder for what else it writes.
func (p *Program) Start(file, dir string) (*Session, error) {
	args, env := p.command(file, dir)
	s := &Session{Program: p, file: file, env: append([]string{"PATH=" + os.Getenv("PATH")}, env...)}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, s.env
	var err error
	if s.Client, err = stdio.Start(cmd); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	return s, nil
}

// Store stores a text and returns what the program calls it. Errors: [ErrRefused] with what it answered.
func (s *Session) Store(text string, tags ...string) (key string, err error) {
	return s.Program.store(s, text, tags)
}

// Recall returns the keys of what the program finds for a query, the best one first, as many as n by its defaults.
func (s *Session) Recall(query string, n int) ([]string, error) { return s.Program.recall(s, query, n) }

// List returns all that the program has.
func (s *Session) List() ([]Row, error) { return s.Program.list(s) }

// Count returns how many memories the program says that it has.
func (s *Session) Count() (int, error) { return s.Program.count(s) }

// Delete deletes what the program calls by this key.
func (s *Session) Delete(key string) error { return s.Program.remove(s, key) }

// Kill ends the program with kill -9.
func (s *Session) Kill() {
	_ = s.Cmd.Process.Kill() // it may have ended
	_ = s.Cmd.Wait()
}

// counted calls a tool and returns the number that the first match of a pattern has in its result.
func (s *Session) counted(tool string, args map[string]any, pattern string) (int, error) {
	if err := s.call(tool, args); err != nil {
		return 0, err
	}
	found := regexp.MustCompile(pattern).FindStringSubmatch(s.Text)
	if found == nil {
		return 0, fmt.Errorf("%s: %s: no number of memories in %q", s.Program.Name, tool, s.Text)
	}
	return strconv.Atoi(found[1])
}

// call calls a tool. Errors: what the program answers as one.
func (s *Session) call(tool string, args map[string]any) error {
	if err := s.Post("tools/call", map[string]any{"name": tool, "arguments": args}); err != nil {
		return err
	}
	for {
		line, err := s.Out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s ended: %w", s.Program.Name, err)
		}
		var reply struct {
			ID     *int            `json:"id"`
			Error  json.RawMessage `json:"error"`
			Result struct {
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
				IsError bool                      `json:"isError"`
				Meta    map[string]map[string]any `json:"_meta"`
			} `json:"result"`
		}
		if err := json.Unmarshal(line, &reply); err != nil || reply.ID == nil {
			continue // a notification, or a line that a library printed
		}
		var text strings.Builder
		for _, c := range reply.Result.Content {
			text.WriteString(c.Text)
		}
		s.Text, s.meta = text.String(), reply.Result.Meta["hippo"]
		if reply.Result.IsError || reply.Error != nil {
			return fmt.Errorf("%s: %s: %s%s", s.Program.Name, tool, s.Text, reply.Error)
		}
		return nil
	}
}
