package consolidate_test

import (
	"fmt"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
)

// TestPlan_ArchivesNoPattern: of memories whose vectors are equal, those are archived of which another one has most words, and no other
// name or number. What fills in one pattern stays.
func TestPlan_ArchivesNoPattern(t *testing.T) {
	t.Parallel()
	names := []string{"Ana", "Ben", "Carla", "Dmitri", "Elena", "Farid", "Greta", "Hiro"}
	for _, tc := range []struct {
		name  string
		words float64
		text  func(n int) string
		want  bool
	}{
		{"says as much", .5, func(n int) string {
			return "the gateway closes idle connections after a while " + names[0] + fmt.Sprintf(" w%c", 'a'+n)
		}, true},
		{"other names", 0, func(n int) string { return "after the wedding " + names[n] + " settled in the old town near the river" }, false},
		{"other numbers", 0, func(n int) string { return fmt.Sprintf("the gateway closes idle connections after %d s", n) }, false},
		{"other words", .5, func(n int) string {
			return fmt.Sprintf("gateway a%[1]c b%[1]c c%[1]c d%[1]c e%[1]c", 'a'+n)
		}, false},
		{"other words, which do not count", 0, func(n int) string {
			return fmt.Sprintf("gateway a%[1]c b%[1]c c%[1]c d%[1]c e%[1]c", 'a'+n)
		}, true},
	} {
		v := sampleView(len(names), 1, 1)
		v.Relations = nil
		for i := range v.Subjects {
			s := &v.Subjects[i]
			s.Vector, s.Upvoted, s.Pinned, s.Tags = v.Subjects[0].Vector, false, false, nil
			s.Content, s.Surprise = tc.text(i), hippo.Surprise{Score: .01 + float64(i)/1000}
			s.CreatedAt = now().AddDate(0, 0, -90)
			s.UpdatedAt, s.ContentHash = s.CreatedAt, hippo.HashContent(s.Content)
		}
		o := consolidate.Default()
		o.Archive.Words, o.Archive.Share = tc.words, 1
		if n := plan(t, v, api.Monthly, o).Count(api.ActionArchive); (n > 0) != tc.want {
			t.Errorf("%s: %d are archived, want any: %v", tc.name, n, tc.want)
		}
	}
}
