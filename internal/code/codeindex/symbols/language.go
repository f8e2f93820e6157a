package symbols

import (
	"bytes"
	"path"
	"strings"
)

// Language returns the language of a file, by its name, or the first line of its head if the name
// does not say; "" if neither does. Cost: less than a microsecond.
func Language(name string, head []byte) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if lang, ok := byName(base); ok {
		return lang
	}
	ext := path.Ext(base)
	if ext == ".h" {
		return headerLanguage(head)
	}
	if lang := byExtension(ext); lang != "" {
		return lang
	}
	return shebang(head)
}

func byName(base string) (string, bool) {
	switch base {
	case "gemfile", "rakefile", "guardfile", "podfile", "fastfile", "vagrantfile", "brewfile":
		return "ruby", true
	case "sconstruct", "sconscript", "wscript":
		return "python", true
	case ".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", "pkgbuild":
		return "bash", true
	case ".prettierrc", ".eslintrc", ".babelrc":
		return "json", true
	case "pipfile":
		return "toml", true
	case ".clang-format", ".clang-tidy":
		return "yaml", true
	}
	return "", false
}

// extensions lists the extensions of the languages.
const extensions = `go .go
python .py .pyi .pyw
javascript .js .jsx .mjs .cjs
typescript .ts .mts .cts
tsx .tsx
rust .rs
java .java
c .c
cpp .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .tpp .cu .cuh .ino
csharp .cs .csx
ruby .rb .rake .gemspec .ru
php .php .phtml .php5
kotlin .kt .kts
swift .swift
bash .sh .bash .zsh .ksh .bats
sql .sql .ddl .dml .psql
markdown .md .markdown .mdx .mkd
yaml .yaml .yml
json .json .jsonc .json5 .geojson .webmanifest
toml .toml`

func byExtension(ext string) string {
	if ext == "" {
		return ""
	}
	for line := range strings.Lines(extensions) {
		i := strings.Index(line, " ")
		for rest := line[i:]; ; {
			j := strings.Index(rest, ext)
			if j < 0 {
				break
			}
			rest = rest[j+len(ext):]
			if rest == "" || rest[0] == ' ' || rest[0] == '\n' {
				return line[:i]
			}
		}
	}
	return ""
}

// headerLanguage returns "cpp" for a header with words that C does not have.
func headerLanguage(head []byte) string {
	for _, word := range []string{"\nclass ", "\nnamespace ", "\ntemplate ", "\ntemplate<", "\nusing ", "\npublic:", "#include <string>", "#include <vector>", "std::"} {
		if bytes.Contains(head, []byte(word)) {
			return "cpp"
		}
	}
	return "c"
}

func shebang(head []byte) string {
	if !bytes.HasPrefix(head, []byte("#!")) {
		return ""
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	for word := range strings.FieldsSeq(string(line[2:])) {
		program := strings.TrimRight(path.Base(word), "0123456789.")
		switch program {
		case "bash", "sh", "zsh", "ksh", "dash":
			return "bash"
		case "python", "ruby", "php", "swift":
			return program
		case "node", "nodejs", "bun":
			return "javascript"
		case "deno", "ts-node", "tsx":
			return "typescript"
		}
	}
	return ""
}
