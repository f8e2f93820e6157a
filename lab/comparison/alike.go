package main

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	_ "modernc.org/sqlite"     // reads the files
	_ "modernc.org/sqlite/vec" // and their vectors

	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/others"
)

// compareFiles prints for each program that shares a file how a file that was prepared differs from one that it wrote
// itself with the same texts: in the vectors, and in what it finds.
func compareFiles(program string, programs []others.Program, rows int) error {
	words, err := corpus.Words()
	if err != nil {
		return err
	}
	w := corpus.New(7, words)
	texts, asked := make([]string, rows), make([]string, further)
	for i := range texts {
		texts[i] = w.Text(40)
	}
	for i := range asked {
		asked[i] = w.Query()
	}
	return within(func(dir string) error {
		p := &prepared{hippo: program, own: filepath.Join(dir, "own.db")}
		if err := errors.Join(p.fillTexts(texts, dir), p.derive(context.Background(), dir)); err != nil {
			return err
		}
		fmt.Printf("| %d texts, %d questions | cosine of the vectors of a text: mean, lowest | the same first result | the same results among ten |\n|---|---|---|---|\n", rows, len(asked))
		for i := range programs {
			if !programs[i].Shares {
				continue
			}
			if err := within(func(dir string) error { return p.alike(&programs[i], dir, texts, asked) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// fillTexts makes the database of texts without anything else.
func (p *prepared) fillTexts(texts []string, dir string) error {
	var lines []byte
	for _, text := range texts {
		line, err := json.Marshal(map[string]string{"content": text})
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	file := filepath.Join(dir, "texts.jsonl")
	return errors.Join(os.WriteFile(file, lines, 0o600), p.fill(file, dir))
}

// alike prints the row of a program.
func (p *prepared) alike(program *others.Program, dir string, texts, asked []string) error {
	there, err := p.copyFor(program, dir)
	if err != nil {
		return err
	}
	written := filepath.Join(dir, "written.db")
	s, err := program.Start(written, dir)
	if err != nil {
		return err
	}
	for _, text := range texts {
		if _, err := s.Store(text); err != nil {
			return errors.Join(err, s.Stop())
		}
	}
	own, err := answers(s, asked)
	s.Kill()
	if err != nil {
		return err
	}
	if s, err = program.Start(there, dir); err != nil {
		return err
	}
	theirs, err := answers(s, asked)
	s.Kill()
	if err != nil {
		return err
	}
	mean, lowest, err := cosines(written, there)
	if err != nil {
		return err
	}
	first, same, all := 0, 0, 0
	for i := range asked {
		if len(own[i]) > 0 && len(theirs[i]) > 0 && own[i][0] == theirs[i][0] {
			first++
		}
		all += len(own[i])
		for _, key := range own[i] {
			if slices.Contains(theirs[i], key) {
				same++
			}
		}
	}
	fmt.Printf("| %s | %.4f, %.4f | %d of %d | %d of %d |\n", program.Name, mean, lowest, first, len(asked), same, all)
	return nil
}

// answers returns the keys of what a program finds for each question by the vectors. claude-hippo has no surprise of rows
// that others wrote, and ranks them otherwise.
func answers(s *others.Session, asked []string) (found [][]string, err error) {
	s.Plain = true
	for _, query := range asked {
		keys, err := s.Recall(query, 10)
		if err != nil {
			return nil, err
		}
		found = append(found, keys)
	}
	return found, nil
}

// cosines compares the vectors of equal texts in two files.
func cosines(a, b string) (mean, lowest float64, err error) {
	first, err := vectorsOf(a)
	if err != nil {
		return 0, 0, err
	}
	second, err := vectorsOf(b)
	if err != nil {
		return 0, 0, err
	}
	lowest = 1
	for text, x := range first {
		y := second[text]
		if len(y) != len(x) {
			return 0, 0, fmt.Errorf("%s has %d numbers for a text, %s %d", a, len(x), b, len(y))
		}
		dot, xx, yy := 0.0, 0.0, 0.0
		for i := range x {
			dot, xx, yy = dot+x[i]*y[i], xx+x[i]*x[i], yy+y[i]*y[i]
		}
		cosine := dot / math.Sqrt(xx*yy)
		mean, lowest = mean+cosine/float64(len(first)), min(lowest, cosine)
	}
	return mean, lowest, nil
}

// vectorsOf returns the vectors of a file of the other programs by text.
func vectorsOf(file string) (vectors map[string][]float64, err error) {
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		return nil, err
	}
	defer db.Close() //nolint:errcheck // it was only read
	rows, err := db.Query("SELECT m.content, v.content_embedding FROM memories m JOIN memory_embeddings v ON v.rowid = m.id")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	vectors = make(map[string][]float64)
	for rows.Next() {
		var text string
		var raw []byte
		if err := rows.Scan(&text, &raw); err != nil {
			return nil, err
		}
		values := make([]float64, len(raw)/4)
		for i := range values {
			values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
		vectors[text] = values
	}
	return vectors, rows.Err()
}
