package api

import "github.com/hippo-memory/hippo"

// Operations asks for the operations that changed memories, the newest first. The answer is an [OperationPage]. A memory that
// was recorded and never changed has none.
type Operations struct {
	// Memory is the memory whose operations are asked for; zero: all. An unknown one is a [*hippo.UnknownError].
	Memory hippo.ID
	// Offset is how many come before the page, Count its size, at most [hippo.MaxCount]; 0 means [hippo.DefaultCount].
	Offset, Count int
}

// OperationPage is a page of operations.
type OperationPage struct {
	Operations []Operation
	// More: there are older ones.
	More bool
}

// Operation is an operation with the memories that it changed: those that the caller may see, and of which a former version is
// kept, by ID.
type Operation struct {
	hippo.Operation
	Memories []hippo.ID
}

// Versions asks for former versions of memories: of a memory the newest first, of an operation by the ID of the memory, of both
// the one that the operation changed. An unknown memory is a [*hippo.UnknownError], an unknown operation [hippo.ErrNotFound].
type Versions struct{ Memory, Operation hippo.ID }
