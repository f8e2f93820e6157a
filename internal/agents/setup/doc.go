// Package setup registers Hippo with the programs that agents run in, and checks that it
// works there: hippo setup and hippo doctor.
//
// One table, [Clients], says for each client how it is found, which files hold its servers,
// hooks and instructions, and the shape of the entries. [Planner] turns a row into changes of
// files, [Change.Write] makes one, and taking all of them back restores every file byte for
// byte. [Doctor] starts what is registered as the client would.
//
// # Files
//
// Package splice edits only our entries. Beside each file that existed, FILE.hippo-backup holds
// it as it was before the first change; it goes when the change is taken back. Files are replaced
// atomically and keep their mode; a symbolic link is followed. A file that its client would
// refuse, that is read-only or belongs to another user is an error, and is left as it is.
//
// The package writes to no terminal and reads no global state: home, environment and system
// are those of a [Host].
package setup
