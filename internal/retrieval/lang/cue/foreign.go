package cue

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

// languageBytes is the length of the beginning of a text in which its language is detected.
const languageBytes = 400

// IsForeign reports whether a text is in another language than English, as far as its beginning
// shows; unknown ones count as English: identifiers and names have no language.
func IsForeign(text string) bool {
	if len(text) > languageBytes {
		text = strings.ToValidUTF8(text[:languageBytes], "")
	}
	language := detect.Of(text)
	return language != detect.Unknown && language != detect.English
}
