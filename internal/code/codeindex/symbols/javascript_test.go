package symbols_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

func TestTypeScript(t *testing.T) {
	const source = `import React, { useState as us, type Foo } from 'react';
import * as path from "path";
import './side';
export * from './all';
export { a as b } from './re';
/** Doc of A. */
export default abstract class A<T> extends Base<T> implements I, n.J {
  private x: number = 3;
  constructor(private readonly s: Service, opt?: Opts) { super(); this.x = opt.v; }
  /** m */
  async get<K extends keyof T>(k: K): Promise<T[K]> { const q = await this.s.fetch(k); return q.map((e) => e.id + LIMIT); }
  abstract foo(): void;
  handler = (e: Event) => { this.get(e); };
}
export const LIMIT = 3, other = { run() { go(); } };
export interface I extends P { a: string; b(c: Foo): void }
type U = A<string> | I;
enum E { One, Two = 2 }
namespace N { export function inner(): U { return null } }
declare function decl(a: number): void;
`
	const want = `
import react|default|React
import react|useState|us
import react|Foo|
import path||path
import ./side||
import ./all|*|
import ./re|a|b
class A 7-14: export default abstract class A<T> extends Base<T> implements I, n.J // "/** Doc of A. */"
field A.x 8-8 in A: private x: number = 3
method A.constructor 9-9 in A: constructor(private readonly s: Service, opt?: Opts)
field A.s 9-9 in A: private readonly s: Service
method A.get 11-11 in A: async get<K extends keyof T>(k: K): Promise<T[K]> // "/** m */"
method A.foo 12-12 in A: abstract foo(): void
method A.handler 13-13 in A: handler = (e: Event) =>
constant LIMIT 15-15: LIMIT = 3
constant other 15-15: other = { run() { go(); } }
method other.run 15-15 in other: run()
interface I 16-16: export interface I extends P
field I.a 16-16 in I: a: string
method I.b 16-16 in I: b(c: Foo): void
type U 17-17: type U = A<string> | I;
enum E 18-18: enum E
constant E.One 18-18 in E: One
constant E.Two 18-18 in E: Two = 2
module N 19-19: namespace N
function N.inner 19-19 in N: export function inner(): U
function decl 20-20: declare function decl(a: number): void;
extends |Base in A
implements |I in A
implements n|J in A
read |n in A
type |Service in A.constructor
type |Opts in A.constructor
read this|x in A.constructor
read opt|v in A.constructor
call this.s|fetch in A.get
read this|s in A.get
call q|map in A.get
read e|id in A.get
read |LIMIT in A.get
type |Event in A.handler
call this|get in A.handler
call |go in other.run
extends |P in I
type |Foo in I.b
type |A in U
type |I in U
type |U in N.inner
`
	for _, language := range []string{"typescript", "tsx"} {
		t.Run(language, func(t *testing.T) { compare(t, language, source, want) })
	}
}

func TestJavaScript(t *testing.T) {
	compare(t, "javascript", `const fs = require('fs'), { x: y } = require("zz");
function Comp({ p, q = LIMIT }) {
  const [st, set] = useState(0);
  function nested() { return st; }
  for (const i of list) { use(i); }
  try { nested() } catch (err) { log(err) }
  return <Widget.Inner onClick={set} data={p}><div>{q}</div></Widget.Inner>;
}
exports.foo = function () {};
// Adds.
Foo.prototype.bar = function (a) { return new Thing(a); };
let { d1, e1: [f1] } = obj;
class B extends Foo { #h = 1; static m() {} }
`, `
import fs||fs
import zz|y|
function Comp 2-8: function Comp({ p, q = LIMIT })
function Comp.nested 4-4 in Comp: function nested()
function foo 9-9: exports.foo = function ()
method Foo.bar 11-11: Foo.prototype.bar = function (a) // "// Adds."
variable d1 12-12: let { d1, e1: [f1] } = obj;
variable f1 12-12: let { d1, e1: [f1] } = obj;
class B 13-13: class B extends Foo
field B.#h 13-13 in B: #h = 1
method B.m 13-13 in B: static m()
read |LIMIT in Comp
call |useState in Comp
read |list in Comp
call |use in Comp
call |nested in Comp
call |log in Comp
call Widget|Inner in Comp
read |Widget in Comp
read Foo|prototype in Foo.bar
read |Foo in Foo.bar
call |Thing in Foo.bar
read |obj in 
extends |Foo in B
`)
}

// TestTypeScript_names: what a file imports has its name, though the language has one of the same; what stands before a name may be long.
func TestTypeScript_names(t *testing.T) {
	compare(t, "typescript", `import { Map } from './map';
interface I { [key.computed]: string; plain: Map }
new Map()
  .get(Math.max(1, 2))
  .set();
`, `
import ./map|Map|
interface I 2-2: interface I
field I.plain 2-2 in I: plain: Map
read key|computed in I
read |key in I
type |Map in I.plain
call new Map().get()|set in 
call new Map()|get in 
call |Map in 
call Math|max in 
`)
}

// TestTypeScript_types keeps what is said of the types of variables, and what classes extend.
func TestTypeScript_types(t *testing.T) {
	f := parse(t, "typescript", `class A extends n.B<T> implements C, D<E> {
  f(a: F | null, b = new G(1), {c}: H) {
    const d = a.g(1)!.h[0] as J, e = a.x || b.x, i: K[] = c.x, j = (await d.x).y;
    for (const k of a.list()) { k.x; e.x; i.x; j.x; }
    let m = 'x'; m.x;
  }
}
`)
	if got := f.Symbols[0].Bases; !slices.Equal(got, []string{"n.B", "C", "D<E>"}) {
		t.Errorf("bases %q", got)
	}
	var got []syntax.Local
	for _, l := range f.Locals {
		got = append(got, syntax.Local{Name: l.Name, Type: l.Type, Value: l.Value})
	}
	want := []syntax.Local{
		{Name: "a", Type: "F | null"},
		{Name: "b", Value: "new G()"},
		{Name: "c"},
		{Name: "d", Value: "as J"},
		{Name: "e", Value: "a.x"},
		{Name: "i", Type: "K[]"},
		{Name: "j", Value: "(await d.x).y"},
		{Name: "k", Value: "range a.list()"},
		{Name: "m", Value: `""`},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
