package hub

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Pooling says how the vectors of a text's tokens become one vector.
type Pooling string

// The poolings.
const (
	Mean Pooling = "mean" // the mean of all tokens
	CLS  Pooling = "cls"  // the first token
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
	Name   string `json:"name"`   // in the repository and in the folder, without a directory
	Size   int64  `json:"size"`   // in bytes; in a [Spec] 0 means unknown
	SHA256 string `json:"sha256"` // lower-case hexadecimal; in a [Spec] empty means unknown
}

// check compares a file with what is known of it. The error is [hippo.ErrCorrupt].
func (f File) check(got File) error {
	if f.Size > 0 && got.Size != f.Size {
		return fmt.Errorf("%w: %s has %d bytes, want %d", hippo.ErrCorrupt, f.Name, got.Size, f.Size)
	}
	if f.SHA256 != "" && got.SHA256 != f.SHA256 {
		return fmt.Errorf("%w: %s has sha256 %s, want %s", hippo.ErrCorrupt, f.Name, got.SHA256, f.SHA256)
	}
	return nil
}

// isChecksum reports whether s is a SHA-256 checksum as this package writes it.
func isChecksum(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}

// Encoding is how a text becomes a vector.
type Encoding struct {
	Pooling Pooling
	// QueryPrefix and PassagePrefix are put before texts of these roles.
	QueryPrefix, PassagePrefix string
	MaxTokens                  int // the length of a window; longer texts take several
}

// Spec describes a model and how its vectors are computed.
type Spec struct {
	ID             string   // the name, fit for a directory
	Aliases        []string // other names for [Cache.Lookup]
	Repo, Revision string   // the place on the hub: "owner/name" and a commit
	Files          []File   // none for [Builtin]
	Dimension      int      // the length of a vector; 0 for [Builtin], which knows its own
	Size           int64    // in bytes, of all files; approximate if that of one is unknown
	Licence        string   // the SPDX identifier of that of the weights; empty if unknown
	Encoding
	Note string // a sentence on strengths or limits
	// Manual is why the hub's files cannot be used as they are; empty if they can. Such a
	// model comes from a folder only.
	Manual string
}

// pullCommand is the command that gets the model.
func (s Spec) pullCommand() string {
	if s.Manual != "" {
		return "hippo model pull " + s.ID + " --from FOLDER"
	}
	return "hippo model pull " + s.ID
}
