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
		{"bash", "bash", source{"tree-sitter-bash", "0.25.1", "d4b2819508ea97cb8953fff7e304a610d443007bd395c8f03a15de9a8ae4a6f9"}, "src"},
		{"c", "c", source{"tree-sitter-c", "0.24.1", "8e9ecd7687665d2fa1b3c07fbd1f4380b7d285850d6954629e2156e1b757451e"}, "src"},
		{"cpp", "cpp", source{"tree-sitter-cpp", "0.23.4", "615d152f70e7a6bed8f15a93c3c0c264c40dc71c1b6a1445646fff9439e776bc"}, "src"},
		{"csharp", "c_sharp", source{"tree-sitter-c-sharp", "0.23.5", "dde5d56fe441a7d64616462c8d741ab4af7874484de6aa74548ac5770c50c414"}, "src"},
		{"go", "go", source{"tree-sitter-go", "0.25.0", "f7265544d6b297797dc3675c02b76fb182c177ce29fda10ac1f36e9ab33fd90e"}, "src"},
		{"java", "java", source{"tree-sitter-java", "0.23.5", "6b6c1b62605f9d8bb80efd2ebe5951a87b182faafa3eeb67c460a667818551b6"}, "src"},
		{"javascript", "javascript", source{"tree-sitter-javascript", "0.25.0", "6214ce23d03aba525ba8edd6ca7caf365c969f2c2dbfc353e376ca54507ffb92"}, "src"},
		{"kotlin", "kotlin", source{"@tree-sitter-grammars/tree-sitter-kotlin", "1.1.0", "28916be3fdb0487dbd4fd0ea62281f969f15cab2bf13132ceb18d2fb167aa697"}, "src"},
		{"php", "php", source{"tree-sitter-php", "0.24.2", "fdd22530d3845540ba74a1199d3f67204a608c99994bb423645d3f0cfdaead94"}, "php/src"},
		{"python", "python", source{"tree-sitter-python", "0.25.0", "63b76b3fa8181fd79eaad4abcdb21e2babcb504dbfc7710a89934fa456d26096"}, "src"},
		{"ruby", "ruby", source{"tree-sitter-ruby", "0.23.1", "1f0f0c100e31ddf650962ebb1f1fb8420bdbabccd49582f6e731ea7478db639d"}, "src"},
		{"rust", "rust", source{"tree-sitter-rust", "0.24.0", "4248da0b9ea40fec13ef010822e7b92a9d1ebdf74f6f2733539b1dbbb086c5bb"}, "src"},
		{"sql", "sql", source{"@derekstride/tree-sitter-sql", "0.3.11", "20f2670c6bee98c442cf0a2afe6e4965b1a96a7752c89d8a37604c173db0c623"}, "src"},
		{"swift", "swift", source{"tree-sitter-swift", "0.7.1", "abd89284f1b0f1375ba5efaa9ddf99ad4b16ac91fc7751ef10c5f013cca06f8c"}, "src"},
		{"tsx", "tsx", typescript, "tsx/src"},
		{"typescript", "typescript", typescript, "typescript/src"},
	}
}
