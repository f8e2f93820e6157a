package role

import (
	"slices"
	"strings"
)

// IsVendored reports whether folders of a name hold what others wrote, or what a tool made.
func IsVendored(folder string) bool {
	return slices.Contains([]string{
		"vendor", "node_modules", "bower_components", "jspm_packages", "Pods", "Carthage", "third_party", "venv", "site-packages", "__pycache__", "htmlcov", "DerivedData",
		"cmake-build-debug", "cmake-build-release", "elm-stuff",
	}, folder)
}

// IsMinified reports whether files of a name are scripts that a tool made shorter, or one of many.
func IsMinified(name string) bool {
	return endsIn(name, ".min.js", ".min.css", ".min.mjs", "-min.js", ".bundle.js")
}

// IsGenerated reports whether the suffix of a name is one that a generator gives.
func IsGenerated(name string) bool {
	return endsIn(name, ".map", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".pb.cc", ".pb.h", ".g.dart", ".freezed.dart", ".designer.cs", ".generated.cs", ".snap")
}

func endsIn(name string, suffixes ...string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(lower, suffix) })
}
