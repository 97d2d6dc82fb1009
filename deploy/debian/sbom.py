"""Prints what a program is made of, in CycloneDX's form: the Debian libraries that it loads, as installed here, and
Swift's own libraries, which are part of it. Usage: sbom.py PROGRAM, in a folder with debian/changelog."""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
import uuid
from urllib.parse import quote


def said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries(program: str) -> list[str]:
    """Paths of the libraries that the program itself names, not of what those load."""
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", said("readelf", "--dynamic", program))
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", said("ldd", program), re.MULTILINE))
    return [os.path.realpath(found[name]) for name in needed if name in found]


def owner(path: str) -> str:
    """The Debian package of a file, also where /lib leads to /usr/lib."""
    for candidate in (path, path.removeprefix("/usr")):
        answer = subprocess.run(["dpkg", "--search", candidate], capture_output=True, text=True)
        if answer.returncode == 0:
            return answer.stdout.split(": ")[0]
    sys.exit(f"sbom.py: no package holds {path}")


def debian(package: str, files: list[str]) -> dict:
    form = "${binary:Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}"
    name, version, architecture, source, source_version = said(
        "dpkg-query", "--show", f"--showformat={form}", package
    ).split("\t")
    name = name.split(":")[0]
    reference = f"pkg:deb/debian/{quote(name)}@{quote(version, safe=':')}?arch={architecture}&distro=debian"
    return {
        "type": "library",
        "bom-ref": reference,
        "name": name,
        "version": version,
        "purl": reference,
        "properties": [
            {"name": "debian:source", "value": f"{source} {source_version}"},
            *({"name": "file", "value": os.path.basename(file)} for file in sorted(files)),
        ],
    }


def swift(program: str) -> dict:
    """The toolchain's version, which the program holds."""
    with open(program, "rb") as file:
        match = re.search(rb"Swift version (\d+[\d.]*)", file.read())
    if not match:
        sys.exit("sbom.py: the program does not hold the version of Swift")
    version = match[1].decode()
    reference = f"pkg:github/swiftlang/swift@swift-{version}-RELEASE"
    return {
        "type": "library",
        "bom-ref": reference,
        "name": "Swift standard library and runtime, linked statically",
        "version": version,
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}],
        "purl": reference,
    }


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    packages: dict[str, list[str]] = {}
    for path in libraries(program):
        packages.setdefault(owner(path), []).append(path)
    components = [swift(program), *(debian(name, files) for name, files in sorted(packages.items()))]
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    version = said("dpkg-parsechangelog", "--show-field", "Version").strip()
    described = json.dumps(components, sort_keys=True) + digest
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        # The same contents have the same number, so that building again changes nothing.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, described)}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime(
                "%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
            ),
            "component": {
                "type": "application",
                "bom-ref": "homeroom",
                "name": "homeroom",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                # Of the program before debugging information is removed from it.
                "hashes": [{"alg": "SHA-256", "content": digest}],
            },
        },
        "components": components,
        "dependencies": [{"ref": "homeroom", "dependsOn": [c["bom-ref"] for c in components]}],
    }
    print(json.dumps(document, indent=2))


main()
