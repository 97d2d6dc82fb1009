"""Writes the sources of the clients for Python and TypeScript from the API document.

    generate.py DOCUMENT FOLDER

Every call below /v1 becomes a method of one class, with types for what it takes and answers; a list also becomes an
iterator over all its items. What all calls have in common is not generated: python/runtime.py, typescript/runtime.ts.
"""
import json
import keyword
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent


class Call:
    """One operation of the document, as both languages need it."""

    def __init__(self, method, path, operation):
        self.method, self.path = method.upper(), path
        self.name, self.summary = operation["operationId"], operation["summary"]
        parameters = operation.get("parameters", [])
        self.path_names = [p["name"] for p in parameters if p["in"] == "path"]
        self.query = [p for p in parameters if p["in"] == "query"]
        headers = {p["name"] for p in parameters if p["in"] == "header"}
        self.conditions = [name for name in ("If-Match", "If-None-Match") if name in headers]
        self.honours_key = "Idempotency-Key" in headers
        body = operation.get("requestBody", {})
        self.body_is_required = body.get("required", False)
        self.body_types = list(body.get("content", {}))
        json_body = body.get("content", {}).get("application/json")
        self.body = json_body["schema"] if json_body else None
        good = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        self.answers = {}
        for answer in good:
            for kind, content in (answer.get("content") or {}).items():
                self.answers.setdefault(kind, content.get("schema", {}))
        self.is_empty = not self.answers
        self.answer = self.answers.get("application/json")

    @property
    def has_bytes(self):
        return not self.is_empty and self.answer is None

    @property
    def takes_bytes(self):
        return bool(self.body_types) and self.body is None


def calls_of(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            kinds = [kind for answer in operation["responses"].values() for kind in answer.get("content") or {}]
            # Signing in is the runtime's part, and a stream of events never ends, so that no method could return it.
            if path.startswith("/v1/") and operation["security"] and "text/event-stream" not in kinds:
                yield Call(method, path, operation)


def item_of(document, schema):
    """The schema of the items, if the answer is a page of a list."""
    name = reference(schema)
    page = document["components"]["schemas"].get(name, {}) if name else {}
    properties = page.get("properties", {})
    if "nextPageToken" in properties and properties.get("items", {}).get("type") == "array":
        return properties["items"]["items"]
    return None


def reference(schema):
    return schema["$ref"].rsplit("/", 1)[1] if schema and "$ref" in schema else None


def used(document, calls):
    """The names of all components that the calls refer to, however indirectly."""
    found, open_ends = set(), []

    def collect(value):
        if isinstance(value, dict):
            name = reference(value) if isinstance(value.get("$ref"), str) else None
            if name and name not in found:
                found.add(name)
                open_ends.append(name)
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    for call in calls:
        collect([call.body, call.answers, [p["schema"] for p in call.query]])
    while open_ends:
        collect(document["components"]["schemas"][open_ends.pop()])
    return sorted(found)


def sentence(text, width, prefix, first=None):
    lines = textwrap.wrap(" ".join(text.split()), width - len(prefix), break_long_words=False, break_on_hyphens=False)
    return [(first if first is not None and i == 0 else prefix) + line for i, line in enumerate(lines)]


# Python

def snake(name):
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name.replace("-", "_")).lower()
    return words + "_" if keyword.iskeyword(words) else words


def python_type(schema):
    if not schema:
        return "Any"
    if "$ref" in schema:
        return f'"{reference(schema)}"'
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(word) for word in schema["enum"]) + "]"
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return "Union[" + ", ".join(python_type(option) for option in schema[choice]) + "]"
    kind = schema.get("type")
    if kind == "array":
        return f"list[{python_type(schema.get('items', {}))}]"
    if kind == "object":
        more = schema.get("additionalProperties")
        return f"dict[str, {python_type(more) if isinstance(more, dict) else 'Any'}]"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kind]


