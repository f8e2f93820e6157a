package grammar

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// budget bounds the operations of a parser: one for a token is usual, some for what is
// ambiguous. It is in hundreds, and the same on every machine, unlike the time.
func budget(size int) uint64 { return 2000 + uint64(size)/4 }

// Parse returns the tree of source. Its nodes are appended to into[:0], which may be nil. A
// source that meets a limit has a tree that is cut, without nodes if the parser did not come
// to its end. The error is that of ctx, or of a module that cannot be run. Cost: a second for
// some megabytes.
func (g *Grammar) Parse(ctx context.Context, source []byte, into []Node) (Tree, error) {
	tree := Tree{Nodes: into[:0]}
	if len(source) > g.limits.Source {
		source, tree.Cut = source[:g.limits.Source], true
	}
	if err := ctx.Err(); err != nil {
		return tree, fmt.Errorf("parse %s: %w", g.name, err)
	}
	in, err := g.take(ctx)
	if err != nil {
		return tree, err
	}
	timed, cancel := context.WithTimeout(ctx, g.limits.Time)
	defer cancel()
	if err := g.parse(timed, in, source, &tree); err != nil {
		_ = in.module.Close(context.WithoutCancel(ctx))
		tree.Nodes, tree.Cut = into[:0], true
		if ctx.Err() != nil {
			return tree, fmt.Errorf("parse %s: %w", g.name, ctx.Err())
		}
		return tree, nil // it met the limit of time or of memory, or the module failed on this source
	}
	g.give(ctx, in)
	return tree, nil
}

// parse has the module parse source. Its memory is in no order after an error.
func (g *Grammar) parse(ctx context.Context, in *instance, source []byte, tree *Tree) error {
	size := uint32(len(source))
	out, err := in.source.Call(ctx, uint64(size))
	if err != nil {
		return fmt.Errorf("room for the source: %w", err)
	}
	mem := in.module.Memory()
	if !mem.Write(uint32(out[0]), source) {
		return fmt.Errorf("room for the source at %d", out[0])
	}
	if _, err := in.parse.Call(ctx, uint64(size), budget(len(source)), uint64(g.limits.Depth)); err != nil {
		return fmt.Errorf("run the parser: %w", err)
	}
	const words = 5
	raw, ok := mem.Read(in.result, 4*words)
	if !ok {
		return fmt.Errorf("no result at %d", in.result)
	}
	var result [words]uint32 // nodes, count, errors, cut, deep
	for i := range result {
		result[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	nodes, ok := mem.Read(result[0], result[1]*nodeBytes)
	if !ok {
		return fmt.Errorf("no nodes at %d", result[0])
	}
	if tree.Nodes, ok = decode(nodes, size, tree.Nodes); !ok {
		return errors.New("nodes that are no tree")
	}
	tree.Errors = int(result[2])
	tree.Cut = tree.Cut || result[3]+result[4] > 0
	return nil
}
