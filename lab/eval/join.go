package main

import (
	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// joinedName is the name of the set that --join makes.
const joinedName = "joined"

// joined is one set of all: every question is asked of one store that holds the documents of
// every set. The names of documents and categories begin with that of their set.
func joined(sets []*eval.Set) *eval.Set {
	out := &eval.Set{Name: joinedName, Setting: settingPooled}
	var all eval.Group
	for _, s := range sets {
		for m := range documents(s) {
			c := m.Clone()
			c.Source.URI = s.Name + "/" + eval.Name(m)
			c.ID = hippo.ID(uuid.NewSHA1(uuid.UUID(m.ID), []byte(s.Name)))
			if c.Source.Session != "" {
				c.Source.Session = s.Name + "/" + c.Source.Session
			}
			all.Docs = append(all.Docs, c)
		}
		for _, q := range s.Questions {
			relevant := make(map[string]float64, len(q.Relevant))
			for name, gain := range q.Relevant {
				relevant[s.Name+"/"+name] = gain
			}
			if !eval.Excluded(q.Category) && !eval.Unanswerable(q.Category) {
				q.Category = s.Name + "/" + q.Category
			}
			q.ID, q.Relevant, q.Group = s.Name+"/"+q.ID, relevant, ""
			out.Questions = append(out.Questions, q)
		}
		out.Rejected = append(out.Rejected, s.Rejected...)
	}
	out.Groups = []eval.Group{all}
	return out
}
