package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo/lab/stdio"
)

// peer runs the pipelined test against another memory server: n entities, one
// call each, without waiting; then it counts what the server kept.
// The command must be an MCP server with the tools of
// @modelcontextprotocol/server-memory, which keeps its data in the file that
// MEMORY_FILE_PATH names.
func (b *bench) peer(command string, n int) error {
	if err := os.Setenv("MEMORY_FILE_PATH", filepath.Join(b.dir, "peer.jsonl")); err != nil {
		return err
	}
	c, err := stdio.Hello(strings.Fields(command)...)
	if err != nil {
		return err
	}
	for i := range n {
		entity := map[string]any{
			"name": fmt.Sprintf("entity-%d", i), "entityType": "note", "observations": []string{"observation"},
		}
		args := map[string]any{"name": "create_entities", "arguments": map[string]any{"entities": []any{entity}}}
		if err := c.Post("tools/call", args); err != nil {
			return err
		}
	}
	acknowledged := 0
	for range n {
		if _, err := c.Reply(); err == nil {
			acknowledged++
		}
	}
	graph, err := os.ReadFile(filepath.Join(b.dir, "peer.jsonl"))
	if err != nil {
		return err
	}
	kept := bytes.Count(graph, []byte(`"type":"entity"`))
	row(fmt.Sprintf("peer: kept of %d acknowledged, %d pipelined", acknowledged, n), fmt.Sprint(kept), "all")
	return c.Stop()
}
