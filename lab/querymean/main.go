// Command querymean computes what questions have in common in the space of the multilingual model:
// the mean of the vectors of all questions of some sets, of length below 1, as little-endian float32.
//
//	go -C lab run ./querymean --data DIR --out ../models/questions.bin
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/cnn"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/models"
)

func main() {
	data := flag.String("data", "", "folder of evaluation sets")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if err := run(context.Background(), *data, *out); err != nil {
		fmt.Fprintln(os.Stderr, "querymean:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data, out string) error {
	if data == "" || out == "" {
		return hippo.Fieldf("arguments", "must be --data DIR --out FILE")
	}
	sets, err := eval.Load(data)
	if err != nil {
		return err
	}
	model, err := cnn.Open(models.Multilingual(), cnn.Options{})
	if err != nil {
		return err
	}
	texts := questions(sets)
	vectors, err := model.Embed(ctx, embed.Query, texts)
	if err != nil {
		return err
	}
	bytes := make([]byte, 0, 4*model.Model().Dimension)
	for i := range model.Model().Dimension {
		sum := 0.0
		for _, v := range vectors {
			sum += float64(v[i])
		}
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(sum/float64(len(vectors)))))
	}
	return os.WriteFile(out, bytes, 0o644)
}

// questions returns the distinct questions of the sets.
func questions(sets []*eval.Set) []string {
	seen := make(map[string]bool)
	var texts []string
	for _, s := range sets {
		for _, q := range s.Questions {
			if !seen[q.Text] {
				seen[q.Text] = true
				texts = append(texts, q.Text)
			}
		}
	}
	return texts
}
