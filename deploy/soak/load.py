"""Steady load of all kinds on a demonstration school, and whether the server grows.

Called by deploy/drills/soak with the URL, the file that `homeroom demo --json` printed, the process id of the server,
and for how many minutes.
"""
import datetime
import http.client
import http.cookiejar
import json
import os
import re
import socket
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

url, demonstration, server, minutes = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3], float(sys.argv[4])
address = urllib.parse.urlsplit(url).netloc
end = time.monotonic() + minutes * 60
handout, class_id = demonstration["handoutId"], demonstration["classId"]
problems, counts = [], {}


def wait(seconds):
    """Waits as the server asks. One that is busy on a slow machine may ask, but it has to say how long."""
    count("asked to wait")
    time.sleep(float(seconds))


def count(what):
    counts[what] = counts.get(what, 0) + 1


class Client:
    """One client with one connection, which is made anew after an error of the network."""

    def __init__(self, tokens=None):
        self.tokens, self.connection = None, None
        if tokens:
            self.take(tokens)

    def take(self, tokens):
        """Uses what a sign-in or a refresh answered, for ten minutes: tokens end before a long load does."""
        self.tokens, self.renewal = tokens, time.monotonic() + min(600, tokens["expiresIn"] / 2)

    def authorization(self):
        if time.monotonic() >= self.renewal:
            self.take(Client().ask("POST", "/v1/sign-in/refresh", {"refreshToken": self.tokens["refreshToken"]}))
        return "Bearer " + self.tokens["accessToken"]

    def ask(self, method, path, body=None, **fields):
        """What is answered, as JSON where it is. A client that asks too fast waits as long as it is told."""
        headers = {"Accept-Encoding": "identity", **fields}
        if self.tokens:
            headers["Authorization"] = self.authorization()
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        while True:
            self.connection = self.connection or http.client.HTTPConnection(address, timeout=30)
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            text = answer.read()
            if answer.status not in (429, 503):
                break
            wait(answer.getheader("Retry-After"))
        place = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", path.split("?")[0])
        count(method + " " + place)
        if answer.status >= 400:
            problems.append(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if "json" in (answer.getheader("Content-Type") or "") else text


def sign_in(role, **more):
    account = demonstration[role]
    return Client(Client().ask("POST", "/v1/sign-in", {
        "managedId": account["managedId"], "password": account["password"], **more}))


def now(seconds_ago=0):
    time_then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)
    return time_then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def teacher_reads():
    teacher = sign_in("teacher")
    while True:
        yield teacher.ask("GET", f"/v1/handouts/{handout}/report")
        yield teacher.ask("GET", f"/v1/handouts/{handout}/report", Accept="text/csv")
        yield teacher.ask("GET", f"/v1/classes/{class_id}/insights")
        yield teacher.ask("GET", "/v1/me/overview")
        yield teacher.ask("GET", "/v1/me/news")


def teacher_writes():
    teacher = sign_in("teacher")
    while True:
        made = teacher.ask("POST", "/v1/handouts", {
            "classId": class_id, "title": "Soak", "publishAt": now(),
            "tasks": [{"kind": "link", "url": "https://example.org/", "title": "Read"}]},
            **{"Idempotency-Key": uuid.uuid4().hex})
        yield
        yield teacher.ask("GET", f"/v1/handouts/{made['id']}")
        yield teacher.ask("DELETE", f"/v1/handouts/{made['id']}")


def app_reports():
    task = next(t for t in sign_in("teacher").ask("GET", f"/v1/handouts/{handout}")["tasks"] if "bundleId" in t)
    sign_in("administrator").ask("PATCH", "/v1/organization", {"allowsPasswordsInApps": True})
    app = sign_in("student", bundleId=task["bundleId"])
    while True:
        activity = str(uuid.uuid4())
        for step in range(1, 5):
            yield app.ask("POST", "/v1/activities", {"activities": [{
                "id": activity, "identifierPath": task.get("identifierPath", []), "startedAt": now(step * 10),
                "modifiedAt": now(), "durationSeconds": step * 10, "progressRanges": [[0, step / 4]]}]})


