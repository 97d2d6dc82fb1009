"""Compares the API document, its examples and what really goes over the wire.

The validator (jsonschema-rs) and the schema of OpenAPI documents are third-party, which also checks what
`Tests/TestKit/DocumentChecker.swift` understands of JSON Schema.
"""

import copy
import dataclasses
import functools
import importlib.metadata
import json
import urllib.parse

import jsonschema_rs

HERE = "urn:document"


class Breach(Exception):
    """The document, an example, a body or an answer is wrong."""


@dataclasses.dataclass
class Exchange:
    """A request and its answer, as sent over the wire."""
    method: str
    path: str
    sent_type: str
    sent: bytes
    status: int
    answered_type: str
    answered: bytes

    @classmethod
    def of(cls, response):
        """From an answer of httpx, read to its end."""
        request = response.request
        return cls(
            request.method.lower(), request.url.path, media_type(request), request.read(),
            response.status_code, media_type(response), response.read())


def media_type(message):
    return message.headers.get("Content-Type", "").split(";")[0]


def is_json(kind):
    return kind.endswith("json")


def pointer(*steps):
    """A JSON pointer as the fragment of a URI."""
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "#" + "".join("/" + urllib.parse.quote(step, safe="") for step in escaped)


def steps_of(pointer):
    steps = (urllib.parse.unquote(step) for step in pointer.removeprefix("#/").split("/"))
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def openapi_schema():
    """The schema that the OpenAPI Initiative publishes for version 3.1; the package is used for that file alone."""
    package = importlib.metadata.distribution("openapi-spec-validator")
    file = package.locate_file("openapi_spec_validator/resources/schemas/v3.1/schema.json")
    return json.loads(file.read_text())


OPENAPI = jsonschema_rs.Draft202012Validator(openapi_schema())


class Contract:
    """An OpenAPI document, checked on creation."""

    def __init__(self, document):
        self.document = document
        self.operations = {
            (path, method): operation for path, item in document.get("paths", {}).items()
            for method, operation in item.items()}
        self.check_document()
        self.registry = jsonschema_rs.Registry([(HERE, document)])
        self.check_schemas()

    # The document

    def check_document(self):
        for error in OPENAPI.iter_errors(self.document):
            raise Breach(f"no OpenAPI 3.1: {error.instance_path}: {error.message}")
        names = [operation["operationId"] for operation in self.operations.values()]
        if len(set(names)) < len(names):
            raise Breach("two operations have one operationId")
        for (path, method), operation in self.operations.items():
            declared = {
                parameter["name"] for parameter in operation.get("parameters", [])
                if parameter["in"] == "path"}
            named = {part[1:-1] for part in path.split("/") if part.startswith("{")}
            if declared != named:
                raise Breach(f"{method} {path} declares the parameters {declared}")

    def check_schemas(self):
        """Every schema is valid, and its references exist."""
        for steps in self.places_of_schemas():
            schema = self.at(steps)
            try:
                jsonschema_rs.meta.validate(schema)
                self.validator(pointer(*steps))
            except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
                raise Breach(f"no JSON Schema: {pointer(*steps)}: {error}") from error

    def places_of_schemas(self):
        for name in self.document["components"]["schemas"]:
            yield ("components", "schemas", name)
        yield from (steps for steps in self.places() if steps[-1] == "schema")

    def places(self):
        """The steps to every object outside the schemas."""
        waiting = [("paths",), ("components", "responses")]
        while waiting:
            steps = waiting.pop()
            yield steps
            if steps[-1] in ("schema", "example"):
                continue
            value = self.at(steps)
            keys = value if isinstance(value, dict) else range(len(value))
            waiting += [(*steps, key) for key in keys if isinstance(value[key], (dict, list))]

    def at(self, steps):
        def below(value, step):
            return value[int(step)] if isinstance(value, list) else value[step]
        return functools.reduce(below, steps, self.document)

    # Examples

    def examples(self):
        """Each with the location of its schema."""
        for steps in self.places():
            value = self.at(steps)
            if isinstance(value, dict) and "example" in value and "schema" in value:
                yield pointer(*steps, "schema"), value["example"]

    # Bodies and answers

    def bodies(self, exchange):
        """The JSON of an exchange, each with the location of its schema."""
        path = self.template(exchange)
        operation = self.operations[path, exchange.method]
        steps = ("paths", path, exchange.method)
        if exchange.status < 300 and is_json(exchange.sent_type):
            yield self.place(steps + ("requestBody",), exchange.sent_type), exchange.sent
        status = str(exchange.status)
        if status not in operation["responses"]:
            raise Breach(f"{exchange.method} {path} is not said to answer {status}")
        content = self.place(steps + ("responses", status), exchange.answered_type)
        if is_json(exchange.answered_type):
            yield content, exchange.answered

    def template(self, exchange):
        """The matching path of the document, with the fewest parameters."""
        parts = exchange.path.split("/")
        fitting = [
            path for path, method in self.operations
            if method == exchange.method and len(path.split("/")) == len(parts)
            and all(own.startswith("{") or own == part
                    for own, part in zip(path.split("/"), parts))]
        if not fitting:
            raise Breach(f"{exchange.method} {exchange.path} is not documented")
        return min(fitting, key=lambda path: path.count("{"))

    def place(self, steps, kind):
        """Where the schema of a body or answer of that media type is; None if it has none."""
        target = self.at(steps)
        if "$ref" in target:
            steps = steps_of(target["$ref"])
            target = self.at(steps)
        if not kind and "content" not in target:
            return None
        if kind not in target.get("content", {}):
            raise Breach(f"{pointer(*steps)} has no {kind or 'empty answer'}")
        return pointer(*steps, "content", kind, "schema")

    # Checking

    @functools.cache
    def validator(self, place):
        return jsonschema_rs.Draft202012Validator(
            {"$ref": HERE + place}, registry=self.registry, validate_formats=True)

    def check(self, place, value):
        for error in self.validator(place).iter_errors(value):
            raise Breach(f"{place}: {error.instance_path}: {error.message}")

    def refuse_broken(self, place, value):
        """Values with a wrong type somewhere, or without a required member, must be refused; returns how many."""
        refused = 0
        for broken in [*retyped(value), *self.lacking(place, value)]:
            if self.validator(place).is_valid(broken):
                raise Breach(f"{place} also takes {json.dumps(broken)[:500]}")
            refused += 1
        return refused

    def lacking(self, place, value):
        schema = self.schema(place)
        for name in schema.get("required", []):
            yield {key: own for key, own in value.items() if key != name}
        if schema.get("additionalProperties") is False:
            yield {**value, "noSuchProperty": 1}

    def schema(self, place):
        """The value at that location, or the one it refers to."""
        schema = self.at(steps_of(place))
        return self.schema(schema["$ref"]) if "$ref" in schema else schema


