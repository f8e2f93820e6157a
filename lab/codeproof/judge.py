"""Prints what a tree of Python defines and refers to, as ast and symtable have it: python3 -c PROGRAM FOLDER.

A line of output is a file, as JSON: its path, the bytes of its definitions, and its uses. A use has the byte of its
name, the definitions that it may mean, whether it is a call, and the definition that it is in; -1 is the file. What
only the type of a value decides is no use, but where a variable, parameter or field is given one class once.

The program is judge_scopes.py, judge_binder.py and this file, one behind the other.
"""

import ast
import json
import os
import sys


class Judge:
    """Resolves names. A meaning is a list of definitions, modules and instances; None: it is not decided here."""

    def __init__(self, modules):
        self.modules = {m.name: m for m in modules}
        self.known, self.lines = {}, {}

    def imported(self, path, name):
        module = self.modules.get(path)
        if name is None:
            return [module] if module else OUTSIDE
        if module is None:
            return OUTSIDE
        return self.member_of_module(module, name)

    def member_of_module(self, module, name):
        found = self.value(module.scope, name)
        if found is None or found:
            return found
        inner = self.modules.get(module.name + (name,))
        if inner:
            return [inner]
        return OUTSIDE if name in module.scope.names and not module.scope.names[name].others else None

    def value(self, scope, key):
        """What a name means that a scope binds."""
        if key in scope.busy:
            return None
        scope.busy.add(key)
        try:
            b = scope.names.get(key)
            return self.starred(scope, key) if b is None else self.bound(scope, b)
        finally:
            scope.busy.discard(key)

    def starred(self, scope, key):
        for path in scope.stars:
            module = self.modules.get(path)
            found = self.value(module.scope, key) if module and not key.startswith("_") else OUTSIDE
            if found is None or found:
                return found
        return OUTSIDE

    def bound(self, scope, b):
        if b.self_of and not b.definitions and not b.imports and (b.others == 1 or b.others == len(b.values)):
            return [b.self_of]
        found = list(b.definitions)
        for path, name in b.imports:
            more = self.imported(path, name)
            if more is None:
                return None
            found += more
        if found and b.others:
            return None
        if not found and len(b.values) == 1 and b.others == 1 and not b.imports:
            return [Instance(c) for c in self.classes(b.values[0])] or [VARIABLE]
        return found or ([VARIABLE] if b.others else OUTSIDE)

    def classes(self, value):
        """The class that a value is made of, in a list; empty: it is not known."""
        if value is None:
            return []
        if id(value) not in self.known:
            self.known[id(value)] = []  # while it is looked for
            self.known[id(value)] = self.class_of(*value)
        return self.known[id(value)]

    def class_of(self, expression, scope, is_type):
        if not is_type:
            if not isinstance(expression, ast.Call):
                return []
            expression = expression.func
        found = self.meaning(expression, scope) or []
        return found if len(found) == 1 and getattr(found[0], "kind", "") == "class" else []

    def meaning(self, node, scope):
        if isinstance(node, ast.Name):
            s = scope.of(node.id)
            return self.value(s, scope.key(node.id))
        if isinstance(node, ast.Attribute):
            return self.attribute(node, scope)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
                return self.parents(scope)
            return [Instance(c) for c in self.class_of(node, scope, False)] or None
        return None

    def parents(self, scope):
        while scope and scope.kind != "class":
            scope = scope.parent
        return [("super", scope.definition)] if scope else None

    def attribute(self, node, scope):
        values = self.meaning(node.value, scope)
        if not values:
            return values
        found = []
        for v in values:
            more = self.member(v, scope.key(node.attr))
            if more is None:
                return None
            found += more
        return found

    def member(self, v, name):
        if isinstance(v, Module):
            return self.member_of_module(v, name)
        if isinstance(v, Definition) and v.kind == "variable":
            return self.of_variable(v, name)
        if v is VARIABLE:
            return None
        if isinstance(v, tuple):
            return self.inherited(v[1], name, skip=True)
        of = v.of if isinstance(v, Instance) else v
        return self.inherited(of, name) if of.kind == "class" else None

    def of_variable(self, v, name):
        b = getattr(v, "binding", None)
        made = self.classes(b.values[0]) if b and len(b.values) == 1 and len(b.definitions) == 1 else []
        return self.inherited(made[0], name) if made else None

    def inherited(self, of, name, skip=False):
        line = self.line(of)
        for c in line[1:] if skip else line:
            if c is None:
                return None
            b = c.scope.names.get(name)
            if b:
                return list(b.definitions) if b.definitions and not b.imports else None
        return None

    def line(self, of):
        """The class and those that it extends, in the order in which members are looked for; None: any class."""
        if of not in self.lines:
            self.lines[of] = [of, None]  # while it is looked for
            self.lines[of] = self.extended(of)
        return self.lines[of]

    def extended(self, of):
        lines = []
        for base in of.bases:
            found = self.meaning(base.value if isinstance(base, ast.Subscript) else base, of.outer)
            if found is None or len(found) > 1 or found and getattr(found[0], "kind", "") != "class":
                lines.append([None])
            elif found:
                lines.append(self.line(found[0]))
        lines.append([x[0] for x in lines if x])
        return [of] + merge(lines)


def merge(lines):
    """The C3 linearization of Python; where there is none, any class."""
    out, lines = [], [list(x) for x in lines if x]
    while lines:
        head = next((x[0] for x in lines if not any(x[0] in y[1:] for y in lines if x[0] is not None)), None)
        out.append(head)
        if head is None:
            return out
        lines = [y for y in ([c for c in x if c is not head] for x in lines) if y]
    return out


def bind_variables(scope):
    """Lets the definitions of variables know what is assigned to them."""
    for b in scope.names.values():
        for d in b.definitions:
            if d.kind == "variable":
                d.binding = b
            elif d.scope:
                bind_variables(d.scope)


def read(root):
    for folder, folders, files in os.walk(root):
        folders.sort()
        for f in sorted(files):
            if f.endswith(".py"):
                path = os.path.relpath(os.path.join(folder, f), root).replace(os.sep, "/")
                with open(os.path.join(folder, f), "rb") as file:
                    text = file.read()
                try:
                    text.decode()
                    yield Module(None, path, text)
                except (SyntaxError, UnicodeDecodeError) as e:
                    print(f"{path}: {e}", file=sys.stderr)


def main(root):
    sys.setrecursionlimit(10000)
    modules = list(read(root))
    judge = Judge(modules)
    for m in modules:
        bind_variables(m.scope)
    for m in modules:
        uses = []
        for at, node, scope, call, caller in m.uses:
            found = judge.meaning(node, scope)
            if found is not None:
                to = [{"file": d.place[0], "at": d.place[1]} for d in found if isinstance(d, Definition)]
                uses.append({"at": at, "call": call, "caller": caller, "to": to})
        json.dump({"path": m.path, "definitions": m.definitions, "uses": uses}, sys.stdout)
        print()


main(sys.argv[1])
