"""What the demonstration school lacks, for as long as the pages are looked at: a tool with a task, and a roster
source. Afterwards all of it is removed again.
"""

import contextlib
import json
import urllib.error
import urllib.request

TOOL = {
    "name": "A laboratory of simulations with a name that is rather long",
    "loginUrl": "https://laboratory.example/login", "launchUrl": "https://laboratory.example/launch",
    "redirectUris": ["https://laboratory.example/launch"],
    "deepLinkingUrl": "https://laboratory.example/choose",
    # The example of RFC 7517 appendix A.1; nobody is let in with it here.
    "keySet": json.dumps({"keys": [{
        "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "1",
        "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}),
}


class API:
    """The calls of one person."""

    def __init__(self, url, managed_id, password):
        self.url, self.token = url, None
        signed_in = self.call("POST", "/v1/sign-in", {"managedId": managed_id, "password": password})
        self.token = signed_in["accessToken"]

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        asked = urllib.request.Request(
            self.url + path, method=method, headers=headers,
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(asked, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None


def shared_class(teacher, student):
    """A class in which the one teaches the other."""
    work = student.call("GET", "/v1/me/assignments?limit=1000")["items"]
    learns = {item["handout"]["classId"] for item in work}
    return next(item["id"] for item in teacher.call("GET", "/v1/classes")["items"]
                if item["id"] in learns)


@contextlib.contextmanager
def content(url, administrator, teacher, student):
    """Yields the addresses to begin at that no link leads to, by managed ID."""
    made = contextlib.ExitStack()
    ada, rosa, mira = (API(url, *person) for person in (administrator, teacher, student))

    def make(api, path, body):
        item = api.call("POST", path, body)
        made.callback(api.call, "DELETE", f"{path}/{item['id']}")
        return item["id"]

    with made:
        tool = make(ada, "/v1/tools", TOOL)
        try:
            ada.call("GET", "/v1/roster-source")
        except urllib.error.HTTPError as refusal:
            if refusal.code != 404:
                raise
            ada.call("PUT", "/v1/roster-source", {
                "url": "https://records.example/ims/oneroster/rostering/v1p2",
                "clientId": "homeroom", "clientSecret": "of-nobody", "enabled": False})
            made.callback(ada.call, "DELETE", "/v1/roster-source")
        handout = make(rosa, "/v1/handouts", {
            "classId": shared_class(rosa, mira), "title": "Waves",
            "tasks": [{"kind": "tool", "toolId": tool, "title": "Measure the length of a wave"}]})
        rosa.call("PUT", f"/v1/handouts/{handout}/publication", {})
        task = rosa.call("GET", f"/v1/handouts/{handout}")["tasks"][0]["id"]
        launch = rosa.call(
            "POST", "/v1/tool-launches", {"toolId": tool, "handoutId": handout})["id"]
        yield {
            administrator[0]: [f"/tools/{tool}"],
            teacher[0]: [
                f"/handouts/{handout}/edit", f"/handouts/{handout}/tools",
                f"/handouts/{handout}/tools/{launch}", f"/handouts/{handout}/tasks/{task}/items"],
            student[0]: [f"/my-work/{handout}", f"/my-work/{handout}/tasks/{task}"],
        }
