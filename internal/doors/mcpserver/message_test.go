package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
)

// The answer has the id of the request, to the last digit, and no two ids are confused.
func TestID_Exact(t *testing.T) {
	t.Parallel()
	ids := []string{
		"0", "-0", "1", "1.5", "1.0", "-1", "1e3", "1000", "1E400", "9007199254740992", "9007199254740993", "-9007199254740993",
		"9223372036854775807", "9223372036854775808", "123456789012345678901234567890", "0.1", `""`, `"1"`, `"1.5"`, `"\u0000number"`, `"ü 日"`,
	}
	text := make([]string, len(ids))
	var want []string
	for i, id := range ids {
		text[i] = ping(id)
		want = append(want, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
	}
	got := start(t).exchange(strings.Join(text, "\n") + "\n")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A request is cancelled by its id, exact or not, and by no other.
func TestID_Cancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, never)
		for _, id := range []string{"9007199254740993", "1.5", "1", `"1"`} {
			w.write(strings.Replace(statusCall(0), `"id":0`, `"id":`+id, 1))
		}
		for _, id := range []string{`"1"`, "1", "1.5", "9007199254740993"} {
			w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
			if got := w.read(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,`) {
				t.Errorf("got %s, want the answer to %s", got, id)
			}
		}
		w.finish()
	})
}

// What the server sends about a request also has its exact id.
func TestID_Subscription(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.line(`{"jsonrpc":"2.0","id":9007199254740993,"method":"subscriptions/listen","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{}}}`)
	for range 2 {
		if got := string(s.reply()); !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":9007199254740993}`) {
			t.Errorf("got %s", got)
		}
	}
}

// What is no request is answered with its id, if it has one, and a code.
func TestMalformed(t *testing.T) {
	t.Parallel()
	const record = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hippo_record_insight","arguments":%s}}`
	pad := strings.Repeat("y", 8<<20)
	for name, tc := range map[string]struct{ line, want string }{
		"no_method":          {`{"jsonrpc":"2.0","id":7}`, `"id":7,"error":{"code":-32600,"message":"message has no method"}`},
		"no_method_no_id":    {`{"jsonrpc":"2.0"}`, `"id":null,"error":{"code":-32600,`},
		"method_not_text":    {`{"jsonrpc":"2.0","id":7,"method":7}`, `"id":7,"error":{"code":-32600,"message":"method must be a text"}`},
		"second_initialize":  {strings.Replace(initialize, `"hello"`, `7`, 1), `"id":7,"error":{"code":-32600,`},
		"surrogate":          {fmt.Sprintf(record, `{"content":"half \ud83d of one","situation":["s"],"importance":0.5}`), `"id":7,"error":{"code":-32600,"message":"message has half of a surrogate pair`},
		"surrogate_reversed": {fmt.Sprintf(record, `{"content":"\udc00\ud83d","situation":["s"],"importance":0.5}`), `"id":7,"error":{"code":-32600,"message":"message has half`},
		"key_twice":          {fmt.Sprintf(record, `{"content":"a","content":"b","situation":["s"],"importance":0.5}`), `"id":7,"error":{"code":-32600,"message":"message has the key \"content\" twice in one object"}`},
		"key_twice_escaped":  {fmt.Sprintf(record, `{"content":"a","c\u006fntent":"b","situation":["s"],"importance":0.5}`), `"id":7,"error":{"code":-32600,"message":"message has the key \"content\" twice`},
		"id_twice":           {`{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, `"id":null,"error":{"code":-32600,"message":"message has the key \"id\" twice`},
		"too_long_id_last":   {`{"method":"ping","params":{"id":1,"pad":"\"id\":2,{` + pad + `"} , "jsonrpc":"2.0", "id" : "last" }`, `"id":"last","error":{"code":-32600,`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.line(tc.line)
			if got := string(s.reply()); !strings.Contains(got, tc.want) {
				t.Errorf("got %.300s, want %s", got, tc.want)
			}
			if n := s.stored(); n != 0 {
				t.Errorf("%d stored", n)
			}
		})
	}
}

// The id of a message that is too long to be kept is that of the message itself, if there
// is just one and it is an id.
func TestFindID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"id":1}}`:    "7",
		`{"params":{"id":1,"pad":"\"id\":2,{"} , "id" : "last \" } " }`: `"last \" } "`,
		`{"id":9007199254740993`: "",
		`{"id":1.5e3,"cut":"off`: "1.5e3",
		`{"params":{"id":1}}`:    "",
		`[{"id":7}]`:             "",
		`{"id":7,"id":8}`:        "",
		`{"id":{"a":7}}`:         "",
		`{"id":[7]}`:             "",
		`{"id":null}`:            "",
		`{"id":7x}`:              "",
		`{"id":"` + strings.Repeat("y", 2000) + `"}`:     "",
		`{"` + strings.Repeat("y", 2000) + `":1,"id":7}`: "7",
		`"id":7`: "", `}}{{"id":7}`: "", "": "",
	} {
		if got := mcpserver.FindID([]byte(text)); string(got) != want {
			t.Errorf("%.100s: got %s, want %s", text, got, want)
		}
	}
}

// Before initialize a call is refused, with a code.
func TestMalformed_BeforeInitialize(t *testing.T) {
	t.Parallel()
	s := connect(t, backends()["memory"](t, ""))
	s.line(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if got := string(s.reply()); !strings.Contains(got, `"id":1,"error":{"code":-32600,`) {
		t.Errorf("got %s", got)
	}
}

// A request that was cancelled before it began is answered with a code of its own.
func TestMalformed_Cancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, never)
		for i := range 100 {
			w.write(statusCall(i))
		}
		w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
		if got, want := w.read(), `{"jsonrpc":"2.0","id":99,"error":{"code":-32800,"message":"request was cancelled"}}`+"\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for i := range 99 {
			w.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
			w.read()
		}
		w.finish()
	})
}

