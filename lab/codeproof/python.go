package main

import (
	"context"
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pythonScripts are the parts of the program that judges a folder by ast and symtable, in their order.
//
//go:embed judge_scopes.py judge_binder.py judge.py
var pythonScripts embed.FS

// pythonScript returns the program.
func pythonScript() (string, error) {
	var all []byte
	for _, name := range []string{"judge_scopes.py", "judge_binder.py", "judge.py"} {
		part, err := pythonScripts.ReadFile(name)
		if err != nil {
			return "", err
		}
		all = append(all, part...)
	}
	return string(all), nil
}

// judgePython judges the standard library of the Python of this system, by the name "std", or a package of PyPI, by
// what pip calls it: "django==5.2.8".
func judgePython(ctx context.Context, name, cache string) (*facts, string, error) {
	python, err := program("python3", "Python")
	if err != nil {
		return nil, "", err
	}
	root := filepath.Join(cache, "python", name)
	if name == "std" {
		if root, err = standardPython(ctx, python, cache); err != nil {
			return nil, "", err
		}
	} else if err := install(ctx, root, python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--disable-pip-version-check", "--target", root, name); err != nil {
		return nil, "", err
	}
	text, err := pythonScript()
	if err != nil {
		return nil, "", err
	}
	f, err := script(ctx, python, "-c", text, root)
	return f, root, err
}

// standardPython copies the standard library, without its tests and what is installed beside it.
func standardPython(ctx context.Context, python, cache string) (string, error) {
	out, err := exec.CommandContext(ctx, python, "-c", "import platform, sysconfig; print(platform.python_version()); print(sysconfig.get_path('stdlib'))").Output()
	if err != nil {
		return "", err
	}
	version, from, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	root := filepath.Join(cache, "python", "std-"+version)
	if err := os.RemoveAll(root); err != nil {
		return "", err
	}
	return root, copyTree(os.DirFS(strings.TrimSpace(from)), root, func(name string) bool {
		switch name {
		case "site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__":
			return false
		}
		return !strings.Contains(name, ".") || strings.HasSuffix(name, ".py")
	})
}
