// Prints what a tree of TypeScript defines and refers to, as its compiler has it: node judge.cjs TYPESCRIPT FOLDER, with
// the folder of the package typescript.
//
// A line of output is a file, as JSON: its path, the bytes of its definitions, and its uses. A use has the byte of its
// name, the definitions that it may mean, whether it is a call, and the definition that it is in; -1 is the file.
'use strict';
const fs = require('fs');
const path = require('path');
const [library, folder] = process.argv.slice(-2);
const ts = require(path.resolve(library));
const root = fs.realpathSync(folder);

function sources(dir) {
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((e) => {
    const name = path.join(dir, e.name);
    if (e.isDirectory()) return e.name === 'node_modules' ? [] : sources(name);
    return /\.[mc]?tsx?$/.test(e.name) && !/\.d\.[mc]?ts$/.test(e.name) ? [name] : [];
  });
}

const program = ts.createProgram(sources(root).sort(), {
  noEmit: true, skipLibCheck: true, strict: true, experimentalDecorators: true, resolveJsonModule: true, allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, types: [],
});
const checker = program.getTypeChecker();
const files = new Map(program.getSourceFiles().filter((f) => f.fileName.startsWith(root + path.sep) && !f.isDeclarationFile && !f.fileName.includes('node_modules', root.length))
  .map((f) => [f, { path: path.relative(root, f.fileName).split(path.sep).join('/'), bytes: bytesOf(f.text), mark: fs.readFileSync(f.fileName)[0] === 0xef ? 3 : 0 }]));

// bytesOf returns the byte of each UTF-16 unit; nothing if all of a file is ASCII.
function bytesOf(text) {
  if (!/[^\0-\x7f]/.test(text)) return undefined;
  const out = new Uint32Array(text.length + 1);
  for (let i = 0, at = 0; i < text.length; i++) {
    out[i] = at;
    const c = text.charCodeAt(i);
    at += c < 0x80 ? 1 : c < 0x800 ? 2 : c >= 0xd800 && c < 0xe000 ? 2 : 3;
  }
  return out;
}

function at(node, file = node.getSourceFile()) {
  const f = files.get(file);
  const start = node.getStart(file);
  return (f.bytes ? f.bytes[start] : start) + f.mark;
}

function inFunction(node) {
  for (let n = node.parent; n; n = n.parent) {
    if (ts.isFunctionLike(n) && !ts.isFunctionTypeNode(n) && !ts.isMethodSignature(n)) return true;
    if (ts.isClassStaticBlockDeclaration(n)) return true;
    if (ts.isClassLike(n) && ts.isClassDeclaration(n)) return false;
  }
  return false;
}

// nameOf returns the name of a declaration that is a definition: functions, classes, interfaces, types, enumerations and
// namespaces, the members of these, functions in the objects of a file, and the variables of a file. Of the parts of a function
// only functions, classes and what these hold are definitions.
function nameOf(d) {
  if (ts.isConstructorDeclaration(d)) return inFunction(d) ? undefined : d.getChildren().find((c) => c.kind === ts.SyntaxKind.ConstructorKeyword);
  const name = d.name;
  if (!name || !(ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name))) return undefined;
  if (ts.isFunctionDeclaration(d) || ts.isClassDeclaration(d) || ts.isInterfaceDeclaration(d) || ts.isTypeAliasDeclaration(d) || ts.isEnumDeclaration(d)) return name;
  if (ts.isModuleDeclaration(d)) return ts.isIdentifier(name) ? name : undefined;
  if (ts.isEnumMember(d)) return name;
  if (ts.isPropertySignature(d) || ts.isMethodSignature(d)) return inSignature(d) ? undefined : name;
  if (inFunction(d) && !ts.isParameter(d)) return undefined;
  if (ts.isMethodDeclaration(d) || ts.isPropertyDeclaration(d) || ts.isGetAccessor(d) || ts.isSetAccessor(d)) {
    return ts.isObjectLiteralExpression(d.parent) ? (ofVariable(d) ? name : undefined) : ts.isClassDeclaration(d.parent) || ts.isInterfaceDeclaration(d.parent) || ofVariable(d.parent) ? name : undefined;
  }
  if (ts.isPropertyAssignment(d)) return ts.isFunctionExpression(d.initializer) || ts.isArrowFunction(d.initializer) ? (ofVariable(d) ? name : undefined) : undefined;
  if (ts.isVariableDeclaration(d)) return ts.isCatchClause(d.parent) || ts.isForOfStatement(d.parent.parent) || ts.isForInStatement(d.parent.parent) ? undefined : name;
  if (ts.isBindingElement(d)) return ts.isVariableDeclaration(ts.walkUpBindingElementsAndPatterns(d)) ? name : undefined;
  if (ts.isParameter(d)) return ts.isParameterPropertyDeclaration(d, d.parent) ? name : undefined;
  return undefined;
}

