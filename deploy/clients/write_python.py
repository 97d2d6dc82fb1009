"""Writes the Python of a client."""
import json
import keyword
import re

from document import LEFT_OUT, item_of, reference, sentence


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
    lines = sentence(call.text, 110, "        ", '        """')
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
