package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo/internal/codeindex"
	"github.com/hippo-memory/hippo/internal/wire"
)

// encodedAtOnce is the number of chunks that hippo code index embeds without being asked to: those of a few changed files, in a
// second or two.
const encodedAtOnce = 64

// encodeTree embeds what has no vector by the encoder: if it is asked to, or if that is little. Else it says what is left.
func encodeTree(ctx context.Context, s *shell, t *codeindex.Tree, asked bool) error {
	state := t.Status(ctx)
	e := &state.Encoding
	missing := e.Encodable - e.Encoded
	switch {
	case asked && e.Encodable == 0 && state.Chunks > 0:
		s.warn("the encoder takes no part in trees of more than %d chunks", codeindex.MaxEncoded)
		return nil
	case missing == 0:
		return nil
	case !asked && (missing > encodedAtOnce || e.Running):
		if !s.json {
			fmt.Fprintf(s.out, "%d of %s have no vector by the encoder yet: hippo serve and hippo code watch make them in the background, --embed at once.\n", missing, plural(e.Encodable, "chunk"))
		}
		return nil
	}
	start := s.now()
	if err := codeindex.Encode(ctx, t, &codeindex.EncodeOptions{Now: true, Progress: progressOf(s)}); err != nil {
		return err
	}
	if asked && !s.json {
		fmt.Fprintf(s.out, "Embedded %s in %v.\n", plural(missing, "chunk"), s.now().Sub(start).Round(time.Millisecond))
	}
	return nil
}

// encoderLine says how far the vectors of a tree by the encoder are.
func encoderLine(st *wire.CodeStatus) string {
	e := st.Encoder
	switch {
	case e == nil && st.Chunks > codeindex.MaxEncoded:
		return fmt.Sprintf("takes no part: more than %d chunks", codeindex.MaxEncoded)
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
		text += "; hippo serve and hippo code watch go on in the background, hippo code index --embed at once"
	}
	return text
}
