"""Builds the wheels with the standard library alone; pip calls it, and so does `make wheels`.

    python build_backend.py wheel FOLDER [TAG BINARY]
    python build_backend.py shim FOLDER

Without a tag the wheel has no program: the library finds the one of the path. The same input gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

HERE = Path(__file__).resolve().parent
LICENSE = HERE.parent.parent / "LICENSE"
VERSION = re.findall(r'^__version__ = "(.+)"$', (HERE / "src/hippo_memory/__init__.py").read_text(), re.M)[0]
SUMMARY = "Hippo, a memory for AI agents: search, store, update and delete, in few tokens"
# The oldest time that a ZIP file can hold.
EPOCH = (1980, 1, 1, 0, 0, 0)


def metadata(name: str, requires: str = "") -> str:
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {VERSION}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
    head += "Requires-Python: >=3.9\n" + (f"Requires-Dist: {requires}\n" if requires else "")
    return head + "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text("utf-8")


def write(folder: Path, name: str, tag: str, files: List[Tuple[str, bytes]], requires: str = "") -> str:
    stem = f"{name.replace('-', '_')}-{VERSION}"
    info = f"{stem}.dist-info"
    pure = str(tag.endswith("-any")).lower()
    files = files + [
        (f"{info}/METADATA", metadata(name, requires).encode()),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: hippo\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode()),
    ]
    if LICENSE.is_file():
        files.append((f"{info}/LICENSE", LICENSE.read_bytes()))
    record = ""
    for path, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    folder.mkdir(parents=True, exist_ok=True)
    wheel = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in files:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/bin/" in path else 0o100644) << 16
            z.writestr(entry, data)
    return wheel


def sources(folder: Path) -> List[Tuple[str, bytes]]:
    paths = sorted(p for p in folder.rglob("*") if p.suffix == ".py" or p.name == "py.typed")
    return [(p.relative_to(folder).as_posix(), p.read_bytes()) for p in paths]


def wheel(folder: Path, tag: str = "py3-none-any", binary: Optional[Path] = None) -> str:
    files = sources(HERE / "src")
    if binary is not None:
        program = "hippo.exe" if "-win" in tag else "hippo"
        files.append((f"hippo_memory/bin/{program}", binary.read_bytes()))
    return write(folder, "hippo-memory", tag, files)


def shim(folder: Path) -> str:
    return write(folder, "hippo-memory-compat", "py3-none-any", sources(HERE / "compat"), f"hippo-memory=={VERSION}")


# The interface that pip calls, of PEP 517.
def build_wheel(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    return wheel(Path(wheel_directory))


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    name = f"hippo_memory-{VERSION}"
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as t:
        for path in ["pyproject.toml", "build_backend.py", "README.md", "src", "compat", "tests"]:
            t.add(HERE / path, f"{name}/{path}", filter=lambda f: None if "__pycache__" in f.name else f)
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        data = metadata("hippo-memory").encode()
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
    return f"{name}.tar.gz"


if __name__ == "__main__":
    out = Path(sys.argv[2])
    if sys.argv[1] == "shim":
        print(shim(out))
    elif len(sys.argv) == 5:
        print(wheel(out, sys.argv[3], Path(sys.argv[4])))
    else:
        print(wheel(out))
