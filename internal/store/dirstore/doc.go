// Package dirstore keeps memories as a flat directory of JSON files, for people
// who put them under version control and for the first Hippo program, which
// reads and writes the same files.
//
// # Format
//
//	<uuid>.json     one memory each, see package formats
//	metadata.json   {"active_day_counter": 1, "last_calendar_date_used": "2025-08-02"}
//	relations.jsonl relations that were declared, one a line, see package formats
//	.hippo/         this program's own state, ignored by git:
//	    lock        held while files are changed
//	    log         revisions: 64-byte records, appended
//	    journal     the files of a commit that changes several; empty between commits
//	    corrupt/    files that could not be read, as <name>.<hash>
//	    index       room for a snapshot of the search index
//	    vectors-*   vectors of one model each, appended
//	    co_recalled relations that were learned, appended
//	    tmp-*       files being written
//
// The files are the truth. All of .hippo may be deleted without losing a
// memory; a store opened then has a new identity and counts revisions anew.
// The log is a cache of which revision each content has: a file that differs
// from its entry was changed by another program, or survived a crash that its
// entry did not, and gets a new revision.
//
// # Vectors
//
// A file of vectors is named by the first 16 bytes of the SHA-256 of its model's
// name, in hex, and made of checked records, see vectorHeader. It is changed under
// the lock; readers need none, for they take no notice of a write before it is
// whole. What a killed writer left is cut off by the next one. When more than half
// of a file was replaced or purged, a new one is renamed over it. Vectors can be
// made again, so a record that is broken counts as missing, and a file that is not
// ours as none, to be replaced by the next write.
//
// # Relations
//
// Those that were declared are text in one order, to be kept under version control
// and merged by lines; those that searches learn change every day and stay in .hippo.
// Both are read whole, changed under the lock, and read again when they were changed;
// docs/formats.md has the lines. A call that changes both writes the declared ones
// first, and a crash in between leaves the learned ones as they were. Relations of
// memories that are purged go before them.
//
// # Other programs
//
// Handles of this package, in any process, see each other's commits at their
// next call. Edits by anything else are noticed by watching the directory, by
// comparing all contents from time to time, and before a memory is written. A
// file that another program deleted is a purged memory. A file that lost all
// keys but those of the first Hippo program was rewritten by it: the other
// values are taken from memory and written back. While no handle is open they
// cannot be.
//
// A change of text from outside raises the version of the memory, in the log and
// not in the file: files under version control are not touched without need.
//
// # Refusals
//
// Other names, subdirectories and symbolic links are left alone. A file that is
// no memory is moved to .hippo/corrupt once it stays so for [settle], is never
// dropped, and is replaced by the last version known, if there is one. A file
// whose name is not the UUID inside is read under the UUID inside and reported.
//
// Invariant: a file is replaced by renaming a complete one over it, and what
// was acknowledged as durable was flushed before, directory included. A commit
// of several files is found whole or not at all after a crash of the process;
// a durable one also after a crash of the machine. A lazy commit flushes the
// contents, so that no file is ever torn, but neither directory nor journal: a
// crash of the machine may undo some of its files.
package dirstore
