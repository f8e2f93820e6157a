package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// client talks to an MCP server over its standard input and output.
type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func start(command ...string) (*client, error) {
	c := &client{cmd: exec.Command(command[0], command[1:]...)}
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<20)
	return c, c.cmd.Start()
}

// hello starts a server and waits for the reply to initialize.
func hello(command ...string) (*client, error) {
	c, err := start(command...)
	if err != nil {
		return nil, err
	}
	_, err = c.call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": "bench", "version": "1"},
	})
	if err != nil {
		return nil, err
	}
	return c, c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (c *client) send(message any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(b, '\n'))
	return err
}

// post sends a request and does not wait.
func (c *client) post(method string, params any) error {
	c.id++
	return c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
}

// reply reads one reply; a JSON-RPC error or an isError result is an error.
func (c *client) reply() ([]byte, error) {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	if bytes.Contains(line, []byte(`"isError":true`)) || bytes.Contains(line, []byte(`"error":{`)) {
		return line, fmt.Errorf("server answered %s", line)
	}
	return line, nil
}

func (c *client) call(method string, params any) ([]byte, error) {
	if err := c.post(method, params); err != nil {
		return nil, err
	}
	return c.reply()
}

func (c *client) tool(name string, args any) ([]byte, error) {
	return c.call("tools/call", map[string]any{"name": name, "arguments": args})
}

func (c *client) stop() error {
	if err := c.in.Close(); err != nil {
		return err
	}
	return c.cmd.Wait()
}

// rss is the resident memory of the server, and the part of it that is pages of
// mapped files, in MB; 0 where /proc is missing.
func (c *client) rss() (all, files float64) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(c.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(b)) {
		name, rest, _ := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			continue
		}
		kb, _ := strconv.ParseFloat(fields[0], 64)
		switch name {
		case "VmRSS":
			all = kb / 1024
		case "RssFile":
			files = kb / 1024
		}
	}
	return all, files
}
