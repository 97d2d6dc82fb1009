"""Packs the generated clients: a wheel, a source distribution and an npm tarball.

    pack.py DOCUMENT FOLDER ARCHIVES

FOLDER is what generate.py has written, with the compiled TypeScript in typescript/dist. The same document gives the
same bytes: names are sorted, and every file has the same time and rights.
"""
import base64
import gzip
import hashlib
import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
NAME = "homeroom-client"
SUMMARY = "A client of Homeroom's API, with types"
LICENCE = "Apache-2.0"


def files_below(folder, prefix):
    return {prefix + path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts}


def metadata(version):
    readme = (HERE / "python" / "README.md").read_text()
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\nSummary: {SUMMARY}\nLicense: {LICENCE}\n"
            f"Requires-Python: >=3.11\nDescription-Content-Type: text/markdown\n\n{readme}").encode()


def wheel(folder, version):
    files = files_below(folder / "python", "")
    info = f"homeroom_client-{version}.dist-info"
    files[f"{info}/METADATA"] = metadata(version)
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: homeroom\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for name, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    bytes_ = io.BytesIO()
    with zipfile.ZipFile(bytes_, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return bytes_.getvalue()


def tarball(files):
    bytes_ = io.BytesIO()
    with tarfile.open(fileobj=bytes_, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), 0o644, 499162500
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(bytes_.getvalue(), mtime=0)


def source(folder, version):
    top = f"homeroom_client-{version}/"
    files = files_below(folder / "python", top)
    files[top + "PKG-INFO"] = metadata(version)
    files[top + "README.md"] = (HERE / "python" / "README.md").read_bytes()
    files[top + "pyproject.toml"] = (
        "[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n\n"
        f"[project]\nname = \"{NAME}\"\nversion = \"{version}\"\ndescription = \"{SUMMARY}\"\n"
        f"license = {{ text = \"{LICENCE}\" }}\nrequires-python = \">=3.11\"\nreadme = \"README.md\"\n\n"
        "[tool.setuptools]\npackages = [\"homeroom_client\"]\n\n"
        "[tool.setuptools.package-data]\nhomeroom_client = [\"py.typed\"]\n").encode()
    return tarball(files)


def npm(folder, version):
    files = files_below(folder / "typescript" / "dist", "package/dist/")
    files |= files_below(folder / "typescript" / "src", "package/src/")
    files["package/README.md"] = (HERE / "typescript" / "README.md").read_bytes()
    files["package/package.json"] = (json.dumps({
        "name": NAME, "version": version, "description": SUMMARY, "license": LICENCE, "type": "module",
        "main": "dist/index.js", "types": "dist/index.d.ts",
        "exports": {".": {"types": "./dist/index.d.ts", "default": "./dist/index.js"}},
        "engines": {"node": ">=18"}}, indent=2) + "\n").encode()
    return tarball(files)


def main(document, folder, archives):
    version = json.loads(Path(document).read_text())["info"]["version"]
    folder, archives = Path(folder), Path(archives)
    archives.mkdir(parents=True, exist_ok=True)
    for name, content in {
        f"homeroom_client-{version}-py3-none-any.whl": wheel(folder, version),
        f"homeroom_client-{version}.tar.gz": source(folder, version),
        f"{NAME}-{version}.tgz": npm(folder, version),
    }.items():
        (archives / name).write_bytes(content)
        print(archives / name)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: pack.py DOCUMENT FOLDER ARCHIVES")
    main(*sys.argv[1:])