def python_types(document, names):
    lines = ['"""What the calls take and answer, by its names in the API document."""',
             "from typing import Any, Literal, NotRequired, TypedDict, Union", ""]
    aliases = []
    for name in names:
        schema = document["components"]["schemas"][name]
        if schema.get("type") != "object" or "properties" not in schema:
            aliases += ["", f"{name} = {python_type(schema)}"]
            continue
        required = set(schema.get("required", []))
        members = []
        for field, inner in schema["properties"].items():
            kind = python_type(inner)
            if field not in required:
                kind = f"NotRequired[{kind}]"
            members.append((field, kind, inner.get("description", "")))
        lines += [""]
        if all(field.isidentifier() and not keyword.iskeyword(field) for field, _, _ in members):
            lines += ["", f"class {name}(TypedDict):"]
            if not members:
                lines.append("    pass")
            for field, kind, meaning in members:
                lines += sentence(meaning, 110, "    # ")
                lines.append(f"    {field}: {kind}")
        else:
            lines += ["", f'{name} = TypedDict("{name}", {{']
            for field, kind, meaning in members:
                lines += sentence(meaning, 110, "    # ")
                lines.append(f'    "{field}": {kind},')
            lines.append("})")
    return "\n".join(lines + aliases) + "\n"


def python_argument(parameter):
    name, kind = snake(parameter["name"]), python_type(parameter["schema"])
    return f"{name}: {kind}" if parameter["required"] else f"{name}: Union[{kind}, None] = None"


def python_path(call):
    path = call.path
    for name in call.path_names:
        path = path.replace("{" + name + "}", "{segment(" + snake(name) + ")}")
    return f'f"{path}"' if call.path_names else f'"{path}"'


def python_query(call, leaving_out=()):
    pairs = [f'"{p["name"]}": {snake(p["name"])}' for p in call.query if p["name"] not in leaving_out]
    return "{" + ", ".join(pairs) + "}"


def python_doc(call, more=()):
    lines = sentence(call.summary + ".", 110, "        ", '        """')
    described = [p for p in call.query if p.get("description")]
    if described or more:
        lines.append("")
    for parameter in described:
        lines += sentence(parameter["description"], 110, "            ", f"        {snake(parameter['name'])}: ")
    lines += [f"        {line}" for line in more]
    lines[-1] += '"""' if len(lines) == 1 else ""
    return lines if len(lines) == 1 else lines + ['        """']


def python_method(document, call):
    arguments = [snake(name) + ": str" for name in call.path_names]
    if call.body is not None:
        kind = python_type(call.body)
        arguments.append(f"body: {kind}" if call.body_is_required else f"body: Union[{kind}, None] = None")
    if call.takes_bytes:
        arguments += ["body: bytes", f"content_type: str = \"{call.body_types[0]}\""]
    named = [python_argument(p) for p in sorted(call.query, key=lambda p: not p["required"])]
    named += [f"{snake(name.lower())}: Union[str, None] = None" for name in call.conditions]
    if call.honours_key:
        named.append("idempotency_key: Union[str, None] = None")
    named.append("answer: Union[Received, None] = None")
    send = [f'"{call.method}"', python_path(call), python_query(call)]
    if call.body is not None:
        send.append("document=body")
    if call.takes_bytes:
        send.append("body=body")
    headers = [f'"{name}": {snake(name.lower())}' for name in call.conditions]
    if call.takes_bytes:
        headers.append('"Content-Type": content_type')
    if headers:
        send.append("headers={" + ", ".join(headers) + "}")
    if call.honours_key:
        send += ["key=idempotency_key", "honours_key=True"]
    send.append("received=answer")
    verb = "self._call" if call.has_bytes else "self._json"
    result = "None" if call.is_empty else "bytes" if call.has_bytes else python_type(call.answer)
    lines = definition(snake(call.name), arguments, named, result) + python_doc(call)
    if result == "None":
        lines.append(f"        {verb}({', '.join(send)})")
    elif call.has_bytes:
        lines.append(f"        return {verb}({', '.join(send)})")
    else:
        lines += [f"        result: {result} = {verb}({', '.join(send)})", "        return result"]
    item = item_of(document, call.answer)
    if item is not None and call.method == "GET":
        lines += python_iterator(call, arguments, item)
    if "text/csv" in call.answers and call.method == "GET":
        lines += python_csv(call, arguments)
    return lines


