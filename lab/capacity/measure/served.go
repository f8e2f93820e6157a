package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/lab/capacity/model"
	"github.com/hippo-memory/hippo/lab/database"
)

// served measures how much more a search costs over HTTP, in a process of the program, than in this one. Neither counts what it finds.
func (s *sized) served(ctx context.Context) error {
	if s.hippo == "" {
		return nil
	}
	const searches, rounds = 200, 3
	all, err := s.tenants(s.cache(), s.model, false)
	if err != nil {
		return err
	}
	e, err := all.Of(ctx, s.name(0))
	if err != nil {
		return err
	}
	m := database.In(e, s.name(0))
	here, err := s.rates(searches, rounds, database.Processor, func(i int) error {
		_, err := query.Search(ctx, m, hippo.Query{Text: s.notes.question(i), NoTouch: true})
		return err
	})
	if err := errors.Join(err, all.Shut(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	n, err := s.node(ctx)
	if err != nil {
		return err
	}
	defer n.stop()
	there, err := s.rates(searches, rounds, n.processor, func(i int) error { return n.search(ctx, s.notes.question(i)) })
	for i := range there {
		there[i] = max(0, there[i]-here[i])
	}
	s.add(model.HTTPNode, there...)
	return err
}

// rates returns the milliseconds of a core that something takes, in some rounds after one to warm up.
func (*sized) rates(times, rounds int, used func() time.Duration, do func(i int) error) (list []float64, err error) {
	for round := range rounds + 1 {
		began := used()
		for i := range times {
			err = errors.Join(err, do(i))
		}
		if round > 0 {
			list = append(list, float64(used()-began)/1e6/float64(times))
		}
	}
	return list, err
}

// node is a process of hippo serve.
type node struct {
	cmd        *exec.Cmd
	url, token string
}

// node starts a server with the index files of the tenants, and makes a token for the first one.
func (s *sized) node(ctx context.Context) (*node, error) {
	env := append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(s.dir, s.cache()), "XDG_DATA_HOME="+filepath.Join(s.dir, "data"), "XDG_CONFIG_HOME="+filepath.Join(s.dir, "config"),
		"XDG_STATE_HOME="+filepath.Join(s.dir, "state"), "HIPPO_MODEL="+s.model, "HIPPO_STORE="+s.url)
	create := exec.CommandContext(ctx, s.hippo, "token", "create", "--namespace", s.name(0), "capacity", "--right", "write")
	create.Env, create.Stderr = env, os.Stderr
	token, err := create.Output()
	if err != nil {
		return nil, err
	}
	n := &node{cmd: exec.CommandContext(ctx, s.hippo, "serve", "--http", "127.0.0.1:0"), token: strings.TrimSpace(string(token))}
	n.cmd.Env = env
	out, err := n.cmd.StderrPipe()
	if err == nil {
		err = n.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, address, found := strings.Cut(lines.Text(), " on http"); found {
			n.url = "http" + address
			go io.Copy(io.Discard, out) //nolint:errcheck // nobody reads it
			return n, nil
		}
	}
	n.stop()
	return nil, errors.New("the server does not say where it listens")
}

func (n *node) stop() {
	_ = n.cmd.Process.Kill() // it keeps nothing
	_ = n.cmd.Wait()
}

// processor returns the time that the server has used, to 10 ms.
func (n *node) processor() time.Duration { return database.ProcessorOf(n.cmd.Process.Pid) }

func (n *node) search(ctx context.Context, question string) error {
	body, err := json.Marshal(map[string]any{"query": question, "no_touch": true})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url+"/api/v1/search", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+n.token)
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close() //nolint:errcheck // it is read to its end
	text, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", a.Status, text)
	}
	return err
}
