"""Lets the Python of Debian 12 read timeback-oneroster, which writes generic classes as Python 3.12 does.

Import it first. It changes `class Page[T]:` into `class Page(Generic[T]):` while a module of that client is read, and
nothing else; T is defined in those modules.
"""

import importlib.machinery
import re
import sys

GENERIC = re.compile(rb"^class (\w+)\[T\](?:\((.+)\))?:$", re.MULTILINE)


class Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data, path, *, _optimize=-1):
        def older(found):
            name, base = found.groups()
            bases = [base] if base else []
            return b"class %s(%s):" % (name, b", ".join([*bases, b'__import__("typing").Generic[T]']))

        return super().source_to_code(GENERIC.sub(older, data), path, _optimize=_optimize)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in ("timeback_common", "timeback_oneroster"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


if sys.version_info < (3, 12):
    sys.meta_path.insert(0, Finder)
