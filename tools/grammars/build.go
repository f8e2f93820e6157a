package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A builder compiles grammars.
type builder struct {
	work, out, glue string
}

// folder returns where a package lies unpacked.
func (b builder) folder(s source) string {
	return filepath.Join(b.work, strings.ReplaceAll(strings.TrimPrefix(s.name, "@"), "/", "-")+"-"+s.version)
}

// fetch downloads a package, unless it is there, checks it and unpacks it.
func (b builder) fetch(ctx context.Context, s source) error {
	archive := b.folder(s) + ".tgz"
	if _, err := os.Stat(archive); err != nil {
		if err := b.command(ctx, b.work, "npm", "pack", "--ignore-scripts", "--silent", s.name+"@"+s.version); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != s.sha256 {
		return fmt.Errorf("%s has the checksum %x, not %s", archive, sum, s.sha256)
	}
	if err := os.MkdirAll(b.folder(s), 0o755); err != nil {
		return err
	}
	return b.command(ctx, b.work, "tar", "xzf", archive, "-C", b.folder(s), "--strip-components=1", "--no-same-owner")
}

// build writes the module of a grammar. What walks and parses is compiled for speed, the tables and the lexer for
// size: that costs no time, and a tenth less space.
func (b builder) build(ctx context.Context, g grammar) error {
	dir, err := os.MkdirTemp(b.work, g.language)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is below the folder of the caller
	runtime := filepath.Join(b.folder(library()), libraryFolder)
	parser := filepath.Join(b.folder(g.source), g.folder)
	common := []string{
		"--target=wasm32-wasi", "-c", "-w", "-D_GNU_SOURCE", "-DNDEBUG", "-ffunction-sections", "-fdata-sections",
		"-ffile-prefix-map=" + b.work + "=.", "-I" + filepath.Join(runtime, "include"), "-I" + filepath.Join(runtime, "src"),
	}
	fast := append([]string{"-O2", "-DLANGUAGE=tree_sitter_" + g.function, filepath.Join(runtime, "src", "lib.c")}, common...)
	for _, name := range []string{"glue.c", "heap.c", "quiet.c"} {
		fast = append(fast, filepath.Join(b.glue, name))
	}
	if err := b.command(ctx, dir, "clang", fast...); err != nil {
		return err
	}
	small := append([]string{"-Oz", "-I" + parser, filepath.Join(parser, "parser.c")}, common...)
	if scanner := filepath.Join(parser, "scanner.c"); exists(scanner) {
		small = append(small, scanner)
	}
	if err := b.command(ctx, dir, "clang", small...); err != nil {
		return err
	}
	module := filepath.Join(dir, g.language+".wasm")
	if err := b.link(ctx, dir, module); err != nil {
		return err
	}
	return b.pack(ctx, module, filepath.Join(b.out, g.language+".wasm.xz"))
}

// link uses the linker itself: clang would run wasm-opt if it is installed.
func (b builder) link(ctx context.Context, dir, module string) error {
	objects, err := filepath.Glob(filepath.Join(dir, "*.o"))
	if err != nil {
		return err
	}
	builtins, err := filepath.Glob("/usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a")
	if err != nil || len(builtins) == 0 {
		return fmt.Errorf("no libclang_rt.builtins-wasm32.a: install libclang-rt-dev-wasm32")
	}
	args := []string{
		"--no-entry", "--gc-sections", "--strip-all", "-z", "stack-size=1048576", "--stack-first", "-O2",
		"-L/usr/lib/wasm32-wasi", "-o", module,
	}
	args = append(args, objects...)
	return b.command(ctx, dir, "wasm-ld", append(args, "-lc", builtins[0])...)
}

func (b builder) pack(ctx context.Context, module, packed string) error {
	if err := b.command(ctx, b.work, "xz", "-9e", "-T1", "--check=crc32", module); err != nil {
		return err
	}
	data, err := os.ReadFile(module + ".xz")
	if err != nil {
		return err
	}
	return os.WriteFile(packed, data, 0o644)
}

func (b builder) command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
