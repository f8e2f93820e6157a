"""Prints what a tree of Python defines and refers to, as ast and symtable have it: python3 judge.py FOLDER.

A line of output is a file, as JSON: its path, the bytes of its definitions, and its uses. A use has the byte of its
name, the definitions that it may mean, whether it is a call, and the definition that it is in; -1 is the file. What
only the type of a value decides is no use, but where a variable, parameter or field is given one class once.
"""

import ast
import json
import os
import re
import symtable
import sys

OUTSIDE = []  # nothing of the tree is meant
VARIABLE = object()  # a variable that is no definition, whose value is not known
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = {"ListComp": "listcomp", "SetComp": "setcomp", "DictComp": "dictcomp", "GeneratorExp": "genexpr"}


class Definition:
    """A function, class or variable: its place and, of the first two, its scope."""

    def __init__(self, kind, place):
        self.kind, self.place, self.scope, self.bases = kind, place, None, []


class Instance:
    def __init__(self, of):
        self.of = of


class Binding:
    """What binds a name in a scope."""

    def __init__(self):
        self.definitions, self.imports, self.others = [], [], 0
        self.values = []  # (expression, scope, is a type), None where it is not known
        self.self_of, self.of_class = None, False  # it is an object of a class, or the class


class Scope:
    def __init__(self, kind, table, parent, module):
        self.kind, self.table, self.parent, self.module = kind, table, parent, module
        self.names, self.stars, self.definition, self.busy = {}, [], None, set()
        self.children = {}
        for t in table.get_children() if table else ():
            self.children.setdefault((t.get_name(), t.get_lineno()), []).append(t)

    def child(self, name, line):
        found = self.children.get((name, line))
        return found.pop(0) if found else None

    def bind(self, name):
        return self.names.setdefault(name, Binding())

    def key(self, name):
        """The name as a class changes it: __x is _C__x."""
        s = self
        while s and s.kind != "class":
            s = s.parent
        if s and name.startswith("__") and not name.endswith("__") and s.definition.name.strip("_"):
            return "_" + s.definition.name.lstrip("_") + name
        return name

    def of(self, name):
        """The scope that a name belongs to."""
        try:
            symbol = self.table.lookup(self.key(name)) if self.table else None
        except KeyError:
            symbol = None
        if symbol and symbol.is_global():
            return self.module.scope
        if symbol and symbol.is_local():
            return self
        s = self.parent
        while s and s.parent:
            if s.kind != "class" and self.key(name) in s.names:
                return s
            s = s.parent
        return self.module.scope


class Module:
    def __init__(self, tree, path, text):
        self.tree, self.path = tree, path
        self.name = tuple(re.sub(r"(/__init__)?\.py$", "", path).split("/")) if path != "__init__.py" else ()
        self.package = self.name if path.endswith("__init__.py") else self.name[:-1]
        self.text, self.starts = text, [0]
        self.mark = 3 if text.startswith(b"\xef\xbb\xbf") else 0
        for m in re.finditer(rb"\r\n|\r|\n", text):
            self.starts.append(m.end())
        self.uses = []
        self.definitions = []
        self.scope = Scope("module", symtable.symtable(text, path, "exec"), None, self)
        Binder(self).visit_all(ast.parse(text).body, self.scope, -1)

    def at(self, line, column):
        return self.starts[line - 1] + column + (self.mark if line == 1 else 0)

    def name_of(self, node):
        """The byte of the name that a def or class gives."""
        at = self.at(node.lineno, node.col_offset)
        return at + re.compile(rb"(?:async(?:\s|\\)+)?(?:def|class)(?:\s|\\)+").match(self.text[at:]).end()


