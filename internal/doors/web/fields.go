package web

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/hippo-memory/hippo/internal/verb"
)

// fields reads what a form or the query of a page says of some arguments. What is blank is not given.
func fields(form url.Values, table verb.Table) (verb.Input, error) {
	given := make(map[string]json.RawMessage)
	for i := range table {
		if text := strings.TrimSpace(form.Get(table[i].Name)); text != "" {
			given[table[i].Name] = table[i].JSON(text)
		}
	}
	in, _, err := table.Take(verb.REST, given)
	return in, err
}
