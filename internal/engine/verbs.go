package engine

// Verbs are those of this package by name.
func Verbs() map[string]Verb {
	return map[string]Verb{
		"flush": VerbOf(flush),
		"ready": VerbOf(ready),
	}
}
