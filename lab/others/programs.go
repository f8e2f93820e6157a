package others

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Hippo is this program on a store of a kind: sqlite, or shared.
func Hippo(binary, kind string) Program {
	return Program{
		Name: "hippo, " + kind, binary: binary,
		command: func(file, dir string) (args, env []string) {
			return []string{binary, "serve", "--store", kind + ":" + file}, []string{
				"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_STATE_HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "HIPPO_CONFIG=", "HIPPO_STORE=" + kind + ":" + file,
			}
		},
		store: func(s *Session, text string, tags []string) (string, error) {
			if err := s.call("hippo_record_insight", map[string]any{"content": text, "tags": append([]string{}, tags...)}); err != nil {
				return "", err
			}
			return slices.Concat(s.ids(), []string{""})[0], nil
		},
		recall: func(s *Session, query string, _ int) ([]string, error) {
			err := s.call("hippo_search_insights", map[string]any{"query": query})
			return s.ids(), err
		},
		list: listOurs,
		wait: embedded,
		remove: func(s *Session, key string) error {
			return s.call("hippo_forget", map[string]any{"uuids": []string{key}})
		},
		count: func(s *Session) (int, error) { return s.counted("ping", map[string]any{}, `"alive":(\d+)`) },
	}
}

// ids are those of the memories that the last call returned or stored.
func (s *Session) ids() (out []string) {
	list, _ := s.meta["ids"].([]any)
	for _, id := range list {
		out = append(out, fmt.Sprint(id))
	}
	return out
}

// CLI runs a command of this program on the store of the session and returns what it printed.
func (s *Session) CLI(args ...string) ([]byte, error) {
	cmd := exec.Command(s.Program.binary, args...)
	cmd.Env, cmd.Dir = s.env, s.Cmd.Dir
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("hippo %s: %w: %s", strings.Join(args, " "), err, failed.String())
	}
	return out, nil
}

// Settle waits until this program has embedded everything, which the others do while they store.
func (s *Session) Settle() error {
	if s.Program.wait == nil {
		return nil
	}
	if _, err := s.Recall("anything", 1); err != nil { // begins it
		return err
	}
	return s.Program.wait(s)
}

// idle is how long this program may embed nothing before that counts as a failure.
const idle = 10 * time.Minute

