package main

import "regexp"

// responses is the Responses API, which Codex speaks.
func responses() protocol {
	return protocol{
		path: regexp.MustCompile(`/responses$`),
		tools: func(body []byte) (out []tool) {
			type entry struct{ Type, Name string }
			for _, t := range field[[]struct {
				entry
				Tools []entry
			}](body, "tools") {
				out = append(out, tool{name: t.Name})
				for _, u := range t.Tools {
					out = append(out, tool{t.Name, u.Name})
				}
			}
			return out
		},
		reply: func(_ string, body []byte, a answer) (contentType, text string) {
			item := object{
				"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed",
				"content": []any{object{"type": "output_text", "text": a.text, "annotations": []any{}}},
			}
			if a.call != nil {
				item = object{"type": "function_call", "id": "fc_" + a.id, "call_id": "call_" + a.id, "name": a.call.name, "arguments": a.call.args, "status": "completed"}
				if a.call.namespace != "" {
					item["namespace"] = a.call.namespace
				}
			}
			response := func(status string, output ...any) object {
				return object{
					"id": "resp_1", "object": "response", "status": status, "model": field[string](body, "model"), "output": append([]any{}, output...),
					"usage": object{
						"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
						"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
					},
				}
			}
			return events(true,
				object{"type": "response.created", "response": response("in_progress")},
				object{"type": "response.output_item.added", "output_index": 0, "item": item},
				object{"type": "response.output_item.done", "output_index": 0, "item": item},
				object{"type": "response.completed", "response": response("completed", item)},
			)
		},
	}
}

// chat is the Chat Completions API, which opencode speaks to a provider of the user's own.
func chat() protocol {
	return protocol{
		path: regexp.MustCompile(`/chat/completions$`),
		tools: func(body []byte) (out []tool) {
			for _, t := range field[[]struct{ Function struct{ Name string } }](body, "tools") {
				out = append(out, tool{name: t.Function.Name})
			}
			return out
		},
		reply: func(_ string, body []byte, a answer) (contentType, text string) {
			delta, reason := object{"role": "assistant", "content": a.text}, "stop"
			if a.call != nil {
				delta, reason = object{"role": "assistant", "content": nil, "tool_calls": []any{object{
					"index": 0, "id": "call_" + a.id, "type": "function", "function": object{"name": a.call.name, "arguments": a.call.args},
				}}}, "tool_calls"
			}
			base := func(kind string, choice object) object {
				choice["index"] = 0
				return object{
					"id": "chat_1", "object": kind, "created": 1, "model": field[string](body, "model"), "choices": []any{choice},
					"usage": object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
				}
			}
			if !field[bool](body, "stream") {
				return "application/json", jsonOf(base("chat.completion", object{"message": delta, "finish_reason": reason}))
			}
			const chunk = "chat.completion.chunk"
			contentType, text = events(false, base(chunk, object{"delta": delta, "finish_reason": nil}), base(chunk, object{"delta": object{}, "finish_reason": reason}))
			return contentType, text + "data: [DONE]\n\n"
		},
	}
}
