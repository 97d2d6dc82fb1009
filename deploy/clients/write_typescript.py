"""Writes the TypeScript of a client."""
import json
import re

from document import LEFT_OUT, item_of, reference, sentence, used


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
    lines = typescript_head(call.text, call.name, arguments + rest, f"Promise<{result}>")
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
export { InvalidField, NotModified, Problem } from "./problem.js";
export * from "./runtime.js";
export { AccessToken, ClientCredentials, DeviceCode, Send, TokenSource } from "./sign-in.js";
export * from "./types.js";
'''
