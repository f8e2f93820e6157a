package api

import "time"

// Namespace describes a namespace to the person who runs the store.
type Namespace struct {
	Name string `json:"namespace"`
	// Memories counts the memories that a search can find. Forgotten counts those that the store keeps but a search cannot find.
	Memories  int `json:"memories"`
	Forgotten int `json:"forgotten"`
	// Bytes is the size of the texts of all memories.
	Bytes int `json:"bytes"`
	// Used is the time of the last write. In a database, a search counts as a write, because it records the use of the memories that it
	// found. Zero: never.
	Used   time.Time       `json:"used,omitzero"`
	Limits NamespaceLimits `json:"limits,omitzero"`
}

// NamespaceLimits limits what a namespace may use; 0: no limit.
type NamespaceLimits struct {
	// Memories bounds the number of memories, including forgotten ones.
	Memories int `json:"memories,omitempty"`
	// Bytes bounds the size of the texts of all memories.
	Bytes int `json:"bytes,omitempty"`
	// Requests bounds how many requests a minute each HTTP server answers.
	Requests int `json:"requests,omitempty"`
}

// NamespaceLimit changes limits; a nil field leaves its limit unchanged.
type NamespaceLimit struct{ Memories, Bytes, Requests *int }

// NamespaceUsage reports what a namespace uses.
type NamespaceUsage struct {
	Namespace
	Created   time.Time `json:"created,omitzero"`
	Relations int       `json:"relations"`
	// Vectors counts the vectors of memories across all models; 0 if the count is unknown.
	Vectors int `json:"vectors"`
	// Disk is the approximate total of the bytes in Tables.
	Disk   int              `json:"disk,omitempty"`
	Tables []NamespaceTable `json:"tables,omitempty"`
	Leases []NamespaceLease `json:"leases,omitempty"`
}

// NamespaceTable reports what a namespace stores in one database table.
type NamespaceTable struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`
	// Bytes is the approximate disk space of these rows, including their share of the indexes.
	Bytes int `json:"bytes"`
}

// NamespaceLease is a right that one process holds until a given time, such as the right to embed.
type NamespaceLease struct {
	Name  string    `json:"name"`
	Until time.Time `json:"until"`
}