// inSignature reports whether a member of a type belongs to no definition: it is part of a function, not of a type of the file.
function inSignature(d) {
  for (let n = d.parent; n; n = n.parent) {
    if (ts.isInterfaceDeclaration(n) || ts.isTypeAliasDeclaration(n)) return false;
    if (ts.isFunctionLike(n)) return true;
    if (ts.isVariableDeclaration(n) || ts.isPropertyDeclaration(n)) return inFunction(n);
  }
  return true;
}

// ofVariable reports whether what is written belongs to a variable or field.
function ofVariable(n) {
  for (n = n.parent; n; n = n.parent) {
    if (ts.isVariableDeclaration(n)) return ts.isIdentifier(n.name);
    if (ts.isPropertyDeclaration(n)) return true;
  }
  return false;
}

function callerOf(node) {
  for (let n = node; n; n = n.parent) {
    const name = n !== node && nameOf(n);
    if (name && name !== node) return at(name);
  }
  return -1;
}

const known = new Map();
function places(symbol) {
  if (!known.has(symbol)) {
    known.set(symbol, (symbol.declarations || []).filter((d) => files.has(d.getSourceFile())).map(nameOf).filter((n) => n)
      .map((n) => ({ file: files.get(n.getSourceFile()).path, at: at(n) })));
  }
  return known.get(symbol);
}

// meant returns the symbol of a name; nothing: it is not judged.
function meant(node) {
  const p = node.parent;
  if (ts.isPropertyAssignment(p) && p.name === node || ts.isBindingElement(p) && p.propertyName === node || ts.isJsxAttribute(p)) return undefined;
  let symbol = ts.isShorthandPropertyAssignment(p) ? checker.getShorthandAssignmentValueSymbol(p) : checker.getSymbolAtLocation(node);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol && symbol.escapedName !== 'unknown' ? symbol : undefined;
}

function isCalled(node) {
  let n = node;
  while (ts.isPropertyAccessExpression(n.parent) && n.parent.name === n || ts.isParenthesizedExpression(n.parent) || ts.isNonNullExpression(n.parent)) n = n.parent;
  const p = n.parent;
  return (ts.isCallExpression(p) || ts.isNewExpression(p)) && p.expression === n || ts.isTaggedTemplateExpression(p) && p.tag === n || ts.isDecorator(p);
}

function judge(file) {
  const out = { path: files.get(file).path, definitions: [], uses: [] };
  const skipped = (n) => ts.isImportDeclaration(n) || ts.isImportEqualsDeclaration(n) || ts.isExportDeclaration(n) && n.moduleSpecifier;
  const visit = (n) => {
    if (skipped(n)) return;
    const name = nameOf(n);
    if (name) out.definitions.push(at(name, file));
    if ((ts.isIdentifier(n) || ts.isPrivateIdentifier(n)) && n.parent.name !== n || ts.isIdentifier(n) && isUse(n)) {
      const symbol = meant(n);
      if (symbol) out.uses.push({ at: at(n, file), call: isCalled(n), caller: callerOf(n), to: places(symbol) });
    }
    ts.forEachChild(n, visit);
  };
  visit(file);
  return out;
}

// isUse reports whether a name in the place of a name is a use.
function isUse(n) {
  const p = n.parent;
  return ts.isPropertyAccessExpression(p) || ts.isShorthandPropertyAssignment(p) || ts.isExportSpecifier(p) && !p.propertyName;
}

for (const file of files.keys()) fs.writeSync(1, JSON.stringify(judge(file)) + '\n');
