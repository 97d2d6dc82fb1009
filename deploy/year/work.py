"""A day of work in the drill `year`; what was acknowledged is noted in a ledger.

    work.py URL CALLERS LEDGER KIND…

CALLERS is a file of JSON lines that deploy/year/callers.sql printed; LEDGER a folder. The kinds are `people`,
`attempts`, `handouts` (with something to do in the app of the class), `leavers` (who came by `people` and are erased,
and with each a student who has worked), and `rules` (each second organization keeps attempts for sixty days from now
on).
"""
import asyncio
import datetime
import json
import pathlib
import random
import sys
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monday"))
from client import Book, Clients  # noqa: E402

url, callers, folder = sys.argv[1:4]
lines = [json.loads(line) for line in open(callers)]
administrators = [line for line in lines if "administrator" in line]
classes = [line for line in lines if "class" in line]
ledger = pathlib.Path(folder)
chance = random.Random(int(time.time()))
book = Book()
clients = Clients(url, book)
KEPT_DAYS = 60


def note(name, *words):
    with open(ledger / name, "a") as file:
        print(*words, int(time.time()), file=file)


def noted(name):
    path = ledger / name
    return [line.split() for line in open(path)] if path.exists() else []


def moment(seconds_ago=0):
    then = datetime.datetime.fromtimestamp(time.time() - seconds_ago, datetime.timezone.utc)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def people(line):
    for _ in range(2):
        # By a source id, so that who gets no answer can ask again.
        path = f"/v1/people/source:{uuid.uuid4().hex}"
        status, content = await clients.ask("person", "PUT", path, line["administrator"], {
            "givenName": "Made", "familyName": "Acknowledged",
            "roles": [{"role": "student", "locationId": line["location"]}]})
        if status in (200, 201):
            note("people", json.loads(content)["id"], line["organization"])


async def attempt(line):
    if not line["bundle"]:
        return
    sent = {"id": str(uuid.uuid4()), "identifierPath": line["path"], "startedAt": moment(60), "stoppedAt": moment(1),
            "modifiedAt": moment(1), "durationSeconds": 55, "progressRanges": [[0, round(chance.uniform(0.01, 1), 2)]]}
    status, content = await clients.ask("attempt", "POST", "/v1/activities", line["app"], {"activities": [sent]})
    # One that is malformed is named in the answer, and was not taken.
    if status == 202 and "refused" in json.loads(content):
        book.strange["attempt", "refused"] += 1
    elif status == 202:
        note("attempts", sent["id"], line["organization"], line["student"])


async def handout(line):
    task = {"kind": "appActivity", "bundleId": "org.example.subject-0", "identifierPath": ["unit-1", "check-1"]}
    status, content = await clients.ask("handout", "POST", "/v1/handouts", line["teacher"], {
        "classId": line["class"], "title": "Homework", "publishAt": moment(), "tasks": [task]})
    if status == 201:
        note("handouts", json.loads(content)["id"], line["organization"])


async def leavers(line):
    gone = {words[0] for words in noted("erased")}
    came = [words[0] for words in noted("people") if words[1] == line["organization"] and words[0] not in gone]
    worked = [words[2] for words in noted("attempts") if words[1] == line["organization"] and words[2] not in gone]
    for person in came[:1] + worked[:1]:
        status, _ = await clients.ask("erasure", "POST", f"/v1/people/{person}/erasure", line["administrator"])
        if status == 200:
            note("erased", person, line["organization"])


async def rule(line):
    status, _ = await clients.ask("rule", "PUT", "/v1/retention", line["administrator"], {
        "rules": [{"kind": "activities", "days": KEPT_DAYS}]})
    if status == 200:
        note("rules", line["organization"], KEPT_DAYS)


async def day(kinds):
    work = []
    if "people" in kinds:
        work += [people(line) for line in administrators]
    if "attempts" in kinds:
        work += [attempt(line) for line in classes]
    if "handouts" in kinds:
        work += [handout(line) for line in classes]
    if "leavers" in kinds:
        work += [leavers(line) for line in administrators]
    if "rules" in kinds:
        work += [rule(line) for line in administrators[::2]]
    for first in range(0, len(work), 16):
        await asyncio.gather(*work[first:first + 16])


asyncio.run(day(sys.argv[4:]))
failures = [f"{kind}: {count} × {status}" for (kind, status), count in book.strange.items()]
if failures:
    sys.exit("; ".join(failures))
