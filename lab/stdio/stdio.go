// Package stdio is a client of MCP over standard input and output, without what an SDK would add to a
// measurement. It sends a request at a time, or many without waiting.
package stdio

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

// Client talks to an MCP server over its standard input and output.
type Client struct {
	Cmd *exec.Cmd
	// Out is what the server writes, a message a line.
	Out *bufio.Reader
	in  io.WriteCloser
	id  int
}

// Hello starts a server and waits for the reply to initialize.
func Hello(command ...string) (*Client, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	return Start(cmd)
}

func start(cmd *exec.Cmd) (*Client, error) {
	c := &Client{Cmd: cmd}
	var err error
	if c.in, err = c.Cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.Cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.Out = bufio.NewReaderSize(out, 1<<20)
	return c, c.Cmd.Start()
}

// Start is [Hello] of a command that was prepared.
func Start(cmd *exec.Cmd) (*Client, error) {
	c, err := start(cmd)
	if err != nil {
		return nil, err
	}
	_, err = c.Call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": "bench", "version": "1"},
	})
	if err != nil {
		return nil, err
	}
	return c, c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (c *Client) send(message any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(b, '\n'))
	return err
}

// Post sends a request and does not wait.
func (c *Client) Post(method string, params any) error {
	c.id++
	return c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
}

// Reply reads one reply; a JSON-RPC error or an isError result is an error.
func (c *Client) Reply() ([]byte, error) {
	line, err := c.Out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	if bytes.Contains(line, []byte(`"isError":true`)) || bytes.Contains(line, []byte(`"error":{`)) {
		return line, fmt.Errorf("server answered %s", line)
	}
	return line, nil
}

// Call sends a request and reads its reply.
func (c *Client) Call(method string, params any) ([]byte, error) {
	if err := c.Post(method, params); err != nil {
		return nil, err
	}
	return c.Reply()
}

// Tool calls a tool.
func (c *Client) Tool(name string, args any) ([]byte, error) {
	return c.Call("tools/call", map[string]any{"name": name, "arguments": args})
}

// Stop closes the input and waits for the end of the server.
func (c *Client) Stop() error {
	if err := c.in.Close(); err != nil {
		return err
	}
	return c.Cmd.Wait()
}

// RSS is the resident memory of the server, and the part of it that is pages of
// mapped files, in MB; 0 where /proc is missing.
func (c *Client) RSS() (all, files float64) { return RSS(c.Cmd.Process.Pid) }

// RSS is [Client.RSS] of any process.
func RSS(pid int) (all, files float64) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
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