def names_in(target):
    """The names and attributes that an assignment to a target assigns."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [n for e in target.elts for n in names_in(e)]
    if isinstance(target, ast.Starred):
        return names_in(target.value)
    return [target] if isinstance(target, (ast.Name, ast.Attribute)) else []


class Binder:
    """Reads a module: its scopes with what they bind, its definitions, and the names that are to be resolved."""

    def __init__(self, module):
        self.module = module
        self.assigned = {}  # the value of a name in an assignment
        self.called = set()

    def visit_all(self, nodes, scope, caller):
        for n in nodes:
            self.visit(n, scope, caller)

    def visit(self, node, scope, caller):
        if node is None:
            return
        name = type(node).__name__
        if name in COMPREHENSIONS:
            return self.comprehension(node, scope, caller)
        getattr(self, name, self.below)(node, scope, caller)

    def below(self, node, scope, caller):
        self.visit_all(ast.iter_child_nodes(node), scope, caller)

    def define(self, kind, node, scope, at):
        d = Definition(kind, (self.module.path, at))
        d.name = getattr(node, "name", None) or getattr(node, "id", None) or node.attr
        self.module.definitions.append(at)
        scope.bind(scope.key(d.name)).definitions.append(d)
        return d

    def FunctionDef(self, node, scope, caller):
        at = self.module.name_of(node)
        target = scope.of(node.name)
        d = self.define("function", node, target, at)
        a = node.args
        arguments = a.posonlyargs + a.args + [x for x in (a.vararg,) if x] + a.kwonlyargs + [x for x in (a.kwarg,) if x]
        self.visit_all(a.defaults + a.kw_defaults, scope, at)
        self.visit_all([x.annotation for x in arguments] + [node.returns], scope, at)
        self.visit_all(node.decorator_list, scope, caller)
        inner = Scope("function", scope.child(node.name, node.lineno), scope, self.module)
        d.scope = inner
        for x in arguments:
            b = inner.bind(inner.key(x.arg))
            b.others += 1
            plain = x is not a.vararg and x is not a.kwarg
            b.values.append((x.annotation, scope, True) if x.annotation and plain else None)
        decorators = {n.id for n in node.decorator_list if isinstance(n, ast.Name)}
        if scope.kind == "class" and (a.posonlyargs + a.args) and "staticmethod" not in decorators:
            of_class = "classmethod" in decorators or node.name in ("__new__", "__init_subclass__", "__class_getitem__")
            b = inner.bind(inner.key((a.posonlyargs + a.args)[0].arg))
            b.self_of, b.of_class = Instance(scope.definition), of_class
        self.visit_all(node.body, inner, at)

    AsyncFunctionDef = FunctionDef

    def Lambda(self, node, scope, caller):
        a = node.args
        self.visit_all(a.defaults + a.kw_defaults, scope, caller)
        inner = Scope("function", scope.child("lambda", node.lineno), scope, self.module)
        for x in a.posonlyargs + a.args + [a.vararg, a.kwarg] + a.kwonlyargs:
            if x:
                inner.bind(inner.key(x.arg)).others += 1
        self.visit(node.body, inner, caller)

    def ClassDef(self, node, scope, caller):
        at = self.module.name_of(node)
        d = self.define("class", node, scope.of(node.name), at)
        self.visit_all(node.bases + node.keywords, scope, at)
        self.visit_all(node.decorator_list, scope, caller)
        d.scope = Scope("class", scope.child(node.name, node.lineno), scope, self.module)
        d.scope.definition, d.bases, d.outer = d, node.bases, scope
        self.visit_all(node.body, d.scope, at)

    def comprehension(self, node, scope, caller):
        self.visit(node.generators[0].iter, scope, caller)
        name = COMPREHENSIONS[type(node).__name__]
        inner = Scope("comprehension", scope.child(name, node.lineno), scope, self.module)
        for i, g in enumerate(node.generators):
            self.visit_all([g.target] + ([g.iter] if i else []) + g.ifs, inner, caller)
        self.visit_all([node.key, node.value] if name == "dictcomp" else [node.elt], inner, caller)

    def Assign(self, node, scope, caller):
        for target in node.targets:
            plain = isinstance(target, (ast.Name, ast.Attribute))
            for n in names_in(target):
                self.assigned[n] = (node.value, scope, False) if plain else None
        self.visit_all([node.value] + node.targets, scope, caller)

    def AnnAssign(self, node, scope, caller):
        for n in names_in(node.target):
            self.assigned[n] = (node.annotation, scope, True)
        self.visit_all([node.annotation, node.value, node.target], scope, caller)

    def NamedExpr(self, node, scope, caller):
        self.visit(node.value, scope, caller)
        while scope.kind == "comprehension":
            scope = scope.parent
        self.visit(node.target, scope, caller)

    def Call(self, node, scope, caller):
        self.called.add(node.func)
        self.below(node, scope, caller)

    def Name(self, node, scope, caller):
        at = self.module.at(node.lineno, node.col_offset)
        if isinstance(node.ctx, ast.Store):
            target = scope.of(node.id)
            b = target.bind(target.key(node.id))
            b.values.append(self.assigned.get(node))
            if target is scope and scope.kind in ("module", "class") and node in self.assigned and not b.definitions and node.id != "_":
                self.define("variable", node, target, at)
                return
            if not b.definitions:
                b.others += 1
            if self.makes_self(node, scope):
                b.self_of = Instance(scope.parent.definition)
        elif scope.kind == "class" and scope.key(node.id) not in scope.names:
            while scope.kind == "class":  # what a class has not yet bound is that of what is around it
                scope = scope.parent
        self.module.uses.append((at, node, scope, node in self.called, caller))

    def makes_self(self, node, scope):
        """Whether a name is assigned what a __new__ makes: object.__new__(cls)."""
        value, _, _ = self.assigned.get(node) or (None, None, None)
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr != "__new__" or not value.args:
            return False
        first = value.args[0]
        own = scope.names.get(scope.key(first.id)) if isinstance(first, ast.Name) else None
        return own is not None and scope.kind == "function" and scope.parent.kind == "class" and own.of_class

    def Attribute(self, node, scope, caller):
        self.visit(node.value, scope, caller)
        at = self.module.at(node.end_lineno, node.end_col_offset) - len(node.attr.encode())
        if node in self.assigned and isinstance(node.value, ast.Name):
            s = scope.of(node.value.id)
            own = s.names.get(s.key(node.value.id))
            if own and own.self_of and not own.of_class:
                fields = own.self_of.of.scope
                b = fields.bind(scope.key(node.attr))
                b.values.append(self.assigned.get(node))
                if not b.definitions:
                    self.module.definitions.append(at)
                    b.definitions.append(Definition("variable", (self.module.path, at)))
                    return
        self.module.uses.append((at, node, scope, node in self.called, caller))

    def ExceptHandler(self, node, scope, caller):
        self.visit(node.type, scope, caller)
        self.other(node.name, scope)
        self.visit_all(node.body, scope, caller)

    def MatchAs(self, node, scope, caller):
        self.other(node.name, scope)
        self.below(node, scope, caller)

    MatchStar = MatchAs

    def MatchMapping(self, node, scope, caller):
        self.other(node.rest, scope)
        self.below(node, scope, caller)

    def other(self, name, scope):
        if name:
            target = scope.of(name)
            target.bind(target.key(name)).others += 1

    def Import(self, node, scope, caller):
        for a in node.names:
            path = tuple(a.name.split("."))
            name = a.asname or path[0]
            target = scope.of(name)
            target.bind(target.key(name)).imports.append((path if a.asname else path[:1], None))

    def ImportFrom(self, node, scope, caller):
        path = tuple(node.module.split(".")) if node.module else ()
        if node.level:
            package = self.module.package
            path = package[: len(package) - (node.level - 1)] + path
        for a in node.names:
            if a.name == "*":
                scope.stars.append(path)
            else:
                target = scope.of(a.asname or a.name)
                target.bind(target.key(a.asname or a.name)).imports.append((path, a.name))


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
