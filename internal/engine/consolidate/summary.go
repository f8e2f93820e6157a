package consolidate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

const (
	// maxCited is the number of members above which a group is not summarised: it is one that cannot be divided,
	// of texts that are nearly equal.
	maxCited = 256
	// replaced is the Jaccard index above which a summary of other members stands for the same group. At most
	// one group can be above a half with a summary.
	replaced = .5
	// novel weighs the largest cosine with a chosen member against that with the centroid, so that the sentences of a
	// summary differ.
	// Source: Carbonell and Goldstein, The use of MMR, 1998.
	novel = .5
)

// summarizer writes summaries.
type summarizer struct {
	*state
	*corpus
}

// summarize proposes a summary of each dense group that has none.
func (s *summarizer) summarize(groups []group) error {
	c := s.corpus
	for i := range groups {
		if err := s.stop(); err != nil {
			return err
		}
		g := &groups[i]
		if !s.dense(g) || len(g.members) > maxCited || !s.mostInWindow(g) {
			continue
		}
		of, similar := s.summaryOf(g)
		if similar >= s.options.Summaries.Keep || similar <= replaced && 2*s.covered(g) > len(g.members) {
			continue
		}
		a := Action{
			Kind: api.ActionSummarize, Summary: s.summary(g), Relations: make([]hippo.Relation, len(g.members)),
			Reason: fmt.Sprintf("%d memories with a mean cosine of %.2f", len(g.members), g.density),
		}
		for k, m := range g.members {
			a.Relations[k] = hippo.Relation{To: c.items[m.at].ID, Kind: Summarizes, Weight: 1, LastReinforced: s.Now}
		}
		if similar > replaced && !of.dead {
			a.Supersedes = of.id
			a.Reason += fmt.Sprintf("; the existing summary cites other members, too few or too many (%.0f %% in common)", 100*similar)
		}
		s.propose(a)
	}
	return nil
}

// dense reports whether a group is large and dense enough to be summarised and thinned.
func (s *state) dense(g *group) bool {
	return len(g.members) >= s.options.Clusters.Members && g.density >= s.options.Clusters.Dense
}

// mostInWindow reports whether at least half of a group are of an age that is acted on.
func (s *summarizer) mostInWindow(g *group) bool {
	n := 0
	for _, m := range g.members {
		if s.window.contains(s.age(s.items[m.at].Memory)) {
			n++
		}
	}
	return 2*n >= len(g.members)
}

// summaryOf returns the stored summary that is most like a group, with the Jaccard index of what it cites.
func (s *summarizer) summaryOf(g *group) (best citation, similar float64) {
	both := make(map[int]int)
	for _, m := range g.members {
		for _, i := range s.citing[s.items[m.at].ID] {
			both[i]++
		}
	}
	for i, x := range s.existing {
		if both[i] == 0 {
			continue
		}
		if j := float64(both[i]) / float64(len(g.members)+x.members-both[i]); j > similar {
			best, similar = x, j
		}
	}
	return best, similar
}

// covered returns how many members of a group a stored summary cites.
func (s *summarizer) covered(g *group) (n int) {
	for _, m := range g.members {
		if len(s.citing[s.items[m.at].ID]) > 0 {
			n++
		}
	}
	return n
}

// summary returns the summary of a group as a memory: sentences of its central members, each with the short ID of its
// member. It is trusted no more than the least trusted member.
func (s *summarizer) summary(g *group) *hippo.Memory {
	one := s.items[g.members[0].at].Memory
	m := &hippo.Memory{
		Type: SummaryType, Project: one.Project, Namespace: one.Namespace, Trust: hippo.TrustHigh, Tags: s.commonTags(g),
		Source: hippo.Source{Kind: hippo.SourceTool, Client: hippo.SummaryClient},
	}
	from, to := one.When(), one.When()
	for _, x := range g.members {
		y := s.items[x.at].Memory
		m.Trust = min(m.Trust, y.Trust)
		m.Importance.Base = max(m.Importance.Base, y.Importance.Base)
		if y.When().Before(from) {
			from = y.When()
		}
		if y.When().After(to) {
			to = y.When()
		}
	}
	m.Importance.Value = m.Importance.Base
	m.Content = s.text(g, heading(len(g.members), when.Date(from, s.zone()), when.Date(to, s.zone()), g.label))
	m.ContentHash = hippo.HashContent(m.Content)
	m.ID = s.idOf(g)
	return m
}