// embedded waits until all models have embedded everything.
func embedded(s *Session) error {
	last, at := -1, time.Now()
	for time.Since(at) < idle {
		if err := s.call("hippo_status", map[string]any{"format": "json"}); err != nil {
			return err
		}
		var status struct {
			Models []struct{ Embedded, Memories int }
		}
		if err := json.Unmarshal([]byte(s.Text), &status); err != nil {
			return err
		}
		missing := 0
		for _, m := range status.Models {
			missing += m.Memories - m.Embedded
		}
		switch missing {
		case 0:
			return nil
		case last:
		default:
			last, at = missing, time.Now()
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s has embedded nothing for %v: %s", s.Program.Name, idle, s.Text)
}

// page is the most that this program lists at once.
const page = 1000

func listOurs(s *Session) (rows []Row, err error) {
	for {
		out, err := s.CLI("list", "--json", "--all", "--limit", strconv.Itoa(page), "--offset", strconv.Itoa(len(rows)))
		if err != nil {
			return nil, err
		}
		var list []struct {
			UUID, Content, Type string
			Tags                []string
			Created             time.Time `json:"created_at"`
		}
		if err := json.Unmarshal(out, &list); err != nil {
			return nil, err
		}
		for _, m := range list {
			rows = append(rows, Row{m.UUID, m.Content, m.Type, m.Tags, float64(m.Created.UnixMicro()) / 1e6})
		}
		if len(list) < page {
			return rows, nil
		}
	}
}

// ClaudeHippo is the crate claude-hippo in a folder of make bin/neighbours.
func ClaudeHippo(folder string) Program {
	binary := filepath.Join(folder, "claude-hippo", "bin", "hippo")
	return Program{
		Name: "claude-hippo 0.5.0", Shares: true, binary: binary,
		command: func(file, dir string) (args, env []string) {
			return []string{binary, "serve", "--db", file, "--model-cache", filepath.Join(folder, "models")}, []string{
				"HOME=" + dir, "LD_LIBRARY_PATH=" + filepath.Join(folder, "onnxruntime"), "RUST_LOG=error", "HF_HUB_OFFLINE=1",
			}
		},
		store: func(s *Session, text string, tags []string) (string, error) {
			err := s.call("hippo_remember", map[string]any{"content": text, "tags": append([]string{}, tags...)})
			switch {
			case err != nil && strings.Contains(err.Error(), "database is locked"): // it does not wait for another writer
				return "", fmt.Errorf("%w: %w", ErrRefused, err)
			case err != nil:
				return "", err
			}
			var r struct {
				Hash      string `json:"content_hash"`
				Duplicate bool
			}
			err = json.Unmarshal([]byte(s.Text), &r)
			if err == nil && r.Duplicate {
				err = fmt.Errorf("%w: %s", ErrRefused, s.Text)
			}
			return r.Hash, err
		},
		recall: func(s *Session, query string, n int) ([]string, error) {
			if err := s.call("hippo_recall", map[string]any{"query": query, "limit": n, "no_surprise_boost": s.Plain}); err != nil {
				return nil, err
			}
			var list []struct{ Memory serviceRow }
			err := json.Unmarshal([]byte(s.Text), &list)
			keys := make([]string, len(list))
			for i, m := range list {
				keys[i] = m.Memory.Hash
			}
			return keys, err
		},
		list: func(s *Session) ([]Row, error) {
			if err := s.call("hippo_list_recent", map[string]any{"n": 1_000_000}); err != nil {
				return nil, err
			}
			_, rows, err := rowsOf(s.Text)
			return rows, err
		},
		remove: func(s *Session, key string) error { return s.call("hippo_forget", map[string]any{"content_hash": key}) },
		count:  func(s *Session) (int, error) { return s.counted("ping", map[string]any{}, `"alive":(\d+)`) },
	}
}

// serviceRow is a row of the file that the programs share, as they list it.
type serviceRow struct {
	Hash    string `json:"content_hash"`
	Content string
	Tags    []string
	Type    string  `json:"memory_type"`
	Created float64 `json:"created_at"`
}

// rowsOf reads a list of rows; more: there is another page.
func rowsOf(text string) (more bool, rows []Row, err error) {
	var list struct {
		Memories []serviceRow
		More     bool `json:"has_more"`
	}
	err = json.Unmarshal([]byte(text), &list)
	for _, r := range list.Memories {
		rows = append(rows, Row{r.Hash, r.Content, r.Type, r.Tags, r.Created})
	}
	return list.More, rows, err
}

// Service is a version of mcp-memory-service in a folder of make bin/neighbours.
func Service(folder, major, version string) Program {
	binary := filepath.Join(folder, "service"+major, "bin", "python")
	hash := regexp.MustCompile(`(?m)(?:^   Hash: |\(hash: )([0-9a-f]{64})`)
	return Program{
		Name: "mcp-memory-service " + version, Shares: true, Slow: true, binary: binary,
		command: func(file, dir string) (args, env []string) {
			return []string{binary, "-c", "from mcp_memory_service.cli.main import main; import sys; sys.argv = ['memory', 'server']; main()"}, []string{
				"HOME=" + filepath.Join(folder, "home"), "MCP_MEMORY_SQLITE_PATH=" + file, "MCP_MEMORY_BASE_DIR=" + dir,
				"MCP_MEMORY_STORAGE_BACKEND=sqlite_vec", "MCP_MEMORY_USE_ONNX=true", "HF_HUB_OFFLINE=1", "LOG_LEVEL=ERROR",
			}
		},
		store: func(s *Session, text string, tags []string) (string, error) {
			// Of one conversation: texts that are like others are stored, too.
			args := map[string]any{"content": text, "conversation_id": "one", "metadata": map[string]any{"tags": append([]string{}, tags...), "type": "note"}}
			err := s.call("memory_store", args)
			found := hash.FindStringSubmatch(s.Text)
			switch {
			case err != nil && strings.Contains(s.Text, "database is locked"): // it gives up while another program writes
				return "", fmt.Errorf("%w: %w", ErrRefused, err)
			case err != nil && !strings.Contains(s.Text, "Duplicate content"):
				return "", err
			case err != nil, found == nil:
				return "", fmt.Errorf("%w: %s", ErrRefused, s.Text)
			}
			return found[1], nil
		},
		recall: func(s *Session, query string, n int) (keys []string, err error) {
			err = s.call("memory_search", map[string]any{"query": query, "limit": n})
			for _, found := range hash.FindAllStringSubmatch(s.Text, -1) {
				keys = append(keys, found[1])
			}
			return keys, err
		},
		list: func(s *Session) (all []Row, err error) {
			for page, more := 1, true; more && err == nil; page++ {
				if err = s.call("memory_list", map[string]any{"page": page, "page_size": 100}); err != nil {
					break
				}
				var rows []Row
				more, rows, err = rowsOf(s.Text)
				all = append(all, rows...)
			}
			return all, err
		},
		remove: func(s *Session, key string) error {
			return s.call("memory_delete", map[string]any{"content_hash": key})
		},
		count: func(s *Session) (int, error) {
			return s.counted("memory_health", map[string]any{}, `"total_memories": (\d+)`)
		},
	}
}

// ServerMemory is npm's @modelcontextprotocol/server-memory in a folder of make bin/neighbours: a text is the
// observation of an entity, and a search finds the entities in which its words stand together as they are.
func ServerMemory(folder string) Program {
	script := filepath.Join(folder, "peer", "node_modules", "@modelcontextprotocol", "server-memory", "dist", "index.js")
	return Program{
		Name: "server-memory 2026.8.31", binary: script,
		command: func(file, dir string) (args, env []string) {
			return []string{"node", script}, []string{"HOME=" + dir, "MEMORY_FILE_PATH=" + file}
		},
		store: func(s *Session, text string, tags []string) (string, error) {
			key := fmt.Sprintf("m%d", time.Now().UnixNano())
			entity := map[string]any{"name": key, "entityType": strings.Join(append(tags, "note"), " "), "observations": []string{text}}
			return key, s.call("create_entities", map[string]any{"entities": []any{entity}})
		},
		recall: func(s *Session, query string, _ int) (keys []string, err error) {
			if err = s.call("search_nodes", map[string]any{"query": query}); err != nil {
				return nil, err
			}
			var graph struct{ Entities []struct{ Name string } }
			err = json.Unmarshal([]byte(s.Text), &graph)
			for _, e := range graph.Entities {
				keys = append(keys, e.Name)
			}
			return keys, err
		},
		list: func(s *Session) ([]Row, error) {
			if err := s.call("read_graph", map[string]any{}); err != nil {
				return nil, err
			}
			var graph struct {
				Entities []struct {
					Name         string
					Observations []string
				}
			}
			err := json.Unmarshal([]byte(s.Text), &graph)
			var rows []Row
			for _, e := range graph.Entities {
				rows = append(rows, Row{Key: e.Name, Content: strings.Join(e.Observations, "\n")})
			}
			return rows, err
		},
		remove: func(s *Session, key string) error {
			return s.call("delete_entities", map[string]any{"entityNames": []string{key}})
		},
		count: func(s *Session) (int, error) {
			err := s.call("read_graph", map[string]any{})
			return strings.Count(s.Text, `"observations":`), err
		},
	}
}

// In returns the programs of others in a folder that make bin/neighbours filled.
func In(folder string) []Program {
	return []Program{ClaudeHippo(folder), Service(folder, "10", "10.74.1"), Service(folder, "11", "11.15.0"), Service(folder, "12", "12.4.0"), ServerMemory(folder)}
}
