// Package dirstore keeps memories as a flat directory of JSON files, for people
// who put them under version control and for the first Hippo program, which
// reads and writes the same files.
//
// docs/formats.md describes the files. They are the truth: all of .hippo may be deleted at any time
// without losing a memory. What is lost are learned relations, uses that no file has yet, vectors, which
// are computed again, and revisions, which start at 1 in a store of another identity.
//
// # The replica
//
// All reads use the replica, a [sqlitestore.Store] with a table of the files. For each file the
// table has a stamp (size, times, inode), so that a process that opens the directory stats all
// files and reads only those that were changed. The sum of the hashes of all stamps is stored,
// too: if it is unchanged the table is not read. A file that was changed shortly before it was
// read, within the resolution of file times, could be changed again without another stamp. It
// is marked, and the next comparison reads it again.
//
// A write transaction of the replica is also the lock of the directory: files are replaced within
// it, before it is committed. The commit is not flushed to the disk. If it is lost, in a crash or
// with the whole replica, the stamps of the files differ from those in the table, and the files are
// read again. If it fails the write has succeeded all the same, because the files are the truth; all
// files are compared before the next call. A lost commit may have assigned revisions that
// followers have seen, so some are skipped.
//
// Each handle remembers which replica it has compared with all files. A replica that is missing
// or damaged is rebuilt, and one that was replaced is compared again, before the next call.
//
// # Other programs
//
// Handles of this package, in any process, see each other's commits at their
// next call. Edits by anything else are noticed by watching the directory, by
// comparing stamps from time to time, and before a memory is written. A
// file that another program deleted is a purged memory. A file that lost all
// keys but those of the first Hippo program was rewritten by it: the other
// values are taken from the replica and written back.
//
// When another program changes a text, the version of the memory is raised in the replica and
// not in the file, because the file may be under version control.
//
// Declared relations are lines of a sorted text file, which can be kept under version control and
// merged. Relations that searches learn change every day and are in the replica only.
//
// # Other files
//
// Other names, subdirectories and symbolic links are left alone, and reported if they look like
// memories. A file that cannot be read as a memory for [settle] is copied to .hippo/corrupt (the
// quarantine) and replaced by the last known version, if there is one. A file
// whose name is not the UUID inside is read under the UUID inside and reported. A directory
// whose metadata.json has a newer format version is refused.
//
// # Invariants
//
// A file is replaced by renaming a complete one over it. A durable write is acknowledged after
// the files and the directory were flushed. After a crash of the process a commit of several
// files is complete or undone; a durable one also after a crash of the machine. Its journal is
// flushed beside the files, so it has their hashes: who finds it can tell whether all of them
// reached the disk. A lazy commit
// flushes the contents, so that no file is torn, but neither directory nor journal: a crash of the
// machine may undo some of its files.
package dirstore
