package main

import "fmt"

// A place is where a name stands: a file by its path in the tree, and a byte. A byte below 0 is the top of the file.
type place struct {
	file string
	at   int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.at) }

// A use is a reference to a definition.
type use struct {
	to     []place // the definitions that it may mean; none: nothing of the tree
	call   bool
	named  bool  // only the name says it
	caller place // the definition that the call is in
}

// facts are what is known of a tree.
type facts struct {
	files       map[string]bool // that were read
	definitions map[place]bool
	uses        map[place]use // by the place of the name
	types       map[place]bool
}

func newFacts() *facts {
	return &facts{files: map[string]bool{}, definitions: map[place]bool{}, uses: map[place]use{}, types: map[place]bool{}}
}
