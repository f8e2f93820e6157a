package dirstore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store/join"
)

// AttributesName is the name of the file that shows Git which files of a directory store [MergeFile] merges.
const AttributesName = ".gitattributes"

// Attributes returns the lines of that file. A clone that has not registered the merge driver ignores them and merges by lines.
func Attributes() string {
	id := "????????-????-????-????-????????????"
	return "# hippo merge-file merges what two clones have changed; hippo merge-file --setup registers it in a clone.\n" +
		"/" + id + ".json merge=hippo\n/" + metadataName + " merge=hippo\n/" + relationsName + " merge=hippo\n/" + historyDir + "/" + id + historySuffix + " merge=hippo\n"
}

// MergeFile merges two branches' versions of a file in a directory store. Only the last elements of the path name count. base is the common
// ancestor of the versions; it is empty if the file did not exist. ok is false if the file does not belong to a directory store, or if
// MergeFile cannot read one of the versions. Swapping ours and theirs makes no difference.
func MergeFile(name string, base, ours, theirs []byte, w *rank.Weights) (merged []byte, ok bool) {
	name = path.Clean(name)
	last := path.Base(name)
	if id, is := historyID(path.Join(path.Base(path.Dir(name)), last)); is {
		return mergeHistory(id, base, ours, theirs)
	}
	if id, is := idOf(last); is && last == nameOf(id) {
		return mergeMemory(id, base, ours, theirs, w)
	}
	switch last {
	case metadataName:
		return mergeMetadata(base, ours, theirs)
	case relationsName:
		return mergeRelations(base, ours, theirs)
	}
	return nil, false
}

func mergeMemory(id hippo.ID, base, ours, theirs []byte, w *rank.Weights) ([]byte, bool) {
	var of *hippo.Memory
	if len(base) > 0 {
		m, err := formats.DecodeInsight(base)
		if err != nil {
			return nil, false
		}
		of = m
	}
	a, errA := formats.DecodeInsight(ours)
	b, errB := formats.DecodeInsight(theirs)
	if errA != nil || errB != nil || a.ID != id || b.ID != id {
		return nil, false
	}
	out, err := formats.EncodeInsight(join.Three(of, a, b, w))
	return out, err == nil
}

// mergeMetadata takes the later day, and for every other key the value that one side changed.
func mergeMetadata(base, ours, theirs []byte) ([]byte, bool) {
	a, mine, errA := decodeMetadata(ours)
	b, others, errB := decodeMetadata(theirs)
	if errA != nil || errB != nil {
		return nil, false
	}
	_, before, err := decodeMetadata(base)
	if len(base) > 0 && err != nil {
		return nil, false
	}
	if cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Date, b.Date)) < 0 {
		a = b
	}
	keys := make(map[string]json.RawMessage)
	for k := range maps.Keys(mergedKeys(mine, others)) {
		if v := changedOne(string(before[k]), string(mine[k]), string(others[k])); v != "" {
			keys[k] = json.RawMessage(v)
		}
	}
	out, err := encodeMetadata(a, keys)
	return out, err == nil
}

func mergedKeys(a, b map[string]json.RawMessage) map[string]json.RawMessage {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// changedOne returns the value of the side that changed it. If both sides changed it, changedOne returns the greater value.
func changedOne(base, a, b string) string {
	switch {
	case a == base:
		return b
	case b == base:
		return a
	}
	return max(a, b)
}

// mergeRelations takes each relation from the side that changed it. A relation stays if one side removed it and the other changed it. If both
// sides changed it, the version reinforced last wins.
func mergeRelations(base, ours, theirs []byte) ([]byte, bool) {
	was, mine, others := declaredIn(base), declaredIn(ours), declaredIn(theirs)
	var out declaredFile
	for _, r := range slices.Concat(mine.graph.All(), others.graph.All()) {
		old, a, b := was.graph.Get(r), mine.graph.Get(r), others.graph.Get(r)
		switch {
		case a == old:
			a = b
		case b == old:
		case cmp.Or(a.LastReinforced.Compare(b.LastReinforced), cmp.Compare(a.Weight, b.Weight), a.ValidUntil.Compare(b.ValidUntil)) < 0:
			a = b
		}
		out.graph.Set(a)
	}
	out.unreadable = mergeLines(was.unreadable, mine.unreadable, others.unreadable)
	slices.Sort(out.unreadable)
	b, err := out.encode()
	return b, err == nil
}

// declaredIn parses the content of relations.jsonl.
func declaredIn(b []byte) (f declaredFile) {
	f.readLines(b)
	return f
}

// mergeLines returns the lines that both sides contain and the lines that one side added.
func mergeLines(base, a, b []string) (out []string) {
	for _, line := range slices.Concat(a, b) {
		if !slices.Contains(out, line) && (slices.Contains(a, line) && slices.Contains(b, line) || !slices.Contains(base, line)) {
			out = append(out, line)
		}
	}
	return out
}

// mergeHistory merges the versions of both sides and sorts them by their operations.
func mergeHistory(id hippo.ID, base, ours, theirs []byte) ([]byte, bool) {
	lines := func(b []byte) []string {
		return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' || r == '\r' })
	}
	all := mergeLines(lines(base), lines(ours), lines(theirs))
	past := decodePast(id, []byte(strings.Join(all, "\n")))
	slices.SortStableFunc(past.versions, func(a, b hippo.Version) int { return b.Operation.Compare(&a.Operation) })
	var out bytes.Buffer
	for i := range past.versions {
		line, err := formats.EncodeVersion(&past.versions[i])
		if err != nil {
			return nil, false
		}
		out.Write(append(bytes.TrimSpace(line), '\n'))
	}
	slices.Sort(past.unreadable)
	for _, line := range past.unreadable {
		out.WriteString(line + "\n")
	}
	return out.Bytes(), true
}
