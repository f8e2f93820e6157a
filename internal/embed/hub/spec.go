package hub

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Pooling says how the vectors of a text's tokens become one vector.
type Pooling string

const (
	// Mean is the mean of all tokens.
	Mean Pooling = "mean"
	// CLS is the vector of the first token.
	CLS Pooling = "cls"
)

// Builtin is the ID of the model that is part of the program and has no files.
const Builtin = "builtin"

// The files of a model.
const (
	ConfigFile    = "config.json"
	TokenizerFile = "tokenizer.json"
	WeightsFile   = "model.safetensors"
)

// File is one file of a model.
type File struct {
	// Name is the file's name in the repository and in the folder; it has no
	// directory part.
	Name string `json:"name"`
	// Size is in bytes; in a [Spec] 0 means unknown.
	Size int64 `json:"size"`
	// SHA256 is in lower-case hex; in a [Spec] empty means unknown. An unknown
	// sum is taken from the hub at the first download and recorded.
	SHA256 string `json:"sha256"`
}

// Spec says what a model is and how its vectors are made.
type Spec struct {
	// ID is the model's name, fit for a directory name.
	ID string
	// Aliases are other names that [Cache.Lookup] finds it by.
	Aliases []string
	// Repo and Revision say where the hub keeps it: "owner/name" and a commit.
	Repo, Revision string
	// Files are what it consists of; none for [Builtin].
	Files []File
	// Dimension is the length of a vector; 0 for [Builtin], which knows its own.
	Dimension int
	// Size is the number of bytes of all files, approximate where that of a
	// file is unknown.
	Size int64
	// Licence is the SPDX identifier of the weights' licence; empty if unknown.
	Licence string
	// Pooling is how the vectors of tokens become one.
	Pooling Pooling
	// QueryPrefix and PassagePrefix are put before texts of these roles.
	QueryPrefix, PassagePrefix string
	// MaxTokens is the most tokens of one pass; longer texts take several.
	MaxTokens int
	// Note is one sentence on what the model is good for or lacks.
	Note string
	// Manual is why the hub's files cannot be used as they are; empty if they
	// can. Such a model comes from a folder only.
	Manual string
}

// weights returns the sum of the weights, or "" if it is not known.
func (s Spec) weights() string {
	if i := slices.IndexFunc(s.Files, func(f File) bool { return f.Name == WeightsFile }); i >= 0 {
		return s.Files[i].SHA256
	}
	return ""
}

func (s Spec) file(name string) (File, bool) {
	i := slices.IndexFunc(s.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return File{}, false
	}
	return s.Files[i], true
}

// find returns the spec with that ID or alias, whatever the case.
func find(specs []Spec, id string) (Spec, error) {
	known := make([]string, len(specs))
	for i, s := range specs {
		if strings.EqualFold(s.ID, id) || slices.ContainsFunc(s.Aliases, func(a string) bool { return strings.EqualFold(a, id) }) {
			return s, nil
		}
		known[i] = s.ID
	}
	return Spec{}, hippo.Fieldf("model", "%q is not known: want %s, or the path of a folder", id, strings.Join(known, ", "))
}

// command is what a user types to get the model.
func (s Spec) command() string {
	if s.Manual != "" {
		return "hippo model pull " + s.ID + " --from FOLDER"
	}
	return "hippo model pull " + s.ID
}