def definition(name, arguments, named, result):
    parts = ["self"] + arguments + (["*"] + named if named else [])
    lines = ["", f"    def {name}("]
    lines += sentence(", ".join(parts) + ",", 110, "        ")
    return lines + [f"    ) -> {result}:"]


LEFT_OUT = ("pageToken", "count")


def python_iterator(call, arguments, item):
    query = [p for p in call.query if p["name"] not in LEFT_OUT]
    named = [python_argument(p) for p in sorted(query, key=lambda p: not p["required"])]
    kind = python_type(item)
    return definition(snake(call.name.replace("get", "iterate", 1)), arguments, named, f"Iterator[{kind}]") + [
        '        """The same, item by item over all pages."""',
        f"        return self._items({python_path(call)}, {python_query(call, LEFT_OUT)})"]


def python_csv(call, arguments):
    query = [p for p in call.query if p["name"] not in ("fields", "expand", *LEFT_OUT)]
    named = [python_argument(p) for p in sorted(query, key=lambda p: not p["required"])]
    left_out = ("fields", "expand", *LEFT_OUT)
    return definition(snake(call.name) + "_csv", arguments, named, "bytes") + [
        '        """The same as CSV."""',
        f'        return self._call("GET", {python_path(call)}, {python_query(call, left_out)}, '
        'headers={"Accept": "text/csv"})']


def python_client(document, calls):
    lines = ['"""The calls of the API, one method each."""',
             "from typing import Iterator, Literal, Union", "",
             "from .runtime import Received, Runtime, segment", "from .types import *", "", "",
             "class Homeroom(Runtime):",
             '    """A Homeroom server: `Homeroom("https://school.example", ClientCredentials(id, secret))`."""']
    for call in calls:
        lines += python_method(document, call)
    return "\n".join(lines) + "\n"


PYTHON_INIT = '''"""A client of Homeroom's API, generated from its API document."""
from .calls import Homeroom
from .runtime import AccessToken, ClientCredentials, DeviceCode, NotModified, Problem, Received

__version__ = "{version}"
__all__ = [
    "AccessToken", "ClientCredentials", "DeviceCode", "Homeroom", "NotModified", "Problem", "Received",
]
'''


# TypeScript

