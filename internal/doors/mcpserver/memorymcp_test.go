package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/memorymcp"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// connectMCP returns a session that lists the tools of memory-mcp, before initialize.
func connectMCP(t *testing.T) *session {
	t.Helper()
	return connectAs(t, memstore.New(nil), time.UTC, &mcpserver.Options{Tools: []string{memorymcp.Name}})
}

// mcpStore is a session with memories whose keys have names, which begin with $ in arguments and results.
type mcpStore struct {
	*session
	keys map[string]string
}

// The texts that the tools are tried on, a day apart.
const (
	parisText = "Ada lives in Paris"
	romeText  = "Ada lives in Rome"
	deployDoc = "Deploy with make release"
)

// startMCP returns a store on 1 March 2026 in which Paris has ended a day ago, when Rome began, and Rome is related to the way to deploy.
func startMCP(t *testing.T) *mcpStore {
	t.Helper()
	s := &mcpStore{connectMCP(t), make(map[string]string)}
	s.hello()
	begin := time.Date(2026, 2, 26, 12, 0, 0, 0, time.UTC)
	for i, m := range []struct {
		name string
		args object
	}{
		{"paris", object{"content": parisText, "memory_type": "episodic", "user_id": "ada", "metadata": object{"source": "call", "room": object{"floor": 2, "n": 7}}}},
		{"deploy", object{"content": deployDoc, "memory_type": "procedural", "agent_id": "builder", "run_id": "r1", "importance_score": 3}},
		{"rome", object{"content": romeText, "user_id": "ada", "event_time": "2026-02-27"}},
	} {
		s.clock.set(begin.AddDate(0, 0, i))
		s.keys["$"+m.name] = ask[struct{ ID string }](s.session, "store_memory", m.args).ID
	}
	s.clock.set(begin.AddDate(0, 0, 3))
	s.must("invalidate", s.named(object{"id": "$paris", "reason": "she moved", "superseded_by": "$rome"}), nil)
	s.must("create_relation", s.named(object{"from_entity": "$rome", "to_entity": "$deploy", "relation_type": "needs", "weight": .5}), nil)
	return s
}

// named replaces names by keys in arguments.
func (s *mcpStore) named(args object) object {
	s.t.Helper()
	var out object
	raw, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal([]byte(s.replaced(string(raw))), &out)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *mcpStore) replaced(text string) string {
	for name, key := range s.keys {
		text = strings.ReplaceAll(text, name, key)
	}
	return text
}

// shown replaces keys by names in a result.
func (s *mcpStore) shown(text string) string {
	for name, key := range s.keys {
		text = strings.ReplaceAll(text, key, name)
	}
	return text
}

