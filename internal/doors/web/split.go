package web

import (
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// maxPieces is the number of memories into which one can be split.
const maxPieces = 20

// split records the pieces of a memory, each with its situation, tags and project, which together supersede it.
func split(v *visit) error {
	m, err := v.get(v.r.Context())
	if err != nil {
		return err
	}
	sent := draft{Content: v.r.PostForm.Get("content")}
	if err = unchanged(v, m); err != nil {
		return again(v, m, nil, &sent, err)
	}
	pieces, err := piecesOf(lines(sent.Content))
	if err != nil {
		return again(v, m, nil, &sent, err)
	}
	var added []hippo.ID
	news := make([]*hippo.Memory, len(pieces))
	for i, text := range pieces {
		if news[i], err = pieceOf(m, text); err == nil {
			err = memory.Screen(news[i])
		}
		if err != nil {
			return again(v, m, nil, &sent, asEntered(err))
		}
		added = append(added, news[i].ID)
	}
	err = applyTo(v, undoEntry{added: added}, memoryPath(added[0]), func(by *engine.Memories) (string, error) {
		for i, x := range news {
			var old []hippo.ID
			if i == 0 {
				old = []hippo.ID{m.ID}
			}
			if _, err := memory.Record(v.r.Context(), by, x, old...); err != nil {
				return "", asEntered(err)
			}
		}
		return "Split into " + count(len(pieces), "memory", "memories") + ".", nil
	})
	return again(v, m, nil, &sent, err)
}

// piecesOf splits a text at lines of three dashes.
func piecesOf(text string) (out []string, err error) {
	for piece := range strings.SplitSeq("\n"+text+"\n", "\n---\n") {
		if strings.TrimSpace(piece) != "" {
			out = append(out, strings.Trim(piece, "\n"))
		}
	}
	if len(out) < 2 || len(out) > maxPieces {
		return nil, hippo.Fieldf("content", "must have 2 to %d parts, with a line of three dashes between them, got %d", maxPieces, len(out))
	}
	return out, nil
}

// pieceOf returns a part of a memory as a new one.
func pieceOf(m *hippo.Memory, text string) (*hippo.Memory, error) {
	id, err := newID()
	return &hippo.Memory{
		ID: id, Namespace: m.Namespace, Project: m.Project, Content: text, Situation: m.Situation, Tags: m.Tags, Type: m.Type, Pinned: m.Pinned, EventTime: m.EventTime,
		ValidUntil: m.ValidUntil, Importance: hippo.Importance{Base: m.Importance.Value}, Trust: m.Trust, Source: hippo.Source{Kind: hippo.SourceUser, Client: dashboard},
	}, err
}
