// Package screen examines the text of memories: [Instructions] finds what a model could take for
// an order. It is a pure function. It takes time proportional to the length of the text, and no text
// can switch it off.
package screen