// memoryMCPCalls has at least one call of every tool; each is made on a store of its own.
func memoryMCPCalls() []exchange {
	const (
		none = `"results":\[\],"count":0`
		rome = `\{"id":"\$rome","content":"` + romeText + `","memory_type":"semantic","user_id":"ada","event_time":"2026-02-27T00:00:00Z","ingestion_time":"2026-02-28T12:00:00Z","valid_from":"2026-02-28T12:00:00Z",` +
			`"importance_score":1,"content_hash":"[0-9a-f]{64}","access_count":1\}`
		paris = `\{"id":"\$paris","content":"` + parisText + `","memory_type":"episodic","metadata":\{"room":\{"floor":2,"n":7\},"source":"call"\},"user_id":"ada","event_time":"2026-02-26T12:00:00Z","ingestion_time":"2026-02-26T12:00:00Z",` +
			`"valid_from":"2026-02-26T12:00:00Z","valid_until":"2026-02-28T12:00:00Z","state":"superseded","importance_score":1,"invalidation_reason":"she moved","superseded_by":"\$rome","content_hash":"[0-9a-f]{64}","access_count":1\}`
		deploy = `\{"id":"\$deploy","content":"` + deployDoc + `","memory_type":"procedural","agent_id":"builder","run_id":"r1","event_time":"2026-02-27T12:00:00Z","ingestion_time":"2026-02-27T12:00:00Z",` +
			`"valid_from":"2026-02-27T12:00:00Z","importance_score":3,"content_hash":"[0-9a-f]{64}","access_count":1\}`
	)
	nested := func(name string) object { return object{"tb": "memories", "id": object{"String": name}} }
	return []exchange{
		{"store_memory", object{"content": "x"}, `^\{"id":"[0-9a-f]{20}"\}$`},
		{"get_memory", object{"id": "$paris"}, `^` + paris + `$`},
		{"get_memory", object{"id": "$rome"}, `^` + rome + `$`},
		{"get_memory", object{"id": nested("$deploy")}, `^` + deploy + `$`},
		{"get_memory", object{"id": "memories:$deploy"}, `^` + deploy + `$`},
		{"update_memory", object{"id": "$paris", "metadata": object{"k": 1}, "memory_type": "semantic", "importance_score": 0}, `"memory_type":"semantic","metadata":\{"k":1\},"user_id":"ada".*"importance_score":0,"invalidation_reason":"she moved"`},
		{"update_memory", object{"id": "$rome", "content": "Ada lives in Ostia", "validUntil": "2027-01-01", "user_id": "ada"}, `"content":"Ada lives in Ostia".*"valid_until":"2027-01-01T00:00:00Z"`},
		{"delete_memory", object{"id": "$rome"}, `^\{"deleted":true\}$`},
		{"delete_memory", object{"id": "00000000000000000000"}, `^\{"deleted":false\}$`},
		{"delete_memory", object{"id": "a1b2c3x9y8z7a1b2c3x9"}, `^\{"deleted":false\}$`},
		{"list_memories", object{}, `^\{"memories":\[` + rome + `,` + deploy + `,` + paris + `\],"total":3,"limit":20,"offset":0\}$`},
		{"list_memories", object{"limit": 1, "offset": "1"}, `^\{"memories":\[` + deploy + `\],"total":3,"limit":1,"offset":1\}$`},
		{"list_memories", object{"userId": "ada", "memoryType": "episodic"}, `^\{"memories":\[` + paris + `\],"total":1`},
		{"list_memories", object{"metadata_filter": object{"room": object{"floor": 2}}, "limit": 5}, `^\{"memories":\[` + paris + `\],"total":1`},
		{"list_memories", object{"metadata_filter": object{"room": object{"floor": 3}}}, `^\{"memories":\[\],"total":0`},
		{"list_memories", object{"agent_id": "builder", "run_id": "r1"}, `^\{"memories":\[` + deploy + `\],"total":1`},
		{"list_memories", object{"ingestion_after": "2026-02-27", "ingestion_before": "2026-02-28"}, `^\{"memories":\[` + deploy + `\],"total":1`},
		{"list_memories", object{"event_after": "2026-02-27", "event_before": "2026-02-27T12:00:00Z"}, `^\{"memories":\[` + rome + `\],"total":1`},
		{"list_memories", object{"namespace": "none", "userId": "ida"}, `^\{"memories":\[\],"total":0`},
		{"get_valid", object{}, `^\{"memories":\[` + rome + `,` + deploy + `\],"count":2\}$`},
		{"get_valid", object{"timestamp": "2026-02-28T11:59:59Z", "user_id": "ada"}, `^\{"memories":\[` + paris + `\],"count":1,"timestamp":"2026-02-28T11:59:59Z"\}$`},
		{"get_valid_at", object{"timestamp": "2026-02-28T12:00:00Z", "user_id": "ada"}, `^\{"memories":\[` + rome + `\],"count":1,"timestamp":"2026-02-28T12:00:00Z"\}$`},
		{"get_valid_at", object{"timestamp": "2026-02-26T12:00:00Z", "limit": 1}, `^\{"memories":\[` + paris + `\],"count":1`},
		{"get_valid_at", object{"timestamp": "2026-03-01", "known_at": "2026-02-27"}, `^\{"memories":\[\{"id":"\$paris",[^}]*"room":\{[^}]*\}[^}]*\}[^}]*"access_count":1\}\],"count":1`},
		{"invalidate", object{"id": "$deploy", "reason": "obsolete"}, `^\{"invalidated":true\}$`},
		{"invalidate", object{"id": "$paris", "reason": "again"}, `^\{"invalidated":false\}$`},
		{"invalidate", object{"id": "00000000000000000000"}, `^\{"invalidated":false\}$`},
		{"search", object{"query": "where does Ada live"}, `^\{"results":\[\{"id":"\$rome","content":"` + romeText + `","memory_type":"semantic","score":0\.\d+\}.*\],"count":\d,"query":"where does Ada live"`},
		{"search", object{"query": "Ada Paris", "valid_at": "2026-02-27", "user_id": "ada"}, `^\{"results":\[\{"id":"\$paris"[^]]*\],"count":1`},
		{"search", object{"query": "Ada", "metadata_filter": object{"source": "call"}}, `^\{` + none},
		{"search_text", object{"query": "release", "limit": "3"}, `^\{"results":\[\{"id":"\$deploy"[^]]*\],"count":1,"query":"release"`},
		{"search_memory", object{"query": "release", "mode": "bm25"}, `^\{"results":\[\{"id":"\$deploy"[^]]*\],"count":1`},
		{"search_memory", object{"query": "release", "mode": "vector"}, `"query":"release"`},
		{"search_memory", object{"query": "release", "agentId": "builder", "minScore": .1}, `^\{"results":\[\{"id":"\$deploy"[^]]*\],"count":1`},
		{"search_memory", object{"query": "release", "min_score": 1}, `^\{` + none},
		{"recall", object{"query": "release"}, `^\{"results":\[\{"id":"\$deploy","content":"` + deployDoc + `","memory_type":"procedural","score":0\.\d+,"vector_score":0,"bm25_score":1,"ppr_score":[01][.\d]*\}.*"weights":\{"vector":0\.4,"bm25":0\.15,"ppr":0\.45\}\}$`},
		{"recall", object{"query": "release", "vectorWeight": 0, "bm25Weight": 1, "pprWeight": 0, "min_score": .9}, `^\{"results":\[\{"id":"\$deploy"[^]]*"score":1,[^]]*\],"count":1,.*"weights":\{"vector":0,"bm25":1,"ppr":0\}\}$`},
		{"create_entity", object{"name": "Grace Hopper", "entity_type": "person", "description": "She wrote a compiler.", "user_id": "ada"}, `^\{"id":"[0-9a-f]{20}"\}$`},
		{"knowledge_graph", object{"action": "create_entity", "name": "Grace Hopper"}, `^\{"id":"[0-9a-f]{20}"\}$`},
		{"create_relation", object{"from_entity": "$deploy", "to_entity": "$rome", "relation_type": "serves"}, `^\{"id":"\$deploy-serves-\$rome"\}$`},
		{"create_relation", object{"from_entity": "$rome", "to_entity": "$deploy", "relation_type": "needs", "weight": 1}, `^\{"id":"\$rome-needs-\$deploy","replaced":\[\{"id":"\$rome-needs-\$deploy","from_entity":"\$rome","to_entity":"\$deploy","relation_type":"needs","weight":0\.5\}\]\}$`},
		{"knowledge_graph", object{"action": "create_relation", "from_entity": "$deploy", "to_entity": "$rome", "relation_type": "serves"}, `^\{"id":"\$deploy-serves-\$rome"\}$`},
		{"get_related", object{"entity_id": "$rome"}, `^\{"entities":\[\{"id":"\$deploy","name":"` + deployDoc + `","entity_type":"procedural","distance":1\}\],"relations":\[\{"id":"\$rome-needs-\$deploy",[^]]*"weight":0\.5\}\],"entity_count":1,"relation_count":1,"truncated":false,"frontier":\["\$deploy"\]\}$`},
		{"get_related", object{"entity_id": "$rome", "direction": "in"}, `^\{"entities":\[\],"relations":\[\],"entity_count":0,"relation_count":0,"truncated":false\}$`},
		{"get_related", object{"entity_id": "$deploy", "direction": "incoming", "depth": 2}, `"entity_count":1,`},
		{"get_related", object{"entity_id": "$rome", "known_at": "2026-02-28T13:00:00Z"}, `"entity_count":0,`},
		{"knowledge_graph", object{"action": "get_related", "entity_id": "$rome", "direction": "both"}, `"entity_count":1,`},
		{"detect_communities", nil, `^\{"communities":\[\["\$(rome|deploy)","\$(rome|deploy)"\]\],"sizes":\[2\],"labels":\["[^"]+"\],"community_count":1,"entity_count":2\}$`},
		{"knowledge_graph", object{"action": "detect_communities"}, `"community_count":1`},
		{"get_status", object{"_placeholder": true}, `^\{"version":"v1\.2\.3","status":"(healthy|degraded)","memories_count":3,"entities_count":0,"embedding":\{"status":"ready"`},
		{"reset_all_memory", object{"confirm": false}, `^\{"reset":false,"message":"[^"]+"\}$`},
		{"reset_all_memory", object{"confirm": true}, `^\{"reset":true,"deleted":\{"memories":3\},"message":"[^"]+"\}$`},
		{"how_to_use", nil, `^\{"guide":"`},
	}
}

