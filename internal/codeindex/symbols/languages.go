package symbols

// languages returns the languages that are read by a grammar, by name.
func languages() map[string]*language {
	return map[string]*language{
		"go": goLanguage(), "javascript": javascriptLanguage(), "python": pythonLanguage(),
		"tsx": typescriptLanguage("tsx"), "typescript": typescriptLanguage("typescript"),
	}
}
