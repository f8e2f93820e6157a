package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Claude Code shows its model only the names of the tools of servers, which it loads by a tool of its own.
const (
	toolSearch     = "ToolSearch"
	deferredPrefix = "mcp__hippo__"
)

type object = map[string]any

// jsonOf returns the JSON of a value that can be marshalled.
func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// events returns server-sent events. Named events carry their type as name, too.
func events(named bool, list ...object) (contentType, text string) {
	var b strings.Builder
	for _, e := range list {
		if named {
			fmt.Fprintf(&b, "event: %s\n", e["type"])
		}
		fmt.Fprintf(&b, "data: %s\n\n", jsonOf(e))
	}
	return "text/event-stream", b.String()
}

// field returns a field of a JSON object; the zero value if it has none of that type.
func field[T any](body []byte, name string) T {
	var fields map[string]json.RawMessage
	var v T
	if json.Unmarshal(body, &fields) == nil {
		_ = json.Unmarshal(fields[name], &v)
	}
	return v
}

// anthropic is the Messages API, which Claude Code speaks.
func anthropic() protocol {
	return protocol{
		path: regexp.MustCompile(`/messages$`),
		tools: func(body []byte) (out []tool) {
			for _, t := range field[[]struct{ Name string }](body, "tools") {
				out = append(out, tool{name: t.Name})
			}
			return out
		},
		reply: anthropicReply,
	}
}

func anthropicReply(_ string, body []byte, a answer) (contentType, text string) {
	block, delta, reason := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": a.text}, "end_turn"
	if a.call != nil {
		block = object{"type": "tool_use", "id": "toolu_" + a.id, "name": a.call.name, "input": object{}}
		delta, reason = object{"type": "input_json_delta", "partial_json": a.call.args}, "tool_use"
	}
	message := object{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": field[string](body, "model"), "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 10, "output_tokens": 1},
	}
	if !field[bool](body, "stream") {
		message["content"], message["stop_reason"] = []any{object{"type": "text", "text": a.text}}, "end_turn"
		return "application/json", jsonOf(message)
	}
	return events(true,
		object{"type": "message_start", "message": message},
		object{"type": "content_block_start", "index": 0, "content_block": block},
		object{"type": "content_block_delta", "index": 0, "delta": delta},
		object{"type": "content_block_stop", "index": 0},
		object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 5}},
		object{"type": "message_stop"},
	)
}