// Every tool takes its documented arguments, in both forms of names, and answers with its documented fields.
func TestMemoryMCP(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for i, x := range memoryMCPCalls() {
		tried[x.tool] = true
		t.Run(fmt.Sprintf("%d_%s", i, x.tool), func(t *testing.T) {
			t.Parallel()
			s := startMCP(t)
			o := s.must(x.tool, s.named(x.args), nil)
			if text := s.shown(o.Text); !regexp.MustCompile(x.want).MatchString(text) || !json.Valid([]byte(o.Text)) {
				t.Errorf("%v: got\n%s\nwant a match of\n%s", x.args, text, x.want)
			}
		})
	}
	for _, tool := range memorymcp.New().Tools {
		if !tool.Code && !tried[tool.Name] {
			t.Errorf("%s is not tried", tool.Name)
		}
	}
}

// The end of a fact with its successor and the reason is one operation, which one undo takes back whole.
func TestMemoryMCP_InvalidateIsOneOperation(t *testing.T) {
	t.Parallel()
	s := startMCP(t)
	m := s.engine.In(hippo.LocalScope(""))
	log, err := memory.Operations(t.Context(), m, api.Operations{})
	if err != nil || len(log.Operations) != 1 || log.Operations[0].Reason != "she moved" {
		t.Fatalf("the log has %+v (%v)", log, err)
	}
	if _, err := memory.Undo(t.Context(), m, log.Operations[0].ID); err != nil {
		t.Fatal(err)
	}
	text := s.must("get_memory", s.named(object{"id": "$paris"}), nil).Text
	for _, key := range []string{"valid_until", "superseded_by", "invalidation_reason"} {
		if strings.Contains(text, key) {
			t.Errorf("after the undo it has %s: %s", key, text)
		}
	}
}

