// Package arch holds no code: its tests keep the shape of the repository.
//
// They read the source, for every operating system and build tag at once, and
// refuse: an import against the layers, a back end known to anything but the
// wiring, a heavy module outside its one package, cgo, a package without a
// comment, a file or function that grew too long, a process that ends anywhere
// but in main, a README nobody would read to the end, and a dependency that
// docs/dependencies.md does not explain. The tables are in rules_test.go. Every
// rule is also run on a made-up tree that breaks it.
package arch
