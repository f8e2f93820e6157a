// Package wire holds what all front ends have in common: the JSON of a memory, a hit, an
// answer, a status and an error, how each kind of failure is reported, and how a text is
// shortened. It knows no protocol and no terminal.
package wire
