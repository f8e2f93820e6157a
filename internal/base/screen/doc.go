// Package screen examines the text of memories: [Secrets] finds keys, tokens and passwords in
// it, [Instructions] what a model could take for an order. Both are pure functions. They take
// time proportional to the length of the text, and no text can switch them off.
//
// The rules for the keys of providers are those of gitleaks 8.30.1, unchanged, in gitleaks.toml;
// its licence is in gitleaks.LICENSE. hippo.toml has rules of our own in the same format.
package screen