// An entity of a name that is taken is the one that is there, and names mean entities.
func TestMemoryMCP_Entities(t *testing.T) {
	t.Parallel()
	s := startMCP(t)
	s.keys["$harbour"] = ask[struct{ ID string }](s.session, "create_entity", object{"name": "Harbour", "entity_type": "unknown", "description": "It lies at the sea.", "user_id": "ada"}).ID
	for _, x := range []exchange{
		{"create_entity", object{"name": "harbour", "description": "Another one."}, `^\{"id":"\$harbour","existing":true\}$`},
		{"create_relation", object{"from_entity": "Harbour", "to_entity": "$paris", "relation_type": "near"}, `^\{"id":"\$harbour-near-\$paris"\}$`},
		{"get_related", object{"entity_id": "harbour"}, `"entities":\[\{"id":"\$paris"`},
		{"get_related", object{"entity_id": "$paris", "direction": "in"}, `^\{"entities":\[\{"id":"\$harbour","name":"Harbour","entity_type":"unknown","description":"It lies at the sea\.","distance":1\}\]`},
		{"get_status", nil, `"entities_count":1`},
		{"search", object{"query": "harbour at the sea"}, `"results":\[(\{"id":"\$(rome|deploy)[^]]*)?\]`},
		{"list_memories", object{"limit": 1}, `^\{"memories":\[\{"id":"\$rome",[^]]*\],"total":3,`},
		{"list_memories", object{"user_id": "ada", "metadata_filter": object{}}, `"total":2,`},
		{"get_valid", object{}, `^\{"memories":\[\{"id":"\$rome",[^]]*\{"id":"\$deploy",[^]]*\],"count":2\}$`},
	} {
		if text := s.shown(s.must(x.tool, s.named(x.args), nil).Text); !regexp.MustCompile(x.want).MatchString(text) {
			t.Errorf("%s(%v): got\n%s\nwant a match of\n%s", x.tool, x.args, text, x.want)
		}
	}
}