// idOf returns the ID of the summary of a group: two plans for the same state give it the same one, so that two processes do not
// record it twice. What its members are cited by is part of the state, so that a later summary of them has another one.
func (s *summarizer) idOf(g *group) hippo.ID {
	var ids []hippo.ID
	for _, m := range g.members {
		id := s.items[m.at].ID
		ids = append(append(ids, id), s.everCiting[id]...)
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	name := []byte("https://github.com/hippo-memory/hippo/summary")
	for _, id := range slices.Compact(ids) {
		name = append(name, id[:]...)
	}
	return hippo.ID(uuid.NewSHA1(uuid.NameSpaceURL, name))
}

// heading is the first line of a summary of memories between two days.
func heading(n int, first, last string, label []string) string {
	text := fmt.Sprintf("Summary of %d memories", n)
	if len(label) > 0 {
		text += " about " + strings.Join(label, ", ")
	}
	if first != last {
		return fmt.Sprintf("%s, %s to %s:", text, first, last)
	}
	return fmt.Sprintf("%s, %s:", text, first)
}

// text returns a heading with one sentence of each of the chosen members, as long as there is room.
func (s *summarizer) text(g *group, heading string) string {
	o := &s.options.Summaries
	room := o.Characters - utf8.RuneCountInString(heading)
	if room < 0 {
		return shorten(heading, o.Characters)
	}
	var b strings.Builder
	b.WriteString(heading)
	for n, at := range s.representatives(g, o.Sentences) {
		x := &s.items[at]
		suffix := " [" + x.ID.Short() + "]"
		// A line break, "- " and the suffix; what is left is shared by the sentences that follow.
		fixed := 3 + len(suffix)
		share := room/(o.Sentences-n) - fixed
		if share < minSentence {
			break
		}
		sentence := shorten(s.sentence(x.Content, g), share)
		room -= fixed + utf8.RuneCountInString(sentence)
		b.WriteString("\n- " + sentence + suffix)
	}
	return b.String()
}

// minSentence is the number of characters below which a sentence is left out.
const minSentence = 20

// representatives returns the positions of at most n members that are central and differ from each other.
func (c *corpus) representatives(g *group, n int) []int {
	var out []int
	for len(out) < min(n, len(g.members)) {
		best, value := -1, 0.0
		for _, m := range g.members {
			if slices.Contains(out, m.at) {
				continue
			}
			near := 0.0
			for _, o := range out {
				near = max(near, vector.Cosine(&c.items[m.at].code, &c.items[o].code))
			}
			if v := m.cosine - float64(novel*near); best < 0 || v > value {
				best, value = m.at, v
			}
		}
		out = append(out, best)
	}
	return out
}

// commonTags returns the tags that at least half of a group have, the most frequent first.
func (c *corpus) commonTags(g *group) []string {
	count := make(map[string]int)
	for _, m := range g.members {
		for _, t := range c.items[m.at].Tags {
			count[t]++
		}
	}
	var out []string
	for t, n := range count {
		if 2*n >= len(g.members) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), hippo.MaxTags)]
}

// sentence returns the sentence of a text whose terms are the most telling of a group, for its length.
func (c *corpus) sentence(text string, g *group) string {
	best, value := "", -1.0
	for _, s := range sentences(text) {
		sum, n := 0.0, 0
		seen := make(map[uint32]bool)
		c.analyzer.Terms(s, func(term []byte) {
			n++
			if t, ok := c.term(term); ok && !seen[t] {
				seen[t] = true
				sum += g.weights[t]
			}
		})
		if v := sum / float64(n+brief); v > value {
			best, value = s, v
		}
	}
	return best
}

const (
	// brief is added to the number of terms of a sentence, so that one of two words does not win.
	brief = 6
	// maxSentences is the number of sentences of a text that are looked at.
	maxSentences = 200
)

// sentences cuts a text at line breaks and after full stops, question marks and exclamation marks; white space is
// made single spaces.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		from := 0
		for i, r := range line {
			end := i + utf8.RuneLen(r)
			next, _ := utf8.DecodeRuneInString(line[min(end, len(line)):])
			if strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && (end >= len(line) || unicode.IsSpace(next)) {
				out = appendSentence(out, line[from:end])
				from = end
			}
		}
		out = appendSentence(out, line[from:])
		if len(out) >= maxSentences {
			break
		}
	}
	return out
}

func appendSentence(list []string, s string) []string {
	if s = strings.Join(strings.Fields(s), " "); s != "" {
		list = append(list, s)
	}
	return list
}

// shorten cuts a text to n characters, at a space if there is one in its second half, and marks the cut.
func shorten(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	cut := n - 1
	for i := cut; i > n/2; i-- {
		if unicode.IsSpace(runes[i]) {
			cut = i
			break
		}
	}
	return strings.TrimSpace(string(runes[:cut])) + "…"
}
