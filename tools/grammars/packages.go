package main

// A source is a package of npm, and the SHA-256 of its archive.
type source struct {
	name, version, sha256 string
}

// library is the runtime that every grammar needs.
func library() source {
	return source{"tree-sitter", "0.25.0", "016448ee8e2c23aed7e1155c118cd66cd026e6436f7394b3f3606d30bf9aaa4a"}
}

// libraryFolder is where the package has the runtime.
const libraryFolder = "vendor/tree-sitter/lib"

// A grammar is what one module is made of.
type grammar struct {
	language string // its name here, and that of the module
	function string // that returns the grammar, without tree_sitter_
	source   source
	folder   string // of parser.c
}

// grammars lists what is built.
func grammars() []grammar {
	typescript := source{"tree-sitter-typescript", "0.23.2", "0fdf63c35930a75885145d75ee63cb879da2d49db9bfe454bd8e60b08ba778a1"}
	return []grammar{
		{"go", "go", source{"tree-sitter-go", "0.25.0", "f7265544d6b297797dc3675c02b76fb182c177ce29fda10ac1f36e9ab33fd90e"}, "src"},
		{"javascript", "javascript", source{"tree-sitter-javascript", "0.25.0", "6214ce23d03aba525ba8edd6ca7caf365c969f2c2dbfc353e376ca54507ffb92"}, "src"},
		{"python", "python", source{"tree-sitter-python", "0.25.0", "63b76b3fa8181fd79eaad4abcdb21e2babcb504dbfc7710a89934fa456d26096"}, "src"},
		{"tsx", "tsx", typescript, "tsx/src"},
		{"typescript", "typescript", typescript, "typescript/src"},
	}
}
