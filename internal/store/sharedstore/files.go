package sharedstore

import (
	"encoding/json"
	"slices"

	"github.com/hippo-memory/hippo"
)

// pathOf returns the path of a file of the memory tool, which claude-hippo keeps in the metadata of a row; empty: it is none.
func pathOf(metadata map[string]json.RawMessage) string {
	var own struct {
		Tool struct {
			Path string `json:"path"`
		} `json:"memory_tool"`
	}
	if json.Unmarshal(metadata["_hippo"], &own) != nil {
		return ""
	}
	return own.Tool.Path
}

// follow gives a file that another program made or moved its path as situation, as files of this program have it, and
// reports whether it did.
func follow(former map[string]json.RawMessage, m *hippo.Memory) bool {
	from, to := pathOf(former), pathOf(m.Metadata)
	if to == "" || to == from || hippo.ValidSituation("situation", []string{to}) != nil {
		return false
	}
	m.Situation = append(slices.DeleteFunc(slices.Clone(m.Situation), func(s string) bool { return s == from || s == to }), to)
	return true
}
