// Package arch holds no code: its tests keep the shape of the repository.
//
// They read the source, for every operating system and build tag at once, and refuse:
//   - an import against the layers, a back end known to anything but the wiring, a heavy
//     module outside its one package, and cgo;
//   - a package without a comment, a file, function or type that grew too long, and a
//     process that ends anywhere but in main;
//   - in packages with an order of files, a use of what a later file declares;
//   - in the packages that programs import, an exported type that is another name of one, and a function that takes a client;
//   - a word of our own where the field has a standard term;
//   - a README of more than 200 lines, and a dependency that docs/dependencies.md does not
//     explain.
//
// The tables are in rules_test.go. What still breaks a rule that is newer than the code is
// listed in testdata; the lists may only shrink, and go test ./internal/arch -update does
// that. Every rule is also run on a made-up tree that breaks it.
package arch
