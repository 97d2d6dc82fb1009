"""Half an hour of a Monday morning, pressed into a few minutes.

    load.py URL CALLERS PASSWORD FOLDER MINUTES SCALE

CALLERS is a file of JSON lines that deploy/growth/people.sql and deploy/monday/callers.sql printed. What was
acknowledged is noted in FOLDER: `people`, `activities` and `sessions`. Prints a table of waits and refusals.
"""
import asyncio
import datetime
import json
import random
import sys
import uuid

from client import Book, Clients

url, callers, password, folder = sys.argv[1:5]
seconds, scale = float(sys.argv[5]) * 60, float(sys.argv[6])
lines = [json.loads(line) for line in open(callers)]
visits = [line for line in lines if "class" in line]
administrators = [line["administrator"] for line in lines if "administrator" in line]
signers = [line for line in lines if "signIn" in line]
scripts = [line for line in lines if "script" in line]
hostile = next(line for line in lines if "hostile" in line)
noted = {name: open(f"{folder}/{name}", "w", buffering=1) for name in ("people", "activities", "sessions")}
chance = random.Random(8)
book = Book()
clients = Clients(url, book)


def note(name, text):
    noted[name].write(text + "\n")


def now(seconds_ago=0):
    then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def attempt(path):
    return {"id": str(uuid.uuid4()), "identifierPath": path, "startedAt": now(60), "stoppedAt": now(),
            "modifiedAt": now(), "durationSeconds": 55, "progressRanges": [[0, 0.5]]}


async def sign_in(signer, mistypes):
    where = {"address": signer["address"]}
    for _ in range(2 if mistypes else 0):
        await clients.ask("sign-in, mistyped", "POST", "/v1/sign-in", None,
                          {"managedId": signer["signIn"], "password": password + "x"}, **where, expected=(401,))
    status, content = await clients.ask("sign-in", "POST", "/v1/sign-in", None,
                                        {"managedId": signer["signIn"], "password": password}, **where)
    if status == 200:
        token = json.loads(content)["accessToken"]
        note("sessions", signer["signIn"])
        await clients.ask("what is assigned to me", "GET", "/v1/me/assignments?state=upcoming&limit=20", token)


async def report(visit):
    await clients.ask("teacher's report", "GET", f"/v1/handouts/{visit['handout']}/report", visit["teacher"])
    await clients.ask("teacher's classes", "GET", "/v1/classes?limit=20", visit["teacher"])


async def upload(visit):
    sent = attempt(visit["path"])
    status, _ = await clients.ask("upload", "POST", "/v1/activities", visit["app"], {"activities": [sent]})
    if status == 202:
        note("activities", sent["id"])


async def write(script, number, count):
    """One of 32 writers of a script: people by their source ids, one after the other."""
    kind = "script, " + ("a person's token" if int(script["script"].split("-")[1]) % 2 else "a service's token")
    for n in range(count):
        source = f"{script['script']}-{number}-{n}"
        status, _ = await clients.ask(kind, "PUT", f"/v1/people/source:{source}", script["script"], {
            "givenName": "Made", "familyName": source,
            "roles": [{"role": "student", "locationId": script["location"]}]})
        if status in (200, 201):
            note("people", source)


async def read_much(number, end):
    """An administrator of the district who asks for what is large."""
    token = administrators[number % len(administrators)]
    paths = ["/v1/people?order=lastSignIn&limit=1000", "/v1/people?q=an&order=name&limit=1000&count=true",
             "/v1/checks", "/v1/audit-events?limit=1000"]
    while asyncio.get_running_loop().time() < end:
        path = paths[number % len(paths)]
        await clients.ask("expensive reader", "GET", path, token)
        await asyncio.sleep(0.05)


async def do_harm(number, end):
    """The hostile school: as large uploads, as many people at once and as many guesses as one is allowed."""
    while asyncio.get_running_loop().time() < end:
        if number % 4 < 2:
            sent = [attempt(hostile["path"]) for _ in range(500)]
            await clients.ask("hostile upload", "POST", "/v1/activities", hostile["app"], {"activities": sent})
        elif number % 4 == 2:
            await clients.ask("hostile guess", "POST", "/v1/sign-in", None,
                              {"managedId": f"p{number}@school1.example", "password": "guess"},
                              address="203.0.113.7", expected=(401,))
        else:
            people = [{"sourceId": f"hostile-{number}-{n}", "givenName": str(chance.random()), "familyName": "Hostile",
                       "roles": [{"role": "student", "locationId": hostile["location"]}]} for n in range(500)]
            await clients.ask("hostile batch", "POST", "/v1/people/batch", hostile["hostile"], {"items": people})


async def at(moment, what):
    await asyncio.sleep(moment)
    await what


def spread(count, made):
    """That many, in the given time, most of them in its first half, as classes begin."""
    moments = sorted(seconds * chance.betavariate(2, 3) for _ in range(count))
    return [at(moment, made(number)) for number, moment in enumerate(moments)]


async def morning():
    end = asyncio.get_running_loop().time() + seconds
    uploads, writes = round(30_000 * scale), max(1, round(20 * scale))
    work = spread(len(signers), lambda n: sign_in(signers[n], n % 10 == 0))
    work += spread(min(len(visits), max(1, round(300 * scale))), lambda n: report(visits[n]))
    work += spread(uploads, lambda n: upload(visits[n % len(visits)]))
    for script in scripts:
        begun = chance.uniform(0, seconds / 2)
        work += [at(begun, write(script, number, writes)) for number in range(32)]
    work += [read_much(number, end) for number in range(4)] + [do_harm(number, end) for number in range(16)]
    failures = [one for one in await asyncio.gather(*work, return_exceptions=True) if one is not None]
    if failures:
        raise failures[0]


asyncio.run(morning())
print("\n".join(book.table()))
