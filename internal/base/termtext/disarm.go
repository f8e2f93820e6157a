package termtext

import (
	"regexp"
	"strings"
	"sync"
)

// element matches the beginnings of tags that a client or a model could take for its own: those of our frame, and marks
// of turns and tools. Others stay: notes have code.
var element = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`(?i)<(/|\||(?:hippo|system|functions?|invoke|tools?|assistant|human|user|developer|instructions|antml)(?:\b|_))`)
})

// Disarm returns a text for a model in which no tag can begin or end a frame of a client: "‹/system-reminder>". It is for
// texts that are read, not for JSON, which is parsed.
func Disarm(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	return element().ReplaceAllString(s, "‹$1")
}
