package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/screen/screentest"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

// secretText returns a text with a secret, and the secret.
func secretText() (text, hidden string) {
	hidden = "gh" + "p_" + "x7Kd92LmQ0vTzR4bN8cY" + "w1HsJ5fGpE3uAi6o"
	return "first line\nuse " + hidden + " here", hidden
}

// wantSecret fails unless err says where the secret is, without showing it.
func wantSecret(t *testing.T, err error, field string) {
	t.Helper()
	_, hidden := secretText()
	s, ok := errors.AsType[*hippo.SecretError](err)
	if !ok || s.Field != field || hippo.CodeOf(err) != hippo.CodeSecret {
		t.Errorf("got %v, want a secret in %s", err, field)
		return
	}
	if strings.Contains(fmt.Sprintf("%v %+v", err, *s), hidden[4:10]) {
		t.Errorf("the error shows the secret: %v", err)
	}
}

// No text of a memory takes a secret, whichever field it is in. The test fails for a new field
// that is not screened.
func TestRecord_SecretInEveryField(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	text, _ := secretText()
	fields := map[string]func(*hippo.Memory){
		"content":      func(m *hippo.Memory) { m.Content = text },
		"situation[1]": func(m *hippo.Memory) { m.Situation = []string{"s", text} },
		"tags[0]":      func(m *hippo.Memory) { m.Tags = []string{text} },
		"metadata.k": func(m *hippo.Memory) {
			m.Metadata = map[string]json.RawMessage{"k": json.RawMessage(`{"deep":["` + strings.ReplaceAll(text, "\n", `\n`) + `"]}`)}
		},
		"metadata.x": func(m *hippo.Memory) {
			m.Metadata = map[string]json.RawMessage{"x": json.RawMessage(`{"password":"\u004ftter77!"}`)}
		},
		"metadata.(key)": func(m *hippo.Memory) { m.Metadata = map[string]json.RawMessage{text: json.RawMessage(`1`)} },
	}
	for _, of := range []struct {
		prefix string
		get    func(*hippo.Memory) reflect.Value
	}{
		{"", func(m *hippo.Memory) reflect.Value { return reflect.ValueOf(m).Elem() }},
		{"source.", func(m *hippo.Memory) reflect.Value { return reflect.ValueOf(&m.Source).Elem() }},
	} {
		kind := of.get(&hippo.Memory{}).Type()
		for i := range kind.NumField() {
			if name := kind.Field(i).Name; kind.Field(i).Type.Kind() == reflect.String && name != "Kind" && name != "Content" {
				fields[of.prefix+strings.ToLower(name)] = func(m *hippo.Memory) { of.get(m).Field(i).SetString(text) }
			}
		}
	}
	if len(fields) < 13 {
		t.Fatalf("only %d fields", len(fields))
	}
	for field, set := range fields {
		m := &hippo.Memory{Content: "harmless"}
		set(m)
		_, err := memory.Record(t.Context(), f.Memories, m.Clone())
		wantSecret(t, err, field)
		_, _, err = memory.RecordCompared(t.Context(), f.Memories, m)
		wantSecret(t, err, field)
	}
	if n := f.status().Memories; n != 0 {
		t.Errorf("%d memories were recorded", n)
	}
}

// The place is that of the secret in its field.
func TestRecord_SecretPlace(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	text, _ := secretText()
	_, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: text + "\npassword: Otter77!"})
	s, ok := errors.AsType[*hippo.SecretError](err)
	if !ok || s.Line != 2 || s.Column != 5 || s.More != 1 || s.Source != "" {
		t.Errorf("got %+v", err)
	}
}

// A caller may allow secrets, but not those of sources that nobody watches.
func TestRecord_AllowSecrets(t *testing.T) {
	t.Parallel()
	text, _ := secretText()
	for _, kind := range hippo.SourceKinds() {
		f := open(t, options{})
		m := &hippo.Memory{Content: text, Source: hippo.Source{Kind: kind}}
		_, err := memory.Record(t.Context(), f.Memories, m.Clone())
		wantSecret(t, err, "content")
		_, err = memory.Record(t.Context(), memory.AllowSecrets(f.Memories), m)
		if explicit := kind == hippo.SourceUser || kind == hippo.SourceAgent; explicit != (err == nil) {
			t.Errorf("%s, allowed: got %v", kind, err)
		}
	}
}