def retyped(value):
    """The value with one of its parts replaced by one of another type, for each part."""
    if isinstance(value, dict):
        for key in value:
            for part in retyped(value[key]):
                yield {**value, key: part}
    elif isinstance(value, list):
        for index, own in enumerate(value):
            for part in retyped(own):
                yield [*value[:index], part, *value[index + 1:]]
    yield {"of": "another type"} if isinstance(value, list) else [["of another type"]]


def expect_contract(document, exchanges):
    """Everything agrees, and broken values do not; says how much was checked."""
    contract = Contract(document)
    examples = list(contract.examples())
    bodies = [
        (place, json.loads(body)) for exchange in exchanges
        for place, body in contract.bodies(exchange)]
    refused = 0
    for place, value in examples + bodies:
        contract.check(place, value)
        refused += contract.refuse_broken(place, value)
    if min(len(examples), len(bodies)) < 50:
        raise Breach(f"only {len(examples)} examples and {len(bodies)} bodies were looked at")
    refused += refuse_broken_documents(document)
    return (
        f"{len(examples)} examples, {len(bodies)} bodies and answers are as the document says; "
        f"{refused} broken ones are refused.")


def refuse_broken_documents(document):
    """Faults that a document could have, each of which must be found; returns how many."""
    def without_title(broken):
        del broken["info"]["title"]

    def unknown_type(broken):
        broken["components"]["schemas"]["NewPerson"]["properties"]["grade"]["type"] = "strng"

    def lost_schema(broken):
        del broken["components"]["schemas"]["NewRole"]

    def same_name(broken):
        broken["paths"]["/v1/people"]["get"]["operationId"] = "postPeople"

    def undeclared_parameter(broken):
        broken["paths"]["/v1/people/{id}"]["get"]["parameters"] = []

    def undescribed_answer(broken):
        del broken["components"]["responses"]["BadRequest"]["description"]

    faults = [
        without_title, unknown_type, lost_schema, same_name, undeclared_parameter,
        undescribed_answer]
    for fault in faults:
        broken = copy.deepcopy(document)
        fault(broken)
        try:
            Contract(broken)
        except Breach:
            continue
        raise Breach(f"a document with {fault.__name__.replace('_', ' ')} is not refused")
    return len(faults)
