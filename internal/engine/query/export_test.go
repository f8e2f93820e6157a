package query

// Instructs is what [Context] marks memories by.
func Instructs(text string) bool { return instructs(text) }