func TestModify_Secret(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	text, _ := secretText()
	id, old := f.record("harmless", .5), f.record("old", .5)
	for field, c := range map[string]api.Change{
		"content":      {Content: &text},
		"situation[0]": {Situation: &[]string{text}},
		"tags[0]":      {Tags: &[]string{text}},
		"type":         {Type: &text, Supersedes: &[]hippo.ID{old}},
	} {
		_, err := memory.Modify(t.Context(), f.Memories, id, c)
		wantSecret(t, err, field)
	}
	if m := f.get(id); m.Content != "harmless" || m.Tags != nil || m.Type != "" {
		t.Errorf("it was changed: %+v", m)
	}
	if m, err := memory.Modify(t.Context(), memory.AllowSecrets(f.Memories), id, api.Change{Content: &text}); err != nil || m.Content != text {
		t.Errorf("allowed: got %v", err)
	}
	if _, err := memory.Modify(t.Context(), f.Memories, id, api.Change{Tags: &[]string{"later"}}); err != nil {
		t.Errorf("another field of a memory with a secret: %v", err)
	}
}

func TestRelations_Secret(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	_, hidden := secretText()
	bad := hippo.Relation{From: f.record("one", .5), To: f.record("two", .5), Kind: hidden, Weight: 1}
	_, err := knowledge.Relate(t.Context(), f.Memories, []hippo.Relation{bad})
	wantSecret(t, err, "relations[0].kind")
	good := bad
	good.Kind = "explains"
	n, err := transfer.New(memory.AllowSecrets(f.Memories)).ImportRelations(t.Context(), []hippo.Relation{bad, good})
	wantSecret(t, err, "relations[0].kind")
	if n != 1 {
		t.Errorf("%d relations were imported, want the one without a secret", n)
	}
}

// Of 300 secrets none is stored by an import, also where secrets are allowed, whatever the source of an entry says; all
// the rest is stored.
func TestImport_Secrets(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	cases := screentest.Secrets()
	entries := func(yield func(*hippo.Memory, error) bool) {
		for i, c := range cases {
			kind := hippo.SourceKinds()[i%len(hippo.SourceKinds())]
			if !yield(&hippo.Memory{Content: fmt.Sprintf("note %d", i)}, nil) || !yield(&hippo.Memory{Content: c.Text, Source: hippo.Source{Kind: kind}}, nil) {
				return
			}
		}
	}
	r, err := transfer.New(memory.AllowSecrets(f.Memories)).Import(t.Context(), hippo.Calendar{}, entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Added != len(cases) || len(r.Rejected) != len(cases) {
		t.Errorf("%d were added and %d rejected, want %d each", r.Added, len(r.Rejected), len(cases))
	}
	for i, x := range r.Rejected {
		hidden := cases[i].Hidden
		if x.Entry != 2*i+2 || !errors.Is(x.Err, hippo.ErrSecret) || len(hidden) >= 10 && strings.Contains(x.Err.Error(), hidden[4:10]) {
			t.Errorf("entry %d: %v", x.Entry, x.Err)
		}
	}
}

// The name of a session, behind the label of its memories, is no secret however random it looks; a secret there is one.
func TestRecord_SessionTag(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for _, name := range []string{"0198a6d2-6f3e-4c11-8a54-5d0a3f1b2c04", "k3v9x7q2m4zt", "9f86d081884c7d659a2feaa0c55ad015", "ses_8QkVn2LwX0bTfYpA4mZc7H"} {
		if _, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: "of session " + name[:4], Tags: []string{"session:" + name}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	text, _ := secretText()
	for _, tag := range []string{"session:" + text, "password:k3v9X7q2m4zt"} {
		_, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: "of another one", Tags: []string{tag}})
		wantSecret(t, err, "tags[0]")
	}
}
