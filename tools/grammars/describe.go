package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const heading = `# Grammars

WebAssembly modules, packed by xz. Each holds the runtime of tree-sitter, one grammar and tools/grammars/glue, and imports one
function, by which a parse can be ended. ` + "`make grammars`" + ` fetches the packages from npm, checks them, compiles them by Debian's clang 14 and writes this
folder. All are MIT; LICENSES.txt has the texts.

| module | bytes | SHA-256 of the module | package | SHA-256 of its archive |
|---|---|---|---|---|
`

// describe writes what the modules are made of, and the licences.
func (b builder) describe() error {
	var text, licences strings.Builder
	text.WriteString(heading)
	done := map[string]bool{}
	licence := func(s source) error {
		if done[s.name] {
			return nil
		}
		done[s.name] = true
		data, err := os.ReadFile(filepath.Join(b.folder(s), "LICENSE"))
		if err != nil {
			return err
		}
		fmt.Fprintf(&licences, "%s %s\n\n%s\n\n", s.name, s.version, strings.TrimSpace(strings.ReplaceAll(string(data), "\r", "")))
		return nil
	}
	if err := licence(library()); err != nil {
		return err
	}
	for _, g := range grammars() {
		data, err := os.ReadFile(filepath.Join(b.out, g.language+".wasm.xz"))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "| %s | %d | `%x` | `%s` %s | `%s` |\n", g.language, len(data), sha256.Sum256(data), g.source.name, g.source.version, g.source.sha256)
		if err := licence(g.source); err != nil {
			return err
		}
	}
	runtime := library()
	fmt.Fprintf(&text, "\nThe runtime is that of `%s` %s, `%s`.\n", runtime.name, runtime.version, runtime.sha256)
	if err := os.WriteFile(filepath.Join(b.out, "README.md"), []byte(text.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.out, "LICENSES.txt"), []byte(strings.TrimSpace(licences.String())+"\n"), 0o644)
}