// What is wrong is a result with isError, a message and a code in the structured content; it changes nothing.
func TestMemoryMCP_Refuses(t *testing.T) {
	t.Parallel()
	const unknown = "00000000000000000000"
	s := startMCP(t)
	for _, x := range []struct {
		exchange
		code hippo.Code
	}{
		{exchange{"store_memory", object{}, `^content: is required`}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": " "}, `^content: is required`}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": strings.Repeat("x", hippo.MaxContent+1)}, `^content: `}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": "x", "memory_type": "factual"}, `^memory_type: must be one of episodic, semantic, procedural`}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": "x", "importance_score": 11}, `^importance_score: must be between 0 and 10`}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": "x", "metadata": []int{1}}, `^metadata: must be an object`}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": "x", "metadata": object{"_hippo": 1}}, `^metadata\._hippo: is reserved`}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": "x", "valid_from": "2026-03-01", "valid_until": "2026-02-01"}, `^valid_until: `}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": "x", "event_time": "soonish"}, `^event_time: must be a time like`}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": "x", "tags": "a"}, `^tags: is unknown: known are content, memory_type`}, hippo.CodeInvalid},
		{exchange{"store_memory", object{"content": "password = hunter2x9QzLw7Rt"}, `nothing was stored`}, hippo.CodeSecret},
		{exchange{"get_memory", object{"id": unknown}, `^Memory not found: ` + unknown + `$`}, hippo.CodeNotFound},
		{exchange{"get_memory", object{"id": "g7h8i9j0klmnopqrstuv"}, `^Memory not found: g7h8i9j0klmnopqrstuv$`}, hippo.CodeNotFound},
		{exchange{"get_memory", object{"id": object{"tb": "memories"}}, `^id: must be an ID as text`}, hippo.CodeInvalid},
		{exchange{"get_memory", object{"id": 7}, `^id: must be an ID as text, got 7$`}, hippo.CodeInvalid},
		{exchange{"update_memory", object{"id": unknown, "content": "y"}, `^Memory not found: `}, hippo.CodeNotFound},
		{exchange{"update_memory", object{"id": "$rome"}, `: `}, hippo.CodeInvalid},
		{exchange{"update_memory", object{"id": "$rome", "content": ""}, `^content: is empty$`}, hippo.CodeInvalid},
		{exchange{"update_memory", object{"id": "$rome", "content": "y", "user_id": "bob"}, `^user_id: is "ada" and cannot be changed, got "bob"`}, hippo.CodeInvalid},
		{exchange{"update_memory", object{"id": "$rome", "memory_type": "x"}, `^memory_type: must be one of`}, hippo.CodeInvalid},
		{exchange{"list_memories", object{"limit": 0}, `^limit: `}, hippo.CodeInvalid},
		{exchange{"list_memories", object{"offset": -1}, `^offset: `}, hippo.CodeInvalid},
		{exchange{"list_memories", object{"event_after": "2026-02-02", "event_before": "2026-02-01"}, `event_`}, hippo.CodeInvalid},
		{exchange{"get_valid_at", object{}, `^timestamp: is required`}, hippo.CodeInvalid},
		{exchange{"get_valid_at", object{"timestamp": "soonish"}, `^timestamp: must be a time like`}, hippo.CodeInvalid},
		{exchange{"invalidate", object{"id": "$rome", "superseded_by": unknown}, `^Memory not found: ` + unknown + `$`}, hippo.CodeNotFound},
		{exchange{"invalidate", object{"id": "$rome", "superseded_by": "$rome"}, `superseded_by`}, hippo.CodeInvalid},
		{exchange{"search", object{"query": " "}, `^query: is required`}, hippo.CodeInvalid},
		{exchange{"search", object{"query": "x", "limit": 1000}, `^limit: `}, hippo.CodeInvalid},
		{exchange{"search_memory", object{"query": "x", "mode": "magic"}, `^mode: must be one of vector, bm25`}, hippo.CodeInvalid},
		{exchange{"search_memory", object{"query": "x", "min_score": 2}, `^min_score: `}, hippo.CodeInvalid},
		{exchange{"search_memory", object{"query": "x", "minScore": .1, "min_score": .2}, `^minScore: is another name of min_score`}, hippo.CodeInvalid},
		{exchange{"recall", object{"query": "x", "vector_weight": 0, "bm25_weight": 0, "ppr_weight": 0}, `^vector_weight: `}, hippo.CodeInvalid},
		{exchange{"knowledge_graph", object{}, `^action: is required`}, hippo.CodeInvalid},
		{exchange{"create_entity", object{"entity_type": "person"}, `^name: is required`}, hippo.CodeInvalid},
		{exchange{"create_entity", object{"name": " "}, `^name: must not be blank for an entity`}, hippo.CodeInvalid},
		{exchange{"create_relation", object{"from_entity": "$rome", "to_entity": "$rome", "relation_type": ""}, `^relation_type: must not be blank`}, hippo.CodeInvalid},
		{exchange{"update_memory", object{"id": "$rome", "valid_from": "whenever", "valid_until": "sometime"}, `^valid_from: must be a time`}, hippo.CodeInvalid},
		{exchange{"create_entity", object{"name": strings.Repeat("x", 300)}, `^name: `}, hippo.CodeInvalid},
		{exchange{"knowledge_graph", object{"action": "fly"}, `^action: must be one of`}, hippo.CodeInvalid},
		{exchange{"knowledge_graph", object{"action": "get_related"}, `^entity_id: is required`}, hippo.CodeInvalid},
		{exchange{"create_relation", object{"from_entity": "$rome", "to_entity": "$deploy"}, `^relation_type: is required`}, hippo.CodeInvalid},
		{exchange{"create_relation", object{"from_entity": "$rome", "to_entity": unknown, "relation_type": "x"}, `^Entity not found: ` + unknown + `$`}, hippo.CodeNotFound},
		{exchange{"create_relation", object{"from_entity": "$rome", "to_entity": "$rome", "relation_type": "x"}, `^to_entity: `}, hippo.CodeInvalid},
		{exchange{"create_relation", object{"from_entity": "$rome", "to_entity": "$deploy", "relation_type": "x", "weight": 2}, `^weight: `}, hippo.CodeInvalid},
		{exchange{"get_related", object{"entity_id": unknown}, `^Entity not found: `}, hippo.CodeNotFound},
		{exchange{"get_related", object{"entity_id": "$rome", "depth": 11}, `^depth: `}, hippo.CodeInvalid},
		{exchange{"search_code", object{"query": "x"}, `answers no questions about code$`}, hippo.CodeUnsupported},
		{exchange{"index_project", object{"path": "/"}, `answers no questions about code$`}, hippo.CodeUnsupported},
		{exchange{"list_projects", nil, `answers no questions about code$`}, hippo.CodeUnsupported},
		{exchange{"reset_all_memory", object{}, `^confirm: is required`}, hippo.CodeInvalid},
	} {
		o := s.tool(x.tool, s.named(x.args))
		var body struct{ Error struct{ Code hippo.Code } }
		if err := json.Unmarshal(o.Data, &body); err != nil {
			t.Errorf("%s(%v): %v: %+v", x.tool, x.args, err, o)
		}
		if !o.IsError || !regexp.MustCompile(x.want).MatchString(o.Text) || body.Error.Code != x.code {
			t.Errorf("%s(%v): got %+v, want %q and %s", x.tool, x.args, o, x.want, x.code)
		}
	}
	l, err := memory.List(t.Context(), s.engine.In(hippo.LocalScope("")), api.List{})
	if err != nil || l.Total != 3 {
		t.Fatalf("got %d memories (%v), want the 3 there were", l.Total, err)
	}
	for _, m := range l.Memories {
		if m.Version != 1 {
			t.Errorf("%s was changed", m.Content)
		}
	}
	if o := s.tool("no_such_tool", object{}); o.Protocol == nil {
		t.Errorf("an unknown tool: got %+v, want an error of the protocol", o)
	}
}

