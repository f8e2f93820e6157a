package engine_test

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Trust is what the caller says; only TrustDefault is that of the source.
func TestRecord_Trust(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for _, tc := range []struct {
		asked hippo.Trust
		kind  hippo.SourceKind
		want  hippo.Trust
	}{
		{hippo.TrustNone, hippo.SourceUser, hippo.TrustNone},
		{hippo.TrustDefault, hippo.SourceUser, hippo.TrustHigh},
		{hippo.TrustDefault, "", hippo.TrustNormal},
		{hippo.TrustHigh, hippo.SourceTool, hippo.TrustHigh},
	} {
		m, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: "x", Trust: tc.asked, Source: hippo.Source{Kind: tc.kind}})
		if err != nil || f.get(m.ID).Trust != tc.want {
			t.Errorf("%+v: got %+v (%v)", tc, m, err)
		}
	}
}

func TestRecord_RefusesUnknownSources(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	_, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: "x", Source: hippo.Source{Kind: "martian"}})
	if field, ok := errors.AsType[*hippo.FieldError](err); !ok || field.Field != "Source.Kind" {
		t.Errorf("got %v", err)
	}
	if n := f.status().Memories; n != 0 {
		t.Errorf("%d memories were recorded", n)
	}
}
