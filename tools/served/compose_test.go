package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"

	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestComposePostgres starts the nodes of deploy/compose.postgres.yaml with the program of the tree and a database of the test: what one
// records, the other finds, and both end at a signal.
func TestComposePostgres(t *testing.T) {
	t.Parallel()
	project := loadCompose(t, "compose.postgres.yaml")
	database := pgtest.URL(t)
	program := filepath.Join(t.TempDir(), "hippo")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/hippo-memory/hippo/cmd/hippo").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	base := newNode(t, program, database, project.Services["node1"], "")
	token := base.output("token", "create", "compose", "--right", "write")
	var nodes []*node
	for i, name := range []string{"node1", "node2"} {
		s := project.Services[name]
		if len(s.Ports) != 1 || s.Ports[0].HostIP != "127.0.0.1" || !s.ReadOnly || len(s.CapDrop) == 0 || s.Build == nil {
			t.Errorf("%s is %+v", name, s)
		}
		n := newNode(t, program, database, s, fmt.Sprintf("127.0.0.1:%d", 18420+i))
		n.start()
		nodes = append(nodes, n)
	}
	for i, n := range nodes {
		n.ready()
		n.post(token, "/memories", fmt.Sprintf(`{"content":"node %d serves the gateways","situation":["compose"]}`, i+1))
	}
	for _, n := range nodes {
		if got := n.post(token, "/search", `{"query":"which node serves gateways"}`); strings.Count(got, "serves the gateways") < 2 {
			t.Errorf("%s finds %s, want the memories of both nodes", n.address, got)
		}
	}
	for _, n := range nodes {
		n.stop()
	}
}

// loadCompose reads a file of deploy/ with the library of docker compose.
func loadCompose(t *testing.T, file string) *types.Project {
	t.Helper()
	name := filepath.Join("..", "..", "deploy", file)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: filepath.Dir(name), ConfigFiles: []types.ConfigFile{{Filename: name, Content: text}},
		Environment: types.Mapping{"POSTGRES_PASSWORD": "secret"},
	}, func(o *loader.Options) { o.SetProjectName("hippo", true) })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// node is a service of the file, outside of a container.
type node struct {
	t       *testing.T
	program string
	command []string
	env     []string
	address string
	process *exec.Cmd
	log     bytes.Buffer
}

func newNode(t *testing.T, program, database string, s types.ServiceConfig, address string) *node {
	t.Helper()
	home := t.TempDir()
	n := &node{t: t, program: program, address: address, env: append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home)}
	for name, value := range s.Environment {
		switch {
		case name == "HIPPO_STORE": // by the name of the service there
			n.env = append(n.env, name+"="+database)
		case value != nil && name != "PGPASSWORD":
			n.env = append(n.env, name+"="+*value)
		}
	}
	n.command = slices.Clone(s.Command)
	for i, arg := range n.command {
		if arg == "0.0.0.0:8420" {
			n.command[i] = address
		}
	}
	return n
}

// output runs a command of the program and returns what it prints.
func (n *node) output(args ...string) string {
	n.t.Helper()
	c := exec.CommandContext(n.t.Context(), n.program, args...)
	c.Env = n.env
	out, err := c.Output()
	if err != nil {
		n.t.Fatalf("%v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (n *node) start() {
	n.t.Helper()
	n.process = exec.CommandContext(n.t.Context(), n.program, n.command...)
	n.process.Env, n.process.Stderr = n.env, &n.log
	if err := n.process.Start(); err != nil {
		n.t.Fatal(err)
	}
}

// ready waits until the node says that it is.
func (n *node) ready() {
	n.t.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		r, err := n.send(http.MethodGet, "/readyz", "", "")
		if err == nil && strings.Contains(r, "ready") {
			return
		}
		if time.Now().After(until) {
			n.t.Fatalf("%s is not ready: %s (%v)\n%s", n.address, r, err, n.log.String())
		}
	}
}

func (n *node) post(token, path, body string) string {
	n.t.Helper()
	r, err := n.send(http.MethodPost, "/api/v1"+path, token, body)
	if err != nil {
		n.t.Fatalf("%s%s: %v\n%s", n.address, path, err, n.log.String())
	}
	return r
}

func (n *node) send(method, path, token, body string) (string, error) {
	ctx, cancel := context.WithTimeout(n.t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+n.address+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return "", err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return "", fmt.Errorf("%s: %s", answer.Status, text)
	}
	return string(text), nil
}

// stop ends the node as an engine does, and waits for it.
func (n *node) stop() {
	n.t.Helper()
	if err := n.process.Process.Signal(syscall.SIGTERM); err != nil {
		n.t.Fatal(err)
	}
	if err := n.process.Wait(); err != nil {
		n.t.Errorf("%s: %v\n%s", n.address, err, n.log.String())
	}
}
