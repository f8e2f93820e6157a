"""How a module binds its names. It goes on from judge_scopes.py."""

import ast


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