def typescript_type(schema):
    if not schema:
        return "unknown"
    if "$ref" in schema:
        return reference(schema)
    if "enum" in schema:
        return " | ".join(json.dumps(word) for word in schema["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " | ".join(typescript_type(option) for option in schema[choice])
    kind = schema.get("type")
    if kind == "array":
        return f"({typescript_type(schema.get('items', {}))})[]" if compound(schema.get("items", {})) \
            else f"{typescript_type(schema.get('items', {}))}[]"
    if kind == "object":
        more = schema.get("additionalProperties")
        return f"Record<string, {typescript_type(more) if isinstance(more, dict) else 'unknown'}>"
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}[kind]


def compound(schema):
    return any(name in schema for name in ("anyOf", "oneOf", "enum"))


def typescript_comment(text, indent):
    lines = sentence(text, 110, indent + " * ")
    if not lines:
        return []
    if len(lines) == 1 and len(lines[0]) < 105:
        return [indent + "/** " + lines[0].strip()[2:] + " */"]
    return [indent + "/**"] + lines + [indent + " */"]


def property_name(name):
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else json.dumps(name)


def typescript_types(document, names):
    lines = ["// What the calls take and answer, by its names in the API document."]
    for name in names:
        schema = document["components"]["schemas"][name]
        lines.append("")
        lines += typescript_comment(schema.get("description", "").split("\n")[0], "")
        if schema.get("type") != "object" or "properties" not in schema:
            lines.append(f"export type {name} = {typescript_type(schema)};")
            continue
        required = set(schema.get("required", []))
        lines.append(f"export interface {name} {{")
        for field, inner in schema["properties"].items():
            lines += typescript_comment(inner.get("description", ""), "    ")
            mark = "" if field in required else "?"
            lines.append(f"    {property_name(field)}{mark}: {typescript_type(inner)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def typescript_query(call, leaving_out=()):
    query = [p for p in call.query if p["name"] not in leaving_out]
    if not query:
        return None
    lines = ["query: {"]
    for p in query:
        lines += typescript_comment(p.get("description", ""), "        ")
        lines.append(f"        {property_name(p['name'])}{'' if p['required'] else '?'}: {typescript_type(p['schema'])};")
    return "\n".join(lines) + "\n    }" + ("" if any(p["required"] for p in query) else " = {}")


def typescript_path(call):
    path = call.path
    for name in call.path_names:
        path = path.replace("{" + name + "}", "${segment(" + name + ")}")
    return f"`{path}`" if call.path_names else f'"{path}"'


def typescript_method(document, call):
    arguments = [f"{name}: string" for name in call.path_names]
    if call.body is not None:
        kind = typescript_type(call.body)
        # Parameters that may be left out come last.
        arguments.append(f"body: {kind}" if call.body_is_required else f"body: {kind} | undefined = undefined")
    if call.takes_bytes:
        arguments += ["body: BodyInit", f"contentType: string = \"{call.body_types[0]}\""]
    options = "KeyedOptions" if call.honours_key else "ConditionalOptions" if call.conditions else "CallOptions"
    query = typescript_query(call)
    rest = ([query] if query else []) + [f"options: {options} = {{}}"]
    sent = ["options"]
    if call.body is not None:
        sent.insert(0, "document: body")
    if call.takes_bytes:
        sent[:0] = ["body", "contentType"]
    if call.honours_key:
        sent.append("honoursKey: true")
    result = "void" if call.is_empty else "Response" if call.has_bytes else typescript_type(call.answer)
    verb = "send" if call.has_bytes else "json"
    target = f'"{call.method}", {typescript_path(call)}, {"query" if query else "{}"}, {{ {", ".join(sent)} }}'
    lines = typescript_head(call.summary + ".", call.name, arguments + rest, f"Promise<{result}>")
    lines += [f"        return this.{verb}({target});", "    }"]
    item = item_of(document, call.answer)
    if item is not None and call.method == "GET":
        query = typescript_query(call, LEFT_OUT)
        rest = ([query] if query else []) + ["options: CallOptions = {}"]
        lines += typescript_head(
            "The same, item by item over all pages.", call.name.replace("get", "iterate", 1), arguments + rest,
            f"AsyncGenerator<{typescript_type(item)}, void, undefined>")
        lines += [f'        return this.items({typescript_path(call)}, {"query" if query else "{}"}, options);', "    }"]
    if "text/csv" in call.answers and call.method == "GET":
        left_out = ("fields", "expand", *LEFT_OUT)
        query = typescript_query(call, left_out)
        rest = ([query] if query else []) + ["options: CallOptions = {}"]
        lines += typescript_head("The same as CSV.", call.name + "Csv", arguments + rest, "Promise<Response>")
        lines += [
            f'        return this.send("GET", {typescript_path(call)}, {"query" if query else "{}"}, '
            '{ accept: "text/csv", options });', "    }"]
    return lines


def typescript_head(summary, name, arguments, result):
    lines = [""] + typescript_comment(summary, "    ") + [f"    {name}("]
    lines += [f"    {argument}," if "\n" in argument else f"        {argument}," for argument in arguments]
    lines = [line.replace("    query: {", "        query: {", 1) if line.startswith("    query") else line for line in lines]
    return lines + [f"    ): {result} {{"]


def typescript_client(document, calls):
    names = used(document, calls)
    lines = ["// The calls of the API, one method each.",
             "import { CallOptions, ConditionalOptions, KeyedOptions, Runtime, segment } from \"./runtime.js\";",
             "import type {"]
    lines += sentence(", ".join(names) + ",", 110, "    ")
    lines += ["} from \"./types.js\";", "", 
              "/** A Homeroom server: `new Homeroom(\"https://school.example\", new ClientCredentials(id, secret))`. */",
              "export class Homeroom extends Runtime {"]
    for call in calls:
        lines += typescript_method(document, call)
    return "\n".join(lines) + "\n}\n"


TYPESCRIPT_INDEX = '''// A client of Homeroom's API, generated from its API document.
export * from "./calls.js";
export * from "./runtime.js";
export * from "./types.js";
'''


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
        "runtime.ts": (HERE / "typescript" / "runtime.ts").read_text()})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: generate.py DOCUMENT FOLDER")
    main(sys.argv[1], sys.argv[2])