// jsonValue draws a value whose texts need escapes.
func jsonValue(depth int) *rapid.Generator[any] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"id", "\"", "\\", "{", "😀", "a\\u", "]}"}))
	kinds := []*rapid.Generator[any]{
		rapid.Map(text, func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(n int64) any { return json.Number(fmt.Sprint(n)) }),
		rapid.SampledFrom([]any{nil, true, json.Number("1.5e3"), json.Number("-0")}),
	}
	if depth > 0 {
		kinds = append(kinds,
			rapid.Map(rapid.SliceOfN(jsonValue(depth-1), 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(text, jsonValue(depth-1), 0, 4), func(m map[string]any) any { return m }))
	}
	return rapid.OneOf(kinds...)
}

// The members of an object are those that the decoder of Go finds, and the id of one that
// is read in pieces is its member id.
func TestMembers_AgreeWithGo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(rapid.SampledFrom([]string{"id", "jsonrpc", "params", "a\"b", "ü"}), jsonValue(3), 0, 5).Draw(t, "object")
		text, err := json.Marshal(object)
		if rapid.Bool().Draw(t, "indented") {
			text, err = json.MarshalIndent(object, "", "\t")
		}
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got, err := mcpserver.Members(text)
		if err != nil || !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Fatalf("%s: got %s (%v), want %s", text, got, err, want)
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		id := mcpserver.FindID(text[:cut], text[cut:])
		if isID := len(want["id"]) > 0 && strings.ContainsRune(`"-0123456789`, rune(want["id"][0])); isID && string(id) != string(want["id"]) || !isID && id != nil {
			t.Fatalf("%s: got id %s, want %s", text, id, want["id"])
		}
	})
}

// FuzzMembers: any JSON is read without a panic, and what passes is what Go decodes.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `7`, `"x"`, `{"a":{"b":[1,{"c":"\ud83d\ude00"}]}}`, `{"a":1,"a":2}`, `"\ud800"`, `"\ud800\ud800"`, `["\udc00"]`, "\"\xff\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.TrimSpace(text)
		mcpserver.FindID([]byte(text))
		if !json.Valid([]byte(text)) {
			return
		}
		got, err := mcpserver.Members([]byte(text))
		var want map[string]json.RawMessage
		if err == nil && text[0] == '{' && (json.Unmarshal([]byte(text), &want) != nil || len(got) != len(want)) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		if err == nil && !utf8.ValidString(text) {
			t.Errorf("%q passes", text)
		}
	})
}
