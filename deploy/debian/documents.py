"""Lays out the guides and what they link to as the package installs them: documents.py SOURCE ROOT

SOURCE is the folder `deploy` of the checkout, ROOT where the package's files are gathered. Links and paths of the checkout
become those of the installed files; a link to something that is only in the checkout keeps its words alone. Fails if a link
would lead nowhere.
"""

import os
import re
import shutil
import sys
from pathlib import Path

DOCUMENTS = "/usr/share/doc/homeroom"
MONITORING = "/usr/share/homeroom/monitoring"
FOLDERS = ["guides", "proxies", "high-availability"]
# What the checkout has elsewhere, as paths below DOCUMENTS.
ELSEWHERE = {"../CHANGELOG.md": "changelog.gz"}
PATHS = [(f"deploy/{folder}", f"{DOCUMENTS}/{folder}") for folder in FOLDERS] + [
    ("deploy/monitoring", MONITORING),
    ("`SQL/", "`/usr/share/homeroom/SQL/"),
]


def installed(text: str, document: Path, source: Path) -> str:
    """A document of SOURCE with the links and paths that it has when it is installed."""

    def link(match: re.Match) -> str:
        words, target, fragment = match[1], match[2], match[3] or ""
        if re.match("[a-z]+:", target) or target == "":
            return match[0]
        path = os.path.normpath(document.parent / target)
        if path.split("/")[0] in FOLDERS:
            if not (source / path).exists():
                sys.exit(f"documents.py: {document} links to {target}, which is not there")
            return match[0]
        if path in ELSEWHERE:
            there = os.path.relpath(ELSEWHERE[path], document.parent)
            return f"[{words}]({there})"
        return words

    text = re.sub(r"\[([^\]]*)\]\(([^)#]*)(#[^)]*)?\)", link, text)
    for old, new in PATHS:
        text = text.replace(old, new)
    return text


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, root = Path(sys.argv[1]), Path(sys.argv[2])
    documents = root / DOCUMENTS.lstrip("/")
    for folder in FOLDERS:
        shutil.copytree(source / folder, documents / folder, dirs_exist_ok=True)
    # The index of the guides. What follows in it is about files of the checkout.
    index = (source / "README.md").read_text().split("\n## Files\n")[0]
    (documents / "README.md").write_text(installed(index, Path("README.md"), source))
    for path in sorted(documents.glob("guides/**/*.md")):
        relative = path.relative_to(documents)
        path.write_text(installed(path.read_text(), relative, source))
    for folder in FOLDERS[1:]:
        for path in (documents / folder).iterdir():
            path.write_text(path.read_text().replace("deploy/guides", f"{DOCUMENTS}/guides"))
    monitoring = root / MONITORING.lstrip("/")
    monitoring.mkdir(parents=True, exist_ok=True)
    for name in ["alerts.yml", "dashboard.json", "prometheus.yml"]:
        text = (source / "monitoring" / name).read_text()
        (monitoring / name).write_text(text.replace("deploy/guides/", f"{DOCUMENTS}/guides/"))
    for path in [*documents.glob("**/*"), *monitoring.glob("**/*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


main()
