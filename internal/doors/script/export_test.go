package script

// Verbs returns the names of the functions of a program, without aliases.
func Verbs() (names []string) {
	for _, v := range library() {
		names = append(names, v.name)
	}
	return names
}
