package dialect

import "encoding/json"

// Args are decoded arguments by the name of their parameter: string, int, float64, bool,
// []string, []int, map[string]json.RawMessage, Args or []Args. Absent ones and null are not in it.
type Args map[string]any

// Has reports whether an argument was given.
func (a Args) Has(name string) bool { return a[name] != nil }

// Text returns a text; absent: "".
func (a Args) Text(name string) string { return valueOf[string](a, name) }

// Flag returns a flag; absent: false.
func (a Args) Flag(name string) bool { return valueOf[bool](a, name) }

// Texts returns a list of texts; absent: nil.
func (a Args) Texts(name string) []string { return valueOf[[]string](a, name) }

// Wholes returns a list of whole numbers; absent: nil.
func (a Args) Wholes(name string) []int { return valueOf[[]int](a, name) }

// Object returns an object of any fields; absent: nil.
func (a Args) Object(name string) map[string]json.RawMessage {
	return valueOf[map[string]json.RawMessage](a, name)
}

// Args returns an object of known fields; absent: nil.
func (a Args) Args(name string) Args { return valueOf[Args](a, name) }

// Items returns a list of objects; absent: nil.
func (a Args) Items(name string) []Args { return valueOf[[]Args](a, name) }

// Int returns a whole number; absent: def.
func (a Args) Int(name string, def int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return def
}

// Number returns a number; absent: def.
func (a Args) Number(name string, def float64) float64 {
	if n, ok := a[name].(float64); ok {
		return n
	}
	return def
}

func valueOf[T any](a Args, name string) T {
	v, _ := a[name].(T)
	return v
}
