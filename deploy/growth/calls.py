"""Times the ten calls that pages and apps make most, each several hundred times as different people.

Called by deploy/drills/growth with the URL and the file of people that people.sql printed; it prints how many calls there
are. Called with the number of a call and how many times to make it as well, it prints the name of the call, the median
and the 99th percentile in milliseconds. One request at a time, so that the times are those of the server and not of a
queue. Calls for warming up have to be made before.
"""
import datetime
import http.client
import json
import sys
import time
import urllib.parse
import uuid

address = urllib.parse.urlsplit(sys.argv[1]).netloc
lines = [json.loads(line) for line in open(sys.argv[2])]
visits = [line for line in lines if "class" in line]
administrators = [line["administrator"] for line in lines if "administrator" in line]
connection = http.client.HTTPConnection(address, timeout=600)


def ask(method, path, token, body=None):
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    connection.request(method, path, json.dumps(body) if body is not None else None, headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:
        sys.exit(f"{method} {path}: {answer.status} {text[:500]!r}")


def attempts(visit):
    """Ten attempts of a minute each, the last of which has just ended."""
    now = datetime.datetime.now(datetime.timezone.utc)

    def at(seconds_ago):
        moment = now - datetime.timedelta(seconds=seconds_ago)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    return {"activities": [{
        "id": str(uuid.uuid4()), "identifierPath": visit["path"], "startedAt": at(60 * n + 60),
        "stoppedAt": at(60 * n), "modifiedAt": at(60 * n), "durationSeconds": 55, "progressRanges": [[0, 0.5]],
        "primaryItem": {"kind": "score", "identifier": "total", "title": "Score", "score": 5, "maxScore": 10},
    } for n in range(10)]}


calls = [
    ("me", lambda v, n: ask("GET", "/v1/me", v["teacher"])),
    ("student: me/assignments", lambda v, n: ask(
        "GET", "/v1/me/assignments?state=upcoming&order=due&limit=1000", v["student"])),
    ("student: me/report", lambda v, n: ask("GET", "/v1/me/report", v["student"])),
    ("teacher: me/overview", lambda v, n: ask("GET", "/v1/me/overview", v["teacher"])),
    ("teacher: me/news", lambda v, n: ask("GET", "/v1/me/news?limit=50", v["teacher"])),
    ("teacher: handouts of a class", lambda v, n: ask("GET", "/v1/handouts?classId=" + v["class"], v["teacher"])),
    ("teacher: report of a handout", lambda v, n: ask("GET", f"/v1/handouts/{v['handout']}/report", v["teacher"])),
    ("teacher: report of a class", lambda v, n: ask("GET", f"/v1/classes/{v['class']}/report", v["teacher"])),
    ("administrator: search for people", lambda v, n: ask(
        "GET", "/v1/people?limit=20&q=" + v["familyName"][:4],
        administrators[n % len(administrators)])),
    ("app: upload of 10 activities", lambda v, n: ask("POST", "/v1/activities", v["app"], attempts(v))),
]
if len(sys.argv) == 3:
    print(len(calls))
    sys.exit()
name, call = calls[int(sys.argv[3])]
took = []
for n in range(int(sys.argv[4])):
    begun = time.perf_counter()
    call(visits[n % len(visits)], n)
    took.append((time.perf_counter() - begun) * 1000)
took.sort()
print(f"{name}|{took[len(took) // 2]:.1f}|{took[len(took) * 99 // 100]:.1f}")
