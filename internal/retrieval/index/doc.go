// Package index finds memories. It follows the store: it reads what changed since the
// revision it knows, and can be deleted and rebuilt at any time. It holds the words of every
// memory (BM25F over content, situation and tags), its vectors, its word pieces and the columns
// that filters and rankers need, so that a search reads no memory. It does not rank, keeps no
// texts and never writes to the store.
//
// Invariant: equal memories give bit-identical scores, whatever the history: a fresh build,
// changes one by one and a file give the same numbers.
//
// # Snapshots
//
// The state is a [snapshot]: a list of parts, immutable once published. A search takes the
// current snapshot and never waits: neither for another search, nor for changes, merges, saves
// or access counts. A writer copies what it changes (copy on write) and publishes a new
// snapshot.
//
// A part is a segment and its mutable columns as of one snapshot. A segment is a run of at most
// 65,536 documents with dictionaries of its own, flat bytes on the heap or mapped from the file.
// A changed text is a new document in a new segment, and the old document is deleted. Small
// segments are merged into larger ones. Forgotten memories stay in the index, hidden.
//
// # File
//
// One append-only file keeps the index between processes; see file.go for the format. What is
// appended never changes, so other processes may map it. A file that is mostly garbage is
// replaced as a whole. Beside it lies an empty file with the suffix .lock, which the process that
// writes holds.
package index
