package wire

// CheckReport is the outcome of a check of a store as JSON.
type CheckReport struct {
	Store     string `json:"store"`
	Memories  int    `json:"memories"`
	Forgotten int    `json:"forgotten"`
	// Index is the state of the index file: "ok", "rebuilt" or "none".
	Index    string    `json:"index"`
	Problems []Problem `json:"problems,omitempty"`
	// Damaged says that the store as a whole is damaged and rejects writes.
	Damaged bool `json:"damaged,omitempty"`
}

// BackupReport is what a backup holds as JSON.
type BackupReport struct {
	Memories  int       `json:"memories"`
	Forgotten int       `json:"forgotten"`
	Relations int       `json:"relations"`
	Problems  []Problem `json:"problems,omitempty"`
}

// RestoreReport is the outcome of a restore from a backup as JSON.
type RestoreReport struct {
	// Memories also counts forgotten ones, except for those that Forgotten counts.
	Memories int `json:"memories"`
	// Forgotten counts those that the backup lacks and that became forgotten, because the store syncs.
	Forgotten int `json:"forgotten,omitempty"`
	// Purged counts those of the backup that were left out.
	Purged int `json:"purged,omitempty"`
	// Saved is the file that has what was in the store before.
	Saved    string    `json:"saved,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
}
