package symbols_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/code/codeindex/symbols"
)

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"a/b.go", "", "go"},
		{"B.PY", "", "python"},
		{`c:\x\a.tsx`, "", "tsx"},
		{"a.ts", "", "typescript"},
		{"a.d.ts", "", "typescript"},
		{"a.jsx", "", "javascript"},
		{"x.h", "int f(void);", "c"},
		{"x.h", "#pragma once\nnamespace a {}", "cpp"},
		{"x.cs", "", "csharp"},
		{"Rakefile", "", "ruby"},
		{"run", "#!/usr/bin/env python3.12\n", "python"},
		{"run", "#!/bin/sh -e\n", "bash"},
		{"run", "#!/usr/bin/env node", "javascript"},
		{"a.c", "", "c"},
		{"a.md", "", "markdown"},
		{"a.yml", "", "yaml"},
		{"a.json", "", "json"},
		{"Cargo.toml", "", "toml"},
		{"a", "", ""},
		{"a.unknown", "x", ""},
		{"", "", ""},
		{".", "", ""},
		{"a.m", "", ""},
		{"a.kt", "", "kotlin"},
	} {
		if got := symbols.Language(c.name, []byte(c.head)); got != c.want {
			t.Errorf("%s with %q: %q, want %q", c.name, c.head, got, c.want)
		}
	}
}
