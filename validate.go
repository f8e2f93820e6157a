package hippo

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on a memory and on a query, in bytes of UTF-8 unless said otherwise.
const (
	MaxContent        = 512 << 10
	MaxSituations     = 64 // elements
	MaxSituation      = 1000
	MaxTags           = 64 // elements
	MaxTag            = 128
	MaxType           = 64
	MaxName           = 1024 // author, client, session, URI, project, namespace
	MaxMetadata       = 64 << 10
	MaxQuery          = 8 << 10
	MaxCount          = 1000 // hits a page
	MaxIDs            = 1000 // IDs a request
	DefaultCount      = 10
	DefaultImportance = 0.5
)

// Validate reports the first rule that m breaks, as a [*FieldError].
func (m *Memory) Validate() error {
	if err := validText("content", m.Content, MaxContent, true); err != nil {
		return err
	}
	if m.Content == "" || isBlank(m.Content) {
		return Required("content")
	}
	if err := ValidSituation("situation", m.Situation); err != nil {
		return err
	}
	if err := ValidTags("tags", m.Tags); err != nil {
		return err
	}
	for _, f := range []struct {
		name, value string
		limit       int
	}{
		{"type", m.Type, MaxType},
		{"source.author", m.Source.Author, MaxName},
		{"source.client", m.Source.Client, MaxName},
		{"source.session", m.Source.Session, MaxName},
		{"source.uri", m.Source.URI, MaxName},
		{"project", m.Project, MaxName},
		{"namespace", m.Namespace, MaxName},
	} {
		if err := validText(f.name, f.value, f.limit, false); err != nil {
			return err
		}
	}
	if m.Project == AllProjects {
		return Fieldf("project", "must not be %q, which stands for all projects", AllProjects)
	}
	return m.validValues()
}

func (m *Memory) validValues() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"importance", m.Importance.Value},
		{"base_importance", m.Importance.Base},
		{"surprise.score", m.Surprise.Score},
		{"surprise.outlier", m.Surprise.Outlier},
		{"surprise.engagement", m.Surprise.Engagement},
		{"surprise.explicit", m.Surprise.Explicit},
		{"surprise.loss", m.Surprise.Loss},
	} {
		if err := ValidUnit(f.name, f.value); err != nil {
			return err
		}
	}
	if err := m.valid(); err != nil {
		return err
	}
	if !m.ValidFrom.IsZero() && !m.ValidUntil.IsZero() && !m.ValidFrom.Before(m.ValidUntil) {
		return Fieldf("valid_until", "must be after the time from which it holds")
	}
	size := 0
	for k, v := range m.Metadata {
		size += len(k) + len(v)
	}
	if size > MaxMetadata {
		return Fieldf("metadata", "must be at most %d bytes, got %d", MaxMetadata, size)
	}
	return nil
}

// ValidUnit checks that v is a number in [0, 1].
func ValidUnit(field string, v float64) error {
	if math.IsNaN(v) || v < 0 || v > 1 {
		return Fieldf(field, "must be between 0 and 1, got %v", v)
	}
	return nil
}

// ValidQuery checks the text of a question: at most [MaxQuery] bytes of UTF-8 without control characters, line breaks and
// tabs aside. The error is a [*FieldError].
func ValidQuery(field, text string) error { return validText(field, text, MaxQuery, true) }

// ShortQuery returns the part of a search text that a search takes: of one over [MaxQuery] bytes the beginning, up to a
// boundary of words. The note says that the rest does not count; it is empty if all of the text does.
func ShortQuery(text string) (short, note string) {
	if len(text) <= MaxQuery {
		return text, ""
	}
	short = strings.ToValidUTF8(text[:MaxQuery], "")
	if i := strings.LastIndexFunc(short, unicode.IsSpace); i > MaxQuery/2 {
		short = short[:i]
	}
	return short, "only the first " + strconv.Itoa(len(short)) + " bytes of the query count"
}

// ValidSituation checks the elements of a situation, or of a situation filter.
func ValidSituation(field string, s []string) error {
	return validList(field, s, MaxSituations, MaxSituation)
}

// ValidTags checks a list of tags.
func ValidTags(field string, tags []string) error {
	return validList(field, tags, MaxTags, MaxTag)
}

func validList(field string, list []string, most, size int) error {
	if len(list) > most {
		return Fieldf(field, "must have at most %d elements, got %d", most, len(list))
	}
	for i, s := range list {
		name := field + "[" + strconv.Itoa(i) + "]"
		if isBlank(s) {
			return Fieldf(name, "must not be empty")
		}
		if err := validText(name, s, size, false); err != nil {
			return err
		}
	}
	return nil
}

// validText checks size, encoding and control characters. Line breaks and tabs
// are allowed when multiline is set.
func validText(field, s string, most int, multiline bool) error {
	if len(s) > most {
		return Fieldf(field, "must be at most %d bytes, got %d", most, len(s))
	}
	if !utf8.ValidString(s) {
		return Fieldf(field, "must be valid UTF-8")
	}
	for i, r := range s {
		if multiline && (r == '\n' || r == '\r' || r == '\t') {
			continue
		}
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return Fieldf(field, "must not contain control characters, got %U at byte %d", r, i)
		}
	}
	return nil
}

func isBlank(s string) bool {
	for _, r := range s {
		if r != ' ' && r != '\t' && r != '\n' && r != '\r' {
			return false
		}
	}
	return true
}
