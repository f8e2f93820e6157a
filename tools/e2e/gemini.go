package main

import (
	"encoding/json"
	"regexp"
	"strings"
)

// gemini is the generateContent API, which Gemini CLI speaks. The path says whether an answer is streamed.
func gemini() protocol {
	return protocol{
		path: regexp.MustCompile(`:(streamG|g)enerateContent$`),
		tools: func(body []byte) (out []tool) {
			for _, group := range field[[]struct{ FunctionDeclarations []struct{ Name string } }](body, "tools") {
				for _, t := range group.FunctionDeclarations {
					out = append(out, tool{name: t.Name})
				}
			}
			return out
		},
		reply: func(path string, _ []byte, a answer) (contentType, text string) {
			part := object{"text": a.text}
			if a.call != nil {
				part = object{"functionCall": object{"name": a.call.name, "args": json.RawMessage(a.call.args)}}
			}
			answer := object{
				"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
				"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
				"modelVersion":  "mock",
			}
			if strings.Contains(path, "stream") {
				return events(false, answer)
			}
			return "application/json", jsonOf(answer)
		},
	}
}
