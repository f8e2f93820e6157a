package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// TestHistory: the page of changes shows what each changed and by whom, marks the words, and takes one back.
func TestHistory(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "The timeout of the <b>gateway</b> is 30 s", Tags: []string{"net"}})
	b := s.owner()
	path := "/ui/memory/" + m.ID.String()
	b.open(path+"/history").want(http.StatusOK, "Nothing has changed this memory")
	b.submit(b.open(path), "Save", "content", "The timeout of the <b>gateway</b> is 60 s", "tags", "net, slow", "project", "new:p").want(http.StatusOK, "Changed.")
	b.submit(b.open(path), "Pin").want(http.StatusOK, "Pinned")
	p := b.open(path + "/history")
	p.want(http.StatusOK, "Modify", "by dashboard", "tags net net, slow", "project – p", "pinned false true")
	if !strings.Contains(p.body, "&lt;b&gt;") || !strings.Contains(p.body, "<del>3</del><ins>6</ins>") {
		t.Errorf("the texts are %s", p.body)
	}
	changed := s.get(m.ID)
	forms := p.all("form")
	first := fieldsOf(forms[len(forms)-1])
	b.send(path+"/undo", first, "Origin", s.server.URL, "Sec-Fetch-Site", "same-origin")
	b.open(path).want(http.StatusOK, "was changed since, by operation")
	b.submit(p, "Take back").want(http.StatusOK, "Taken back.") // the last change comes first
	if got := s.get(m.ID); got.Pinned || got.Content != changed.Content {
		t.Errorf("the memory is %+v", got)
	}
	b.open(path+"/history").want(http.StatusOK, "takes back")
	first.Set("operation", "x")
	b.send(path+"/undo", first, "Origin", s.server.URL, "Sec-Fetch-Site", "same-origin")
	b.open(path).want(http.StatusOK, "Operation: must be the id")
}
