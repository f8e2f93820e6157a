package symbols_test

import "testing"

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
field A.q 14-14 in A: self.q
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
