package team

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// File is a memory of a team as a file for people to read.
type File struct {
	// Name is its path in the folder, with slashes.
	Name    string
	Content []byte
}

// reviewName matches the names of such files.
var reviewName = regexp.MustCompile(`^[a-z0-9._-]+/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.md$`)

// IsReviewName reports whether a file of a folder, with slashes, is one that [Review] has named. Others are none of its business.
func IsReviewName(name string) bool { return reviewName.MatchString(name) }

// Review returns what the copy holds as files, sorted by name, the same on each machine that has the same. What was withdrawn is left out;
// so is what may hold a secret or orders, and nobody takes it over.
func Review(x *Sides) (list []File, left []Held) {
	for _, id := range sorted(x.Copy) {
		m, author := x.Copy[id], x.author(id)
		if m.Forgotten() || author == "" {
			continue
		}
		if why, detail := x.Rule.screened(m); why != "" {
			left = append(left, Held{ID: id, Project: m.Project, Reason: why, Detail: detail, By: author, Text: m.Content})
			continue
		}
		list = append(list, File{path.Join(folder(m.Project), id.String()+".md"), markdown(m, author)})
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return list, left
}

// folder returns the name of the folder for a project.
func folder(project string) string {
	name := regexp.MustCompile(`[^a-z0-9._-]+`).ReplaceAllString(strings.ToLower(project), "-")
	if name = strings.Trim(name, ".-"); name == "" {
		return "project"
	}
	return name
}

// markdown formats a memory.
func markdown(m *hippo.Memory, author string) []byte {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	list := func(texts []string) string {
		quoted := make([]string, len(texts))
		for i, t := range texts {
			quoted[i] = strconv.Quote(t)
		}
		if len(texts) == 0 {
			return ""
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	quoted := func(text string) string {
		if text == "" {
			return ""
		}
		return strconv.Quote(text)
	}
	b.WriteString("---\n")
	line("id", m.ID.String())
	line("project", quoted(m.Project))
	line("author", quoted(author))
	line("type", quoted(m.Type))
	line("tags", list(m.Tags))
	line("applies", list(m.Situation))
	line("recorded", stamp(m.CreatedAt))
	line("event_time", stamp(m.EventTime))
	line("valid_from", stamp(m.ValidFrom))
	line("valid_until", stamp(m.ValidUntil))
	if !m.SupersededBy.IsZero() {
		line("superseded_by", m.SupersededBy.String())
	}
	b.WriteString("---\n\n")
	b.WriteString(strings.TrimRight(m.Content, "\n"))
	b.WriteString("\n")
	return []byte(b.String())
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
