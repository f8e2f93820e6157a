package api

import "time"

// Namespace is a namespace as whoever runs the store sees it.
type Namespace struct {
	Name string `json:"namespace"`
	// Memories can be found; Forgotten are kept and cannot.
	Memories  int `json:"memories"`
	Forgotten int `json:"forgotten"`
	// Bytes is the size of the texts of all memories.
	Bytes int `json:"bytes"`
	// Used is when something was written last. In a database a search writes that it used what it found. Zero: never.
	Used   time.Time       `json:"used,omitzero"`
	Limits NamespaceLimits `json:"limits,omitzero"`
}

// NamespaceLimits are what a namespace may use; 0: no limit.
type NamespaceLimits struct {
	// Memories includes forgotten ones.
	Memories int `json:"memories,omitempty"`
	// Bytes bounds the size of the texts of all memories.
	Bytes int `json:"bytes,omitempty"`
	// Requests is how many a minute each server over HTTP answers.
	Requests int `json:"requests,omitempty"`
}

// NamespaceLimit changes limits; what is nil stays.
type NamespaceLimit struct{ Memories, Bytes, Requests *int }

// NamespaceUsage is what a namespace uses.
type NamespaceUsage struct {
	Namespace
	Created   time.Time `json:"created,omitzero"`
	Relations int       `json:"relations"`
	// Vectors of memories, of all models together; 0 where they are not known.
	Vectors int `json:"vectors"`
	// Disk is about how many bytes Tables have together.
	Disk   int              `json:"disk,omitempty"`
	Tables []NamespaceTable `json:"tables,omitempty"`
	Leases []NamespaceLease `json:"leases,omitempty"`
}

// NamespaceTable is what a namespace has in a table of a database.
type NamespaceTable struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`
	// Bytes is about how many these rows need on the disk, with their part of the indexes.
	Bytes int `json:"bytes"`
}

// NamespaceLease is a right that one process has until a time, such as that to embed.
type NamespaceLease struct {
	Name  string    `json:"name"`
	Until time.Time `json:"until"`
}
