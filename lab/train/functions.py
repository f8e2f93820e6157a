"""Functions of Go and Python with the first sentence of their documentation, from archives of packages."""

import ast
import re
import subprocess
import sys
import urllib.request
import warnings
import zipfile
from pathlib import Path

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(\[*:@])|\n\s*\n|\n\s*(?=[-*:@>]|Args|Param|Return|Example)")
GO = re.compile(r"((?:^//.*\n)+)^func (?:\([^)]*\) )?(\w+)", re.M)
DIRECTIVE = re.compile(r"//(go:|nolint|line |export |\+)")
OTHER = re.compile(r"_test\.go$|/testdata/|/tests/|/test_|_vendor|/vendor/")
GENERATED = re.compile(r"^// Code generated|DO NOT EDIT", re.M)
NOTE = re.compile(r"(TODO|FIXME|XXX|Deprecated|Copyright|See |\.\. )")
WORDS, SENTENCE_CHARS, CODE_CHARS, FILE_CHARS = 3, 400, (40, 8000), 2_000_000


def python(text):
    """Name, documentation and source without it, of each documented function."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.splitlines()
    for n in ast.walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and len(n.body) > 1 and (doc := ast.get_docstring(n)):
            said = n.body[0]
            yield n.name, doc, "\n".join(lines[n.lineno - 1:said.lineno - 1] + lines[said.end_lineno:n.end_lineno])


def go(text):
    """The same of a file that gofmt has formatted."""
    if GENERATED.search(text[:3000]):
        return
    for m in GO.finditer(text):
        at = text.rfind("\nfunc", 0, m.end()) + 1
        line = text[at:].split("\n", 1)[0]
        whole = line.rstrip().endswith("}") and line.count("{") == line.count("}")
        end = at + len(line) if whole else text.find("\n}", at) + 2
        doc = "\n".join(said[2:].removeprefix(" ") for said in m[1].splitlines() if not DIRECTIVE.match(said))
        if at >= m.start() and end > 1 and doc.strip():
            yield m[2], without(m[2], doc), text[at:end]


def without(name, doc):
    """Documentation that does not begin with the name of the function, which a question does not know."""
    m = re.match(rf"(?:The |A |An )?{re.escape(name)}(?:\(\))?,? ", doc.strip(), re.I)
    return doc.strip()[m.end():] if m else doc


def first(doc):
    return re.sub(r"\s+", " ", SENTENCE.split(doc.strip())[0]).strip()


def useful(sentence, code):
    return (
        len(re.findall(r"[A-Za-z]+", sentence)) >= WORDS and len(sentence) <= SENTENCE_CHARS and not NOTE.match(sentence)
        and sum(c.isascii() for c in sentence) >= 0.9 * len(sentence) and CODE_CHARS[0] <= len(code) <= CODE_CHARS[1]
    )


def functions(archive):
    """Rows (file, name, sentence, code) of an archive."""
    warnings.simplefilter("ignore", SyntaxWarning)
    with zipfile.ZipFile(archive) as z:
        for n in sorted(z.namelist()):
            read = {".py": python, ".go": go}.get(Path(n).suffix)
            if not read or OTHER.search(n) or z.getinfo(n).file_size > FILE_CHARS:
                continue
            for name, doc, code in read(z.read(n).decode(errors="ignore")):
                if useful(sentence := first(doc), code):
                    yield f"{archive.name}/{n}", name, sentence, code


def download(packages, folder):
    """The archives of packages: NAME==VERSION of PyPI, PATH@VERSION of the Go module proxy."""
    folder.mkdir(parents=True, exist_ok=True)
    for p in packages:
        done = folder / (re.sub(r"\W", "-", p) + ".done")
        if not done.exists():
            get = wheel if "==" in p else module
            done.write_text(get(p, folder))
            print(p, flush=True)
    return [Path(line) for f in sorted(folder.glob("*.done")) for line in f.read_text().splitlines()]


def wheel(package, folder):
    at = folder / re.sub(r"\W", "-", package)
    subprocess.run([sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11", "-d", at, package], check=True)
    return str(next(at.glob("*.whl")))


def module(package, folder):
    """The archive of a module from the proxy itself: go mod download refuses what needs a newer Go, and nothing is compiled here."""
    path, version = package.split("@")
    proxy = subprocess.run(["go", "env", "GOPROXY"], check=True, capture_output=True, text=True).stdout
    escaped = re.sub("[A-Z]", lambda c: "!" + c[0].lower(), path)
    at = folder / re.sub(r"\W", "-", package) / f"{version}.zip"
    at.parent.mkdir(exist_ok=True)
    urllib.request.urlretrieve(f"{re.split('[,|]', proxy.strip())[0]}/{escaped}/@v/{version}.zip", at)
    return str(at)
