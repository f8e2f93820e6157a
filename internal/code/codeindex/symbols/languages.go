package symbols

// languages returns the languages that are read by a grammar, by name.
func languages() map[string]*language {
	return map[string]*language{
		"bash": bashLanguage(), "c": cLanguage(), "cpp": cppLanguage(), "csharp": csharpLanguage(), "go": goLanguage(), "java": javaLanguage(), "javascript": javascriptLanguage(), "kotlin": kotlinLanguage(),
		"php": phpLanguage(), "python": pythonLanguage(), "ruby": rubyLanguage(), "rust": rustLanguage(), "sql": sqlLanguage(), "swift": swiftLanguage(),
		"tsx": typescriptLanguage("tsx"), "typescript": typescriptLanguage("typescript"),
	}
}
