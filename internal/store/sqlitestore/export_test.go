package sqlitestore

// Migrations returns the SQL of all versions.
func Migrations() []string { return schema().Migrations }
