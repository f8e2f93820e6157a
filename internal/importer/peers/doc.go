// Package peers reads the memories that other programs keep: their databases, exports,
// transcripts and notes, and documents. It recognises them by content; a name only decides
// where the content leaves it open. It never writes to a source.
//
// Every memory gets the version 5 UUID of its name in that program, or of its text where it has
// none, so that reading the same source again gives the same memories. Its kind of source is
// [hippo.SourceImport] with low trust, its client the program, and its URI the name. What a
// memory has no field for is kept in its metadata.
//
// docs/import.md says what becomes of each kind, docs/formats.md where its fields come from.
package peers
