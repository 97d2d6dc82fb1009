"""What the writers of both languages need of the API document."""
import textwrap

# An iterator goes through the pages by itself, and does not count them.
LEFT_OUT = ("pageToken", "count")


class Call:
    """One operation of the document, as both languages need it."""

    def __init__(self, method, path, operation):
        self.method, self.path = method.upper(), path
        self.name, self.summary = operation["operationId"], operation["summary"]
        self.description = operation.get("description", "")
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
    def text(self):
        """What the call does, in sentences."""
        return f"{self.summary}. {self.description}".strip()

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
