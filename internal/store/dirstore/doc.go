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
//	    derived.db  the copy of all memories, and what is known of each file
//	    journal     the files of a commit that changes several; empty between commits
//	    corrupt/    files that could not be read, as <name>.<hash>
//	    index       room for a snapshot of the search index
//	    tmp-*       files being written
//
// The files are the truth. All of .hippo may be deleted at any time without losing a
// memory; what is lost is what was learned of pairs of memories, vectors, which are computed
// again, and revisions, which are counted from 1 in a store of another identity.
//
// # The copy
//
// All reads are answered by the copy, a [sqlitestore.Store] with a table of its files. For each
// file the table has a stamp (size, times, number), so that a process which starts stats all
// files and reads only those that were changed. Not even the table is read if nothing was
// changed: the sum of the hashes of all stamps is stored, too. A file that was changed within
// the resolution of its time before it was read could be changed once more without another
// stamp; it is marked, and read again by the next comparison.
//
// A write transaction of the copy is also the lock of the directory: files are changed within
// it, before it is committed. It is never flushed to the disk. When it is lost, in a crash or
// with the whole copy, the files have other stamps than the copy says, and are read again. Because
// the lost commit may have assigned revisions that followers know, some are skipped then.
//
// Each handle remembers which copy it has compared with all files. A copy that
// is missing, damaged or another one is built or compared again before the next call.
//
// # Other programs
//
// Handles of this package, in any process, see each other's commits at their
// next call. Edits by anything else are noticed by watching the directory, by
// comparing stamps from time to time, and before a memory is written. A
// file that another program deleted is a purged memory. A file that lost all
// keys but those of the first Hippo program was rewritten by it: the other
// values are taken from the copy and written back.
//
// A change of text from outside raises the version of the memory, in the copy and
// not in the file: files under version control are not touched without need.
//
// Relations that were declared are text in one order, to be kept under version control
// and merged by lines. Those that searches learn change every day and are in the copy only.
//
// # Refusals
//
// Other names, subdirectories and symbolic links are left alone, and reported if they look like
// memories. A file that is no memory is copied to .hippo/corrupt once it stays so for [settle],
// is never lost, and is replaced by the last version known, if there is one. A file
// whose name is not the UUID inside is read under the UUID inside and reported. A directory of
// a newer format, which its metadata.json says, is refused.
//
// Invariant: a file is replaced by renaming a complete one over it, and what
// was acknowledged as durable was flushed before, directory included. A commit
// of several files is found whole or not at all after a crash of the process;
// a durable one also after a crash of the machine. A lazy commit flushes the
// contents, so that no file is ever torn, but neither directory nor journal: a
// crash of the machine may undo some of its files.
package dirstore
