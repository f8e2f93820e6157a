package bert

import (
	"fmt"
	"os"

	"github.com/hippo-memory/hippo/internal/embed/token"
)

// openTokenizer reads tokenizer.json.
func openTokenizer(path string) (token.Tokenizer, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := token.Load(file)
	if err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	return t, nil
}
