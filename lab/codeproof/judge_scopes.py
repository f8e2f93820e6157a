"""What a module of Python has: definitions, values that are known, and scopes with what they bind."""

import ast
import re
import symtable

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
