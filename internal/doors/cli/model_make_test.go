package cli_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// modelCommand makes a model: model FOLDER [DIMENSION].
func modelCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: model FOLDER [DIMENSION]")
	}
	dimension := 32
	if len(args) == 2 {
		dimension = number(ts, args[1])
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	files, err := modelFiles(dimension)
	ts.Check(err)
	for name, data := range files {
		ts.Check(os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

// topics are the words that a small model knows; those of a line mean the same.
func topics() []string {
	return []string{
		"database query index slow took long missing",
		"pizza lunch friday food",
		"the a an", "was is had", "because", "no", "we", "on", "of", ".", ":",
	}
}

// modelFiles returns the files of an encoder of Nomic's shape with one layer: the
// vector of a text is about the mean of those of its words.
func modelFiles(dimension int) (map[string][]byte, error) {
	const layers, heads, inner = 1, 4, 8
	vocabulary := map[string]int{"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4}
	topic := []int{0, 1, 2, 3, 4}
	for i, line := range topics() {
		for word := range strings.FieldsSeq(line) {
			vocabulary[word] = len(topic)
			topic = append(topic, 5+i)
		}
	}
	config, err := json.Marshal(map[string]any{
		"model_type": "nomic_bert", "n_embd": dimension, "n_layer": layers, "n_head": heads, "n_inner": inner,
		"n_positions": 8192, "max_trained_positions": 2048, "vocab_size": len(topic), "type_vocab_size": 0, "pad_token_id": 0,
		"layer_norm_epsilon": 1e-12, "activation_function": "swiglu", "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
		"qkv_proj_bias": false, "mlp_fc1_bias": false, "mlp_fc2_bias": false,
	})
	if err != nil {
		return nil, err
	}
	tokenizer, err := json.Marshal(map[string]any{
		"version":       "1.0",
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{
			"type": "TemplateProcessing",
			"single": []any{
				map[string]any{"SpecialToken": map[string]any{"id": "[CLS]", "type_id": 0}},
				map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}},
				map[string]any{"SpecialToken": map[string]any{"id": "[SEP]", "type_id": 0}},
			},
			"pair": []any{},
			"special_tokens": map[string]any{
				"[CLS]": map[string]any{"id": "[CLS]", "ids": []int{2}, "tokens": []string{"[CLS]"}},
				"[SEP]": map[string]any{"id": "[SEP]", "ids": []int{3}, "tokens": []string{"[SEP]"}},
			},
		},
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary,
		},
	})
	if err != nil {
		return nil, err
	}
	weights, err := modelWeights(topic, dimension, inner)
	return map[string][]byte{"config.json": config, "tokenizer.json": tokenizer, "model.safetensors": weights}, err
}

// modelWeights writes the weights in BF16. Words of a topic have one vector.
func modelWeights(topic []int, dimension, inner int) ([]byte, error) {
	w := &tensors{header: map[string]any{}}
	var words []float32
	for _, t := range topic {
		r := rand.New(rand.NewPCG(1, uint64(t)))
		for range dimension {
			words = append(words, float32(r.NormFloat64()))
		}
	}
	w.add("embeddings.word_embeddings.weight", words, len(topic), dimension)
	for _, norm := range []string{"emb_ln", "encoder.layers.0.norm1", "encoder.layers.0.norm2"} {
		w.add(norm+".weight", slices.Repeat([]float32{1}, dimension), dimension)
		w.add(norm+".bias", make([]float32, dimension), dimension)
	}
	// Every token attends to all alike, and takes over their mean.
	same, mix := make([]float32, dimension*dimension), make([]float32, dimension*dimension)
	for i := range dimension {
		same[i*dimension+i], mix[i*dimension+i] = 1, 4
	}
	none := make([]float32, 2*dimension*dimension)
	w.add("encoder.layers.0.attn.Wqkv.weight", append(none, same...), 3*dimension, dimension)
	w.add("encoder.layers.0.attn.out_proj.weight", mix, dimension, dimension)
	w.add("encoder.layers.0.mlp.fc11.weight", make([]float32, inner*dimension), inner, dimension)
	w.add("encoder.layers.0.mlp.fc12.weight", make([]float32, inner*dimension), inner, dimension)
	w.add("encoder.layers.0.mlp.fc2.weight", make([]float32, dimension*inner), dimension, inner)
	header, err := json.Marshal(w.header)
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), w.numbers...), nil
}

// tensors is a safetensors file in the making.
type tensors struct {
	header  map[string]any
	numbers []byte
}

func (w *tensors) add(name string, values []float32, shape ...int) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n != len(values) {
		panic(fmt.Sprintf("%s has %d numbers, its shape is %v", name, len(values), shape))
	}
	at := len(w.numbers)
	for _, x := range values {
		w.numbers = binary.LittleEndian.AppendUint16(w.numbers, uint16(math.Float32bits(x)>>16))
	}
	w.header[name] = map[string]any{"dtype": "BF16", "shape": shape, "data_offsets": []int{at, len(w.numbers)}}
}
