package main

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// bare is a set as the server records it over one connection: of each document what an agent gives,
// and of those without a situation their order, in one session.
func bare(s *eval.Set) *eval.Set {
	out := *s
	out.Name = s.Name + ", bare"
	out.Groups = nil
	for _, g := range s.Groups {
		docs := make([]*hippo.Memory, len(g.Docs))
		for i, m := range g.Docs {
			docs[i] = &hippo.Memory{
				ID: m.ID, Content: m.Content, Situation: m.Situation, Type: m.Type, Importance: m.Importance, Trust: m.Trust,
				Source: hippo.Source{Kind: m.Source.Kind, URI: eval.Name(m)},
			}
			if len(m.Situation) == 0 {
				docs[i].Source.Session, docs[i].Source.Seq = "connection", i+1
			}
		}
		out.Groups = append(out.Groups, eval.Group{Name: g.Name, Docs: docs})
	}
	return &out
}
