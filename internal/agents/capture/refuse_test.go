package capture_test

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/agents/capture"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// table reads the lines of a file of testdata, without comments.
func table(t testing.TB, name string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	var out []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// talk returns a conversation in which the user says some texts, and the assistant repeats each.
func talk(said ...string) []transcript.Turn {
	turns := []transcript.Turn{{ID: "u", Role: transcript.RoleUser, Text: "look at the build, please"}, {ID: "a", Role: transcript.RoleAssistant, Text: "It is green."}}
	for i, s := range said {
		turns = append(turns,
			transcript.Turn{ID: fmt.Sprintf("u%d", i), Role: transcript.RoleUser, Text: s},
			transcript.Turn{ID: fmt.Sprintf("a%d", i), Role: transcript.RoleAssistant, Text: "Understood. You said: " + s})
	}
	return turns
}

// What the user does not want to be kept is not kept, in whatever words and wherever they stand.
func TestCandidates_Refusals(t *testing.T) {
	t.Parallel()
	payload, kept, all := map[string]string{}, map[string]int{}, map[string]int{}
	for _, line := range table(t, "refusals.txt") {
		language, rest, _ := strings.Cut(line, " ")
		if language == "=" {
			language, text, _ := strings.Cut(rest, " ")
			payload[language] = text
			if len(capture.Candidates(talk(text))) == 0 {
				t.Errorf("%s is not kept without a refusal", text)
			}
			continue
		}
		half, wording, _ := strings.Cut(rest, " ")
		all[half]++
		said := strings.Split(strings.ReplaceAll(wording, "%", payload[language]), " // ")
		if found := capture.Candidates(talk(said...)); len(found) > 0 {
			kept[half]++
			t.Errorf("%s: kept %q of %q", half, found[0].Content, wording)
		}
	}
	for _, half := range slices.Sorted(maps.Keys(all)) {
		t.Logf("kept of wordings: %s %d of %d", half, kept[half], all[half])
	}
}

// A rule of the product that has the words of a refusal is kept.
func TestCandidates_NoRefusals(t *testing.T) {
	t.Parallel()
	kept, all := map[string]int{}, map[string]int{}
	for _, line := range table(t, "no_refusals.txt") {
		half, sentence, _ := strings.Cut(line, " ")
		all[half]++
		if len(capture.Candidates(talk(sentence))) > 0 {
			kept[half]++
		} else {
			t.Logf("%s: not kept: %s (refused: %v)", half, sentence, capture.Refused(talk(sentence)))
		}
	}
	for half, n := range all {
		t.Logf("kept: %s %d of %d", half, kept[half], n)
		if kept[half]*20 < n*19 {
			t.Errorf("%s: %d of %d are kept, want 95 %%", half, kept[half], n)
		}
	}
}

// The private life of people is kept only when the user asks for it.
func TestCandidates_Private(t *testing.T) {
	t.Parallel()
	asked := map[string]string{
		"en": "Remember that: ", "de": "Merk dir: ", "fr": "Retiens que : ", "es": "Recuerda que: ", "pt": "Lembre que: ", "zh": "记住：", "ja": "覚えて：",
	}
	kept, all := map[string]int{}, map[string]int{}
	for _, line := range table(t, "private.txt") {
		kind, rest, _ := strings.Cut(line, " ")
		language, sentence, _ := strings.Cut(rest, " ")
		all[kind]++
		found := len(capture.Candidates(talk(sentence))) > 0
		if found {
			kept[kind]++
		}
		if want := kind == "product"; found != want {
			t.Errorf("%s: kept: %v: %s", kind, found, sentence)
		}
		if kind != "private" {
			continue
		}
		if all["asked"]++; len(capture.Candidates(talk(asked[language]+sentence))) > 0 {
			kept["asked"]++
		} else {
			t.Errorf("asked, and not kept: %s", asked[language]+sentence)
		}
	}
	t.Logf("kept: private %d of %d, asked %d of %d, of products %d of %d", kept["private"], all["private"], kept["asked"], all["asked"], kept["product"], all["product"])
}