def administrator():
    ada = sign_in("administrator")
    location = ada.ask("GET", "/v1/locations")["items"][0]["id"]
    while True:
        person = ada.ask("POST", "/v1/people", {
            "givenName": "Soak", "familyName": uuid.uuid4().hex,
            "roles": [{"role": "student", "locationId": location}]})
        yield
        yield ada.ask("PATCH", f"/v1/people/{person['id']}", {"grade": "7"})
        yield ada.ask("GET", "/v1/people?order=name&limit=100")
        yield ada.ask("GET", "/v1/audit-events?limit=100")


def pages(role, paths):
    """A browser: signs in by the form, and reads."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def read(request):
        while True:
            try:
                with browser.open(request) as answer:
                    return answer.read().decode()
            except urllib.error.HTTPError as error:
                if error.code not in (429, 503):
                    raise RuntimeError(f"{error.url}: {error.code}") from error
                wait(error.headers["Retry-After"])

    form = read(url + "/sign-in")
    key = re.search(r'name="formToken"[^>]*value="([^"]*)"', form).group(1)
    account = demonstration[role]
    body = urllib.parse.urlencode({
        "formToken": key, "managedId": account["managedId"], "password": account["password"]}).encode()
    read(urllib.request.Request(url + "/sign-in", body, {"Origin": url}))
    while True:
        for path in paths:
            if "</html>" not in read(url + path):
                problems.append(f"{path}: half a page")
            count("page " + path)
            yield


def follower():
    """Follows a live report for a few seconds, and goes away without a word."""
    teacher = sign_in("teacher")
    while True:
        connection = http.client.HTTPConnection(address, timeout=30)
        connection.request("GET", f"/v1/handouts/{handout}/report/events", headers={
            "Authorization": teacher.authorization(), "Accept": "text/event-stream"})
        answer = connection.getresponse()
        if answer.status in (429, 503):
            # The server learns of those that left before when it next writes to them.
            connection.close()
            wait(answer.getheader("Retry-After"))
            yield
            continue
        if answer.status != 200:
            problems.append(f"the live report: {answer.status}")
        time.sleep(3)
        connection.close()
        count("followed")
        yield


def rude():
    """Sends half a request, and goes away."""
    host, port = address.split(":")
    while True:
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"POST /v1/people HTTP/1.1\r\nHost: school\r\nContent-Length: 100\r\n\r\nhalf")
        count("left in the middle")
        yield


def run(kind, pause):
    try:
        for _ in kind:
            if time.monotonic() >= end:
                return
            time.sleep(pause)
    except Exception as error:
        problems.append(f"{kind.__name__}: {error!r}")


def sample():
    status = open(f"/proc/{server}/status").read()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024, len(os.listdir(f"/proc/{server}/fd"))


loads = [
    (teacher_reads(), 0.05), (teacher_writes(), 0.1), (app_reports(), 0.05), (administrator(), 0.1),
    (pages("teacher", ["/today", f"/classes/{class_id}", f"/handouts/{handout}"]), 0.2),
    (pages("student", ["/my-work", "/progress"]), 0.2), (pages("administrator", ["/school", "/people"]), 0.5),
    (follower(), 0.5), (follower(), 0.7), (rude(), 0.2),
]
threads = [threading.Thread(target=run, args=load, daemon=True) for load in loads]
for thread in threads:
    thread.start()
time.sleep(minutes * 6)
warm = sample()
print(f"after warming up: {warm[0]:.0f} MiB, {warm[1]} files", file=sys.stderr)
next_line = time.monotonic() + minutes * 6
while any(thread.is_alive() for thread in threads) and not problems:
    time.sleep(1)
    if time.monotonic() >= next_line:
        next_line += minutes * 6
        memory, files = sample()
        print(f"{sum(counts.values())} answers: {memory:.0f} MiB, {files} files", file=sys.stderr)
last = sample()
for what, count in sorted(counts.items()):
    print(f"{count:8} {what}", file=sys.stderr)
if counts.get("asked to wait", 0) > sum(counts.values()) / 20:
    problems.append("more than one answer in twenty asked to wait")
if last[0] > warm[0] * 1.2:
    problems.append(f"resident memory grew from {warm[0]:.0f} to {last[0]:.0f} MiB")
if last[1] > warm[1] + 20:
    problems.append(f"open files grew from {warm[1]} to {last[1]}")
for problem in problems[:20]:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
