"""Checks how a generated client behaves when the server or the network does not answer as hoped.

    check.py COMMAND…

Starts a server that is in trouble, runs the command with its URL, and compares what it prints and what it sent. The
command is `python3 calls.py` or `node calls.js`, which make the same calls.
"""
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EXPECTED = """signed in as Ada
made handout-1
people Ada Ben Cleo
not modified
429 too_many_requests
412 precondition_failed
lost
"""


class Trouble(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: list[str] = []
    keys: list[str] = []
    tokens = 0
    lock = threading.Lock()

    def log_message(self, format: str, *values: object) -> None:
        pass

    def answer(self, status: int, document: object = None, **headers: str) -> None:
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/problem+json" if status >= 400 else "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def drop(self) -> None:
        self.close_connection = True
        self.connection.close()

    def times(self) -> int:
        call = f"{self.command} {self.path}"
        self.seen.append(call)
        return self.seen.count(call)

    def do_GET(self) -> None:
        with self.lock:
            times = self.times()
            if self.path == "/v1/me":
                if times == 1:
                    return self.answer(503, {"code": "busy"}, Retry_After="0")
                if times == 2:
                    return self.drop()
                return self.answer(200, {"person": {"givenName": "Ada"}})
            if self.path.startswith("/v1/people"):
                if self.headers["Authorization"] == "Bearer token-1":
                    return self.answer(401, {"code": "invalid_token"})
                items = [{"givenName": name} for name in (["Cleo"] if "pageToken=a%2Fb" in self.path else ["Ada", "Ben"])]
                more = {} if "pageToken" in self.path else {"nextPageToken": "a/b"}
                return self.answer(200, {"items": items, **more})
            if self.headers["If-None-Match"] == '"7"':
                return self.answer(304, ETag='"7"')
            return self.answer(429, {"code": "too_many_requests"}, Retry_After="3600")

    def do_POST(self) -> None:
        with self.lock:
            self.rfile.read(int(self.headers["Content-Length"]))
            times = self.times()
            if self.path == "/oauth/token":
                Trouble.tokens += 1
                return self.answer(200, {"access_token": f"token-{self.tokens}", "expires_in": 3600})
            self.keys.append(self.headers["Idempotency-Key"])
            if times == 1:
                return self.drop()
            if times == 2:
                return self.answer(409, {"code": "idempotency_key_in_use"}, Retry_After="0")
            self.answer(201, {"id": "handout-1"})

    def do_PATCH(self) -> None:
        with self.lock:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.times()
            if self.headers["If-Match"]:
                return self.answer(412, {"code": "precondition_failed"})
            self.drop()


def main(command: list[str]) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Trouble)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run = subprocess.run([*command, f"http://127.0.0.1:{server.server_port}"], capture_output=True, text=True, timeout=60)
    seen = Trouble.seen
    assert run.stdout == EXPECTED, run.stdout + run.stderr
    assert run.returncode == 0, run.stderr
    assert Trouble.tokens == 2, "one token at first, and one after the 401"
    assert len(Trouble.keys) == 3 and len(set(Trouble.keys)) == 1 and Trouble.keys[0], "one key for all attempts"
    assert seen.count("GET /v1/me") == 3, seen
    assert seen.count("GET /v1/people?role=student&limit=2") == 2, seen
    assert seen.count("PATCH /v1/people/source%3Asis%2F1") == 2, "a PATCH that was lost is not repeated"
    assert seen.count("GET /v1/terms/t2") == 1, "an hour is too long to wait"


if __name__ == "__main__":
    main(sys.argv[1:])
