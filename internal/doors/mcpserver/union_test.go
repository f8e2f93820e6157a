package mcpserver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/memorymcp"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// shared are calls of the four names that mcp-memory-service and claude-hippo have, with every argument of both, and the
// fields that both document for the results.
func shared(hash string) []struct {
	tool   string
	args   object
	fields string
} {
	return []struct {
		tool   string
		args   object
		fields string
	}{
		{
			"store_memory",
			object{"content": queue, "tags": "ops", "memory_type": "note", "importance": 1, "metadata": object{"ticket": 7}, "client_hostname": "h"},
			"success message content_hash id duplicate surprise_score surprise_components",
		},
		{"store_memory", object{"content": queue}, "success message content_hash id duplicate surprise_score surprise_components"},
		{"retrieve_memory", object{"query": "job queue", "n_results": 3, "similarity_threshold": 0}, "score cosine_similarity surprise_score"},
		{
			"retrieve_memory",
			object{"query": "job queue", "limit": 3, "mode": "associative", "no_surprise_boost": true, "oversample_factor": 4, "seed_id": hash},
			"score cosine_similarity surprise_score",
		},
		{"list_memories", object{"page": 1, "page_size": 5, "tag": "ops", "memory_type": "note"}, "memories count total page page_size total_pages has_more id content_hash created_at_iso"},
		{"list_memories", object{"n": 500, "tags": []string{"ops"}, "type": "note"}, "memories count total id"},
		{"delete_memory", object{"content_hash": hash, "dry_run": true}, "success deleted deleted_count deleted_hashes dry_run"},
		{"delete_memory", object{"tags": "ops", "tag_match": "all", "memory_type": "note", "before": "2027-01-01", "dry_run": true}, "success deleted deleted_count deleted_hashes dry_run"},
		{"delete_memory", object{"uuids": []string{hash}}, "success deleted deleted_count deleted_hashes dry_run"},
		{"delete_memory", object{"uuids": []string{hash}, "restore": true}, "success restored"},
		{"delete_memory", object{"id": hash}, "success deleted deleted_count deleted_hashes dry_run"},
	}
}

// Each system that answers to the shared names takes the arguments of both, and answers with the fields of both.
func TestSharedNames(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"memory-service", "claude-hippo"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			s := startHippo(t, memstore.New(nil))
			s.end()
			s.serveIn(hippo.LocalScope(""), []string{system})
			for _, x := range shared(hashed(queue)) {
				o := s.must(x.tool, x.args, nil)
				data := string(o.Data)
				if o.Data == nil {
					data = o.Text
				}
				for field := range strings.FieldsSeq(x.fields) {
					if !strings.Contains(data, `"`+field+`":`) {
						t.Errorf("%s(%v) has no %s: %s", x.tool, x.args, field, data)
					}
				}
			}
		})
	}
}

// Of the same call, both systems take the same memories.
func TestSharedNames_Mean(t *testing.T) {
	t.Parallel()
	for _, system := range mcpserver.ToolSystems() {
		if system == "hippo" || system == memorymcp.Name { // whose arguments are its own
			continue
		}
		s := startHippo(t, memstore.New(nil))
		s.end()
		s.serveIn(hippo.LocalScope(""), []string{system})
		one := s.must("store_memory", object{"content": oldPort, "tags": "net", "importance": 1}, nil)
		s.must("store_memory", object{"content": queue, "tags": "ops"}, nil)
		if !strings.Contains(one.Text, hashed(oldPort)) {
			t.Errorf("%s: got %s", system, one.Text)
		}
		if m, err := memory.List(t.Context(), s.engine.In(hippo.LocalScope("")), api.List{}); err != nil || !slices.ContainsFunc(m.Memories, func(m *hippo.Memory) bool { return m.Surprise.Explicit == 1 && m.Importance.Base == 1 }) {
			t.Errorf("%s: the importance is lost (%v)", system, err)
		}
		found := s.must("retrieve_memory", object{"query": "staging server port", "n_results": 5, "mode": "exact", "similarity_threshold": .55}, nil).Text
		if !strings.Contains(found, oldPort) || strings.Contains(found, queue) {
			t.Errorf("%s: above the threshold are %s", system, found)
		}
		for want, args := range map[string]object{
			"tags":                 {"tags": []string{}},
			"memory_type":          {"memory_type": ""},
			"exclude each other":   {"tags": "net", "uuids": []string{hashed(oldPort)}},
			"content_hash":         {},
			"memory_type: and con": {"memory_type": "note", "content_hash": hashed(queue)},
		} {
			if o := s.tool("delete_memory", args); !o.IsError || !strings.Contains(o.Text, strings.TrimSuffix(want, ": and con")) {
				t.Errorf("%s: delete_memory(%v): %+v", system, args, o)
			}
		}
		if left := s.must("list_memories", object{"limit": 1000}, nil).Text; !strings.Contains(left, `"total":2`) {
			t.Errorf("%s: left are %s", system, left)
		}
	}
}
