"""Writes the sources of the clients for Python and TypeScript from the API document.

    generate.py DOCUMENT FOLDER

Every call below /v1 becomes a method of one class, with types for what it takes and answers; a list also becomes an
iterator over all its items. What all calls have in common is not generated: python/runtime.py and typescript/*.ts.
"""
import json
import sys
from pathlib import Path

from document import calls_of, used
from write_python import PYTHON_INIT, python_client, python_types
from write_typescript import TYPESCRIPT_INDEX, typescript_client, typescript_types

HERE = Path(__file__).parent


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def main(document_path, folder):
    document = json.loads(Path(document_path).read_text())
    calls = list(calls_of(document))
    names = used(document, calls)
    version = document["info"]["version"]
    write(Path(folder) / "python" / "homeroom_client", {
        "__init__.py": PYTHON_INIT.format(version=version), "calls.py": python_client(document, calls),
        "types.py": python_types(document, names), "py.typed": "",
        "runtime.py": (HERE / "python" / "runtime.py").read_text()})
    write(Path(folder) / "typescript" / "src", {
        "index.ts": TYPESCRIPT_INDEX, "calls.ts": typescript_client(document, calls),
        "types.ts": typescript_types(document, names),
        **{file.name: file.read_text() for file in sorted((HERE / "typescript").glob("*.ts"))}})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: generate.py DOCUMENT FOLDER")
    main(sys.argv[1], sys.argv[2])
