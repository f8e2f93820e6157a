package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/hippo-memory/hippo"
)

// measureCode prints what searches of code find in the sets of functions: by the table alone, and with the encoder.
func measureCode(ctx context.Context, w io.Writer, data string) (err error) {
	if data == "" {
		return hippo.Fieldf("data", "must be the folder of the evaluation sets")
	}
	trees, err := openAll(ctx, data, codeSets(), openTree)
	defer func() { err = errors.Join(err, closeAll(trees)) }()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| recall@10 / hit@1 | documents | questions | by the table | with the encoder |\n|---|---|---|---|---|")
	for _, t := range trees {
		table, err := scoreOf(ctx, t)
		if err != nil {
			return err
		}
		if err := t.encode(ctx); err != nil {
			return err
		}
		encoded, err := scoreOf(ctx, t)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %d | %d | %v | %v |\n", filepath.Base(t.set.Name), len(t.set.Groups[0].Docs), table.questions, table, encoded)
	}
	return nil
}

// score counts the questions that have an answer, and what of that was found.
type score struct {
	questions     int
	recall, first float64
}

func (s score) String() string {
	n := float64(max(1, s.questions))
	return fmt.Sprintf("%.3f / %.3f", s.recall/n, s.first/n)
}

// add counts a question with a number of answers.
func (s *score) add(f found, answers int) {
	if answers == 0 {
		return
	}
	s.questions++
	counted := make(map[string]bool)
	for i, right := range f.Right {
		if right && !counted[f.documents[i]] {
			s.recall += 1 / float64(answers)
			counted[f.documents[i]] = true
		}
		if right && i == 0 {
			s.first++
		}
	}
}

// scoreOf asks all questions of a set.
func scoreOf(ctx context.Context, t *source) (out score, err error) {
	for i := range t.set.Questions {
		q := &t.set.Questions[i]
		f, err := t.ask(ctx, q.Text, q.Relevant)
		if err != nil {
			return out, err
		}
		out.add(f, len(q.Relevant))
	}
	return out, nil
}
