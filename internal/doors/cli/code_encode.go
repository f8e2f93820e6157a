package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo/internal/code"

	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// encodedAtOnce is the number of chunks that hippo code index embeds without being asked to: those of a few changed files, in a
// second or two.
const encodedAtOnce = 64

// encodeTree embeds what has no vector by the encoder: if it is asked to, or if that is little. Else it says what is left.
func encodeTree(ctx context.Context, s *shell, t *code.Tree, asked bool) error {
	state := t.Status(ctx)
	e := &state.CodeVectors
	missing := e.Encodable - e.Encoded
	switch {
	case asked && state.Chunks > code.MaxEncoded:
		s.warn("the encoder takes no part in trees of more than %d chunks", code.MaxEncoded)
		return nil
	case asked && e.Encodable == 0 && state.Chunks > 0:
		s.warn("the setting of the model leaves the encoder out")
		return nil
	case missing == 0:
		return nil
	case asked:
		return encodeAsked(ctx, s, t, e.Running, e.Encoded)
	case missing > encodedAtOnce || e.Running:
		if !s.json {
			fmt.Fprintf(s.out, "%d of %s have no vector by the encoder yet: hippo serve and hippo code watch make them in the background, --embed at once.\n", missing, plural(e.Encodable, "chunk"))
		}
		return nil
	}
	err := t.Encode(ctx, nil)
	if err != nil && ctx.Err() == nil {
		s.warn("the index is whole, but not all chunks have a vector by the encoder: %v", err)
		return nil
	}
	return err
}

// encodeAsked embeds the rest and says how much that was; before is how much had a vector.
func encodeAsked(ctx context.Context, s *shell, t *code.Tree, running bool, before int) error {
	if running {
		s.warn("another process embeds this tree: waiting for it")
	}
	start := s.now()
	if err := t.Encode(ctx, progressOf(s)); err != nil {
		return err
	}
	if s.json {
		return nil
	}
	after := t.Status(ctx)
	fmt.Fprintf(s.out, "Embedded %s in %v.\n", plural(after.Encoded-before, "chunk"), s.now().Sub(start).Round(time.Millisecond))
	if left := after.Encodable - after.Encoded; left > 0 {
		fmt.Fprintf(s.out, "%d are left, of files that have changed: hippo code index again.\n", left)
	}
	return nil
}

// encoderLine says how far the vectors of a tree by the encoder are.
func encoderLine(st *wire.CodeStatus) string {
	e := st.Encoder
	switch {
	case e == nil && st.Chunks > code.MaxEncoded:
		return fmt.Sprintf("takes no part: more than %d chunks", code.MaxEncoded)
	case e == nil && st.Chunks > 0:
		return "is left out by the setting of the model"
	case e == nil:
		return "has nothing to embed"
	case e.Encoded == e.Chunks:
		return plural(e.Chunks, "chunk") + " embedded"
	}
	text := fmt.Sprintf("%d of %s embedded", e.Encoded, plural(e.Chunks, "chunk"))
	if e.Left > 0 {
		text += fmt.Sprintf(", about %v left", time.Duration(e.Left)*time.Second)
	}
	if !e.Running {
		text += "; hippo serve and hippo code watch go on in the background, hippo code index " + termtext.Argument(st.Root) + " --embed at once"
	}
	return text
}
