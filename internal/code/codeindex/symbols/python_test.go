package symbols_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

func TestPython(t *testing.T) {
	compare(t, "python", `"""Module."""
from __future__ import annotations
import os, os.path as p
from .x import a as b, c
from y import *
MAX = 3
x, (y, z) = 1, (2, 3)
# On top.
@decorator
class A(Base, mod.Other, Generic[T], metaclass=M):
    """Doc of A."""
    field: int = MAX
    def __init__(self, q: Optional[str], *args, k=MAX, **kw) -> None:
        self.q = q
        self.q = 3
        self.other.thing(q)
        local = compute(q)
        print(local)
    @property
    async def foo(self):
        def inner(): return [v.name for v in self.items if v]
        match x:
            case Point(x=0): pass
            case other: other
        return lambda w: w + helper(k=1)
if MAX:
    # Above.
    def cond(): pass
`, `
import __future__|annotations|
import os||
import os.path||p
import .x|a|b
import .x|c|
import y|*|
constant MAX 6-6: MAX = 3
variable x 7-7: x, (y, z) = 1, (2, 3)
variable y 7-7: x, (y, z) = 1, (2, 3)
variable z 7-7: x, (y, z) = 1, (2, 3)
class A 9-25: class A(Base, mod.Other, Generic[T], metaclass=M) // "\"\"\"Doc of A.\"\"\""
field A.field 12-12 in A: field: int = MAX
method A.__init__ 13-18 in A: def __init__(self, q: Optional[str], *args, k=MAX, **kw) -> None
field A.q 14-14 in A: self.q = q
method A.foo 19-25 in A: async def foo(self)
function A.foo.inner 21-21 in A.foo: def inner()
function cond 28-28: def cond() // "# Above."
read |decorator in 
extends |Base in A
extends mod|Other in A
read |mod in A
extends |Generic in A
read |T in A
read |M in A
read |MAX in A
type |Optional in A.__init__
read |MAX in A.__init__
read self|q in A.__init__
call self.other|thing in A.__init__
read self|other in A.__init__
call |compute in A.__init__
read v|name in A.foo.inner
read self|items in A.foo.inner
read |x in A.foo
read |Point in A.foo
read |x in A.foo
call |helper in A.foo
read |MAX in 
`)
}

// TestPython_variables defines a variable once, where it is first assigned, and knows those that a function says are global.
func TestPython_variables(t *testing.T) {
	compare(t, "python", `try:
    fast = True
except ImportError:
    fast = False
class A:
    x = 1
    x = 2
    def f(self):
        global fast, later
        fast = later = self
        self.x, (self.y, self.z) = 1, (2, 3)
        self.y = fast
        return Exception
def Exception(): pass
if (a.
    b): pass
`, `
variable fast 2-2: fast = True
class A 5-13: class A
field A.x 6-6 in A: x = 1
method A.f 8-13 in A: def f(self)
field A.y 11-11 in A: self.x, (self.y, self.z) = 1, (2, 3)
field A.z 11-11 in A: self.x, (self.y, self.z) = 1, (2, 3)
function Exception 14-14: def Exception()
read |fast in 
read |x in A
read |fast in A.f
read |later in A.f
read self|x in A.f
read self|y in A.f
read |fast in A.f
read |Exception in A.f
read a|b in 
read |a in 
`)
}

// TestPython_types keeps what is said of the types of variables, and what classes extend.
func TestPython_types(t *testing.T) {
	f := parse(t, "python", `class A(mod.B, List[int], metaclass=M, *more):
    def f(self, a: C, b: int = 1, *c: C, d=None):
        e = a.g(1)[0].h
        i, j = e
        for k in await e(): a.x, b.x, c.x, d.x, e.x, i.x, j.x, k.x
        m: C = 'x'
        n = 'x' + m.y
        n.x
`)
	if got := f.Symbols[0].Bases; !slices.Equal(got, []string{"mod.B", "List", "*more"}) {
		t.Errorf("bases %q", got)
	}
	var got []syntax.Local
	for _, l := range f.Locals {
		got = append(got, syntax.Local{Name: l.Name, Type: l.Type, Value: l.Value})
	}
	want := []syntax.Local{
		{Name: "a", Type: "C"},
		{Name: "b", Type: "int"},
		{Name: "c"},
		{Name: "d"},
		{Name: "e", Value: "a.g()[].h"},
		{Name: "i"},
		{Name: "j"},
		{Name: "k", Value: "range await e()"},
		{Name: "m", Type: "C"},
		{Name: "n"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