// All names of the design, of the versions 0.8 and 0.9, and of the time between are there.
func TestMemoryMCP_Names(t *testing.T) {
	t.Parallel()
	want := strings.Fields(`store_memory get_memory update_memory delete_memory list_memories search search_text recall create_entity create_relation get_related get_valid get_valid_at invalidate
		get_status reset_all_memory search_memory knowledge_graph detect_communities how_to_use
		search_code recall_code search_symbols symbol_graph get_symbol_callers get_symbol_callees get_related_symbols index_project get_index_status list_projects delete_project project_info get_project_stats`)
	var got []string
	for _, tool := range memorymcp.New().Tools {
		got = append(got, tool.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A scope also bounds these tools.
func TestMemoryMCP_Scope(t *testing.T) {
	t.Parallel()
	s := startMCP(t)
	s.end()
	s.serveIn(hippo.Scope{Projects: []string{"elsewhere"}, Rights: hippo.RightRead}, []string{memorymcp.Name})
	for _, x := range []exchange{
		{"list_memories", object{"namespace": "*"}, `"total":0`},
		{"search", object{"query": "Ada"}, `"count":0`},
		{"recall", object{"query": "Ada"}, `"count":0`},
		{"get_memory", object{"id": "$rome"}, "Memory not found"},
		{"delete_memory", object{"id": "$rome"}, `"deleted":false`},
		{"detect_communities", nil, `"entity_count":0`},
		{"get_status", nil, `"memories_count":0`},
		{"store_memory", object{"content": "x", "namespace": "elsewhere"}, "forbidden"},
	} {
		if o := s.tool(x.tool, s.named(x.args)); !strings.Contains(o.Text, x.want) {
			t.Errorf("%s: got %+v, want %q", x.tool, o, x.want)
		}
	}
}

// The sessions in testdata/memory-mcp are answered as they are written there. Keys have names, in the order in which they come.
func TestTranscripts_MemoryMCP(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/memory-mcp/*.transcript")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts (%v)", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := replayKeys(t, connectMCP(t), string(b))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(b), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// replayKeys is [replay] with names for the keys of memories. Uses are counted some time after an answer, and are left out.
func replayKeys(t *testing.T, s *session, transcript string) string {
	t.Helper()
	key, uses := regexp.MustCompile(`\b[0-9a-f]{20}\b`), regexp.MustCompile(`(access_count": )\d+`)
	var known []string
	original := func(message string) string {
		for i, k := range known {
			message = strings.ReplaceAll(message, fmt.Sprintf("key-%d", i+1), k)
		}
		return message
	}
	return exchanged(t, s, transcript, original, func(answer string) string {
		return key.ReplaceAllStringFunc(uses.ReplaceAllString(answer, "${1}N"), func(k string) string {
			if !slices.Contains(known, k) {
				known = append(known, k)
			}
			return fmt.Sprintf("key-%d", slices.Index(known, k)+1)
		})
	})
}

// Without a limit, tools return as many results as their schema says.
func TestMemoryMCP_DefaultLimit(t *testing.T) {
	t.Parallel()
	s := connectMCP(t)
	s.hello()
	for i := range 25 {
		s.must("store_memory", object{"content": fmt.Sprintf("The gateway restarts, case %d", i)}, nil)
	}
	for tool, want := range map[string]int{"search": 10, "search_text": 10, "search_memory": 20, "recall": 20} {
		if got := ask[struct{ Count int }](s, tool, object{"query": "gateway restarts"}).Count; got != want {
			t.Errorf("%s: got %d, want %d", tool, got, want)
		}
	}
}
