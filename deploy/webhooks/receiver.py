"""A system of the school that is called when the directory changes.

Called by deploy/receiving. Every step says what it expects; the first that is not so ends the walk with status 1.
"""

import http.server
import json
import os
import queue
import sys
import threading
import time
import urllib.request

import standardwebhooks

URL = sys.argv[1]
TOKEN = os.environ["ADMINISTRATOR"]
calls = queue.Queue()
answers = queue.Queue()


def expect(is_so, what):
    if not is_so:
        sys.exit(f"deploy/receiving: {what}")
    print(what)


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers 204, or what is in `answers`."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204 if answers.empty() else answers.get())
        self.send_header("Content-Length", "0")
        self.end_headers()
        calls.put((dict(self.headers), body))

    def log_message(self, *_):
        pass


def ask(method, path, body=None):
    request = urllib.request.Request(
        URL + path, None if body is None else json.dumps(body).encode(), method=method,
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or "null")


def received(secret, kind, seconds=30):
    """The next call of a kind, verified, with its id; calls of the other kind in between are passed over."""
    while True:
        headers, body = calls.get(timeout=seconds)
        document = standardwebhooks.Webhook(secret).verify(body, headers)
        if document["type"] == kind:
            return headers["webhook-id"], document


def refuses(secret, headers, body):
    try:
        standardwebhooks.Webhook(secret).verify(body, headers)
    except standardwebhooks.WebhookVerificationError:
        return True
    return False


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
webhook = ask("POST", "/v1/webhooks", {
    "name": "Library", "url": f"http://127.0.0.1:{server.server_port}/", "kinds": ["person", "roster"]})
path, secret = f"/v1/webhooks/{webhook['id']}", webhook["secret"]

ask("POST", f"{path}/test")
received(secret, "test")
expect(True, "A test arrived, signed.")

location = ask("GET", "/v1/locations")["items"][0]["id"]
person = ask("POST", "/v1/people", {
    "givenName": "Nia", "familyName": "Example", "roles": [{"role": "student", "locationId": location}]})
_, document = received(secret, "changes")
changes = [(c["kind"], c["what"]) for c in document["data"]["changes"] if c["id"] == person["id"]]
expect(changes == [("person", "created")], "A new person is reported.")
expect("Nia" not in json.dumps(document), "Their name is not.")

answers.put(500)
ask("PATCH", f"/v1/people/{person['id']}", {"grade": "7"})
first, _ = received(secret, "changes")
again, document = received(secret, "changes", seconds=60)
expect(first == again, "A call that failed comes again by itself, with the same id.")

former = secret
secret = ask("POST", f"{path}/secret")["secret"]
ask("POST", f"{path}/test")
headers, body = calls.get(timeout=30)
expect(
    all(not refuses(known, headers, body) for known in (secret, former)),
    "For a day, either secret verifies.")
expect(refuses(webhook["secret"][:-4] + "AAA=", headers, body), "Another secret does not.")

for _ in range(100):
    # The server notes an answer after the receiver gave it.
    states = {sent["status"] for sent in ask("GET", f"{path}/deliveries")["items"]}
    if states == {"delivered"}:
        break
    time.sleep(0.1)
expect(states == {"delivered"}, "Everything is noted as delivered.")
print("Every call was verified by the library of Standard Webhooks.")
