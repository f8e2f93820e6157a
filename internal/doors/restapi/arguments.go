package restapi

import "github.com/hippo-memory/hippo/internal/verb"

// fieldsOf returns the fields for arguments of a verb.
func fieldsOf(args []verb.Arg, where place) []field {
	out := make([]field, len(args))
	for i := range args {
		a := &args[i]
		out[i] = field{name: a.NameAt(verb.REST), in: where, to: a.To, about: a.About, words: a.Values}
		switch to := a.To.(type) {
		case *verb.Time:
			out[i].to = (*moment)(to)
		case *[]string:
			if a.Most > 0 {
				out[i].rules = schema{"maxItems": a.Most}
			}
		case *string:
			if a.Most > 0 {
				out[i].rules = schema{"maxLength": a.Most}
			}
		}
	}
	return out
}
