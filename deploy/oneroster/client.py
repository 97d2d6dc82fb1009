"""Lets timeback-oneroster, a client of OneRoster 1.2, read the roster and grade, and compares what goes wrong with what
Homeroom does on purpose.

    ADMINISTRATOR=TOKEN client.py URL

Makes a service account as an administrator does. Every check that fails for another reason, and every deviation below
that is none any more, ends it with status 1.
"""

import asyncio
import json
import logging
import os
import sys
import traceback
import urllib.request
from collections import Counter
from datetime import datetime, timedelta, timezone

import notation  # noqa: F401
from timeback_common import APIError, ForbiddenError, NotFoundError, OneRosterPaths, TokenManager
from timeback_common import TokenManagerConfig
from timeback_oneroster import OneRosterClient
from timeback_oneroster.lib.transport import Transport

URL = sys.argv[1]
SCOPE = "https://purl.imsglobal.org/spec/or/v1p2/scope/"
GRADING = ["gradebook.readonly", "gradebook.createput", "gradebook.createpost", "gradebook.delete"]
PEOPLE = {"OR": [{"roles.role": "student"}, {"roles.role": "teacher"}]}

# What the client finds wrong and is meant: the check, a part of what it says, and why it is so.
MEANT = [
    ("every user", "districtAdministrator", "OneRoster 1.2 has this role, and the client does not know it"),
    ("one of several", "400", "OneRoster has no parentheses in filters"),
    ("a number without quotes", "400", "OneRoster has quotes around every value"),
    ("put a category", "NoneType", "201 has no body: OneRoster defines none"),
    ("put a line item", "NoneType", "201 has no body: OneRoster defines none"),
    ("replace a line item", "NoneType", "201 has no body: OneRoster defines none"),
    ("put a result", "NoneType", "201 has no body: OneRoster defines none"),
    ("put an exempt result", "NoneType", "201 has no body: OneRoster defines none"),
    ("terms: as many as X-Total-Count", "is not (0, 0)", "a list of terms is called academicSessions"),
    ("terms of a school", "[] is not", "a list of terms is called academicSessions"),
    ("create a line item", "405", "OneRoster creates line items below a class or a school"),
]

passed, met, wrong = [], set(), []


async def check(name, work, *expected):
    """Counts whether this goes well, and equals what is expected if that is given; returns what came of it."""
    try:
        found = await work if asyncio.iscoroutine(work) else work
        if expected and found != expected[0]:
            raise AssertionError(f"{found!r} is not {expected[0]!r}")
    except Exception as error:  # A client that is not ours raises whatever it likes.
        said = f"{getattr(error, 'status_code', None) or ''} {type(error).__name__}: {error}"
        meant = [entry for entry in MEANT if entry[0] == name and entry[1] in said]
        met.update(meant)
        if not meant:
            wrong.append(f"{name}: {said}")
        return None
    passed.append(name)
    return found


async def refused(name, work, kind, part=""):
    """Counts whether this is refused with an error of this kind that says this."""
    try:
        await work
    except kind as error:
        await check(name, part in f"{error} {getattr(error, 'response', '')}", True)
    else:
        wrong.append(f"{name}: this was not refused.")


def ask(method, path, body=None):
    """Asks Homeroom's own API as the administrator."""
    request = urllib.request.Request(
        URL + path, None if body is None else json.dumps(body).encode(), method=method,
        headers={"Authorization": f"Bearer {os.environ['ADMINISTRATOR']}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or "null")


def client_with(account, *scopes):
    """A client that asks for these scopes of the standard; for none, it sends no scope."""
    if not scopes:
        return OneRosterClient(
            base_url=URL, auth_url=f"{URL}/oauth/token", client_id=account["clientId"],
            client_secret=account["clientSecret"])
    tokens = TokenManager(TokenManagerConfig(
        token_url=f"{URL}/oauth/token", client_id=account["clientId"], client_secret=account["clientSecret"],
        scope=" ".join(SCOPE + scope for scope in scopes)))
    return OneRosterClient(transport=Transport(base_url=URL, token_manager=tokens, paths=OneRosterPaths()))


def ids(objects):
    """The sourcedIds; some calls of the client return objects as they came."""
    return sorted(one["sourcedId"] if isinstance(one, dict) else one.sourced_id for one in objects or [])


async def collection(name, resource, where=None):
    """Reads all of a collection in several pages, and one of it alone."""
    first = await check(f"{name}: a page", resource.list(limit=1, where=where))
    if first is None:
        return []
    pages = resource.stream(limit=first.total // 3 + 1, where=where)
    found = await check(f"{name}: all pages", pages.to_list()) or []
    await check(f"{name}: each once", len(set(ids(found))), len(found))
    await check(f"{name}: as many as X-Total-Count", (first.total, pages.total), (len(found), len(found)))
    if found:
        await check(f"{name}: one", resource.get(found[-1].sourced_id), found[-1])
        await check(f"{name}: it exists", resource.exists(found[-1].sourced_id), True)
    await check(f"{name}: nobody", resource.exists("nobody"), False)
    return found


async def rostering(client):
    await check("every user", client.users.list_all())
    names = ["orgs", "schools", "academic_sessions", "terms", "courses", "classes", "enrollments", "students",
             "teachers", "demographics", "resources"]
    found = {name: await collection(name, getattr(client, name)) for name in names}
    users = found["users"] = await collection("users", client.users, PEOPLE)
    await check("users are students and teachers", ids(users), sorted({
        one.sourced_id for one in found["students"] + found["teachers"]}))
    await check("classes have terms", all(one.terms for one in found["classes"]), True)
    await check("users have roles", all(one.roles for one in users), True)
    return found


async def queries(client, students):
    one = students[0]
    like = lambda text: ids(s for s in students if text in (s.email or ""))
    await check("equal", client.students.list_all(where={"givenName": one.given_name}), [
        s for s in students if s.given_name == one.given_name])
    rest = client.students.list_all(where={"status": "active", "sourcedId": {"ne": one.sourced_id}})
    await check("and", ids(await rest), ids(students[1:]))
    part = (one.email or "@")[:4]
    await check("contains", ids(await client.students.list_all(where={"email": {"contains": part}})), like(part))
    now = datetime.now(timezone.utc)
    for name, since, expected in [("past", now - timedelta(days=9999), students), ("future", now + timedelta(1), [])]:
        text = since.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        delta = client.students.list_all(where={"dateLastModified": {"gt": text}})
        await check(f"changed since the {name}", ids(await delta), ids(expected))
    await check("one of several", client.students.list_all(where={"givenName": {"in_": ["Sam", "Sue"]}}))
    await check("a number without quotes", client.students.list_all(where={"grades": 7}))
    await refused("an unknown field", client.students.list(where={"shoeSize": "42"}), APIError, "invalid_filter_field")
    fields = ["sourcedId", "givenName", "familyName"]
    page = await check("fields", client.students.list(fields=fields, sort="givenName", order_by="desc"))
    given = [s.given_name for s in page.data]
    await check("only fields that were asked for", {s.email for s in page.data}, {None})
    await check("sorted", given, sorted(given, reverse=True))


async def nested(client, found):
    learning = [e for e in found["enrollments"] if e.role == "student"]
    group = Counter(e.class_.sourced_id for e in learning).most_common(1)[0][0]
    one = next(c for c in found["classes"] if c.sourced_id == group)
    place, term, course = one.school.sourced_id, one.terms[0].sourced_id, one.course.sourced_id
    seats = [e for e in found["enrollments"] if e.class_.sourced_id == group]
    pupils = sorted(e.user.sourced_id for e in seats if e.role == "student")
    pupil = pupils[0]
    teachers = sorted(e.user.sourced_id for e in seats if e.role == "teacher")
    at = lambda name, of: ids(o for o in found[name] if of(o).sourced_id == place)
    holders = lambda name, role: ids(u for u in found[name] if any(
        r.role == role and r.org.sourced_id == place for r in u.roles))
    takes = lambda who: sorted(
        e.class_.sourced_id for e in found["enrollments"] if e.user.sourced_id == who)
    school, inside = client.schools(place), client.schools(place).class_(group)
    for name, work, expected in [
        ("classes of a school", school.classes(), at("classes", lambda c: c.school)),
        ("courses of a school", school.courses(), at("courses", lambda c: c.org)),
        ("enrollments of a school", school.enrollments(), at("enrollments", lambda e: e.school)),
        ("students of a school", school.students(), holders("students", "student")),
        ("teachers of a school", school.teachers(), holders("teachers", "teacher")),
        ("terms of a school", school.terms(), ids(
            t for t in found["academic_sessions"] if t.type != "gradingPeriod")),
        ("enrollments of a class", inside.enrollments(), ids(seats)),
        ("students of a school's class", inside.students(), pupils),
        ("teachers of a school's class", inside.teachers(), teachers),
        ("students of a class", client.classes(group).students(), pupils),
        ("teachers of a class", client.classes(group).teachers(), teachers),
        ("classes of a course", client.courses(course).classes(), ids(
            c for c in found["classes"] if c.course.sourced_id == course)),
        ("classes of a term", client.terms(term).classes(), ids(
            c for c in found["classes"] if term in [t.sourced_id for t in c.terms])),
        ("classes of a student", client.students(pupil).classes(), takes(pupil)),
        ("classes of a teacher", client.teachers(teachers[0]).classes(), takes(teachers[0])),
        ("classes of a user", client.users(pupil).classes(), takes(pupil)),
        ("students of no class", client.classes("nobody").students(), []),
        ("enrollments of no school", client.schools("nobody").enrollments(), []),
    ]:
        await check(name, ids(await work), expected)
    return one, pupils


async def grading(client, group, pupils):
    reference = lambda sourced_id: {"sourcedId": sourced_id}
    item = {
        "title": "Quiz", "class": reference(group.sourced_id), "school": reference(group.school.sourced_id),
        "category": reference("timeback-tests"), "assignDate": "2026-09-01", "dueDate": "2026-09-08T12:00:00.000Z",
        "resultValueMin": 0, "resultValueMax": 100}
    result = {"lineItem": reference("timeback-quiz"), "status": "active", "scoreDate": "2026-09-09"}
    own = client.classes(group.sourced_id)
    await check("put a category", client.categories.upsert("timeback-tests", {"title": "Tests", "status": "active"}))
    await check("read a category", (await client.categories.get("timeback-tests")).title, "Tests")
    await check("categories of a class", "timeback-tests" in ids(await own.categories()), True)
    await check("put a line item", client.line_items.upsert("timeback-quiz", item))
    await check("replace a line item", client.line_items.update("timeback-quiz", {**item, "title": "ü" * 112}))
    await check("create a line item", client.line_items.create(item))
    read = await client.line_items.get("timeback-quiz")
    await check("read a line item", (read.title, read.result_value_max, read.category.sourced_id), (
        "ü" * 112, 100, "timeback-tests"))
    await check("line items of a class", "timeback-quiz" in ids(await own.line_items()), True)
    await check("put a result", client.results.upsert("timeback-first", {
        **result, "student": reference(pupils[0]), "score": 300, "scoreStatus": "fully graded"}))
    await check("put an exempt result", client.results.upsert("timeback-second", {
        **result, "student": reference(pupils[1]), "scoreStatus": "exempt"}))
    first, second = [await client.results.get(f"timeback-{name}") for name in ("first", "second")]
    await check("a score is stored as given", (first.score, first.score_status), (300, "fully graded"))
    await check("exempt comes back", (second.score, second.score_status), (None, "exempt"))
    for name, work, expected in [
        ("results of a line item", own.line_item("timeback-quiz").results(), ["timeback-first", "timeback-second"]),
        ("results of a student", own.student(pupils[1]).results(
            where={"lineItem.sourcedId": "timeback-quiz"}), ["timeback-second"]),
        ("results by score", client.results.list_all(where={
            "score": {"gt": "100"}, "lineItem.sourcedId": "timeback-quiz"}), ["timeback-first"]),
    ]:
        await check(name, ids(await work), expected)
    await client.results.delete("timeback-first")
    await check("a removed result is gone", "timeback-first" in ids(await own.results()), False)
    await client.results.delete("timeback-second")
    made = await check("post results", client.line_items("timeback-quiz").create_results([
        {"student": reference(pupil), "scoreStatus": "submitted", "scoreDate": "2026-09-10"} for pupil in pupils]))
    pairs = made.sourced_id_pairs if made else []
    await check("posted results get ids", sorted(pair.allocated_sourced_id for pair in pairs), ids(
        await own.line_item("timeback-quiz").results()))
    await refused("a result of no line item", client.results.upsert("timeback-third", {
        **result, "lineItem": reference("nobody"), "student": reference(pupils[0]), "scoreStatus": "exempt"}),
        APIError, "result/lineItem")
    await client.line_items.delete("timeback-quiz")
    await refused("remove it again", client.line_items.delete("timeback-quiz"), NotFoundError, "unknownobject")
    await check("its results went with it", [
        pair for pair in pairs if pair.allocated_sourced_id in ids(await own.results())], [])
    await client.categories.delete("timeback-tests")


async def main():
    logging.disable()
    account = ask("POST", "/v1/service-accounts", {"name": "Timeback", "role": "rosterReader"})
    async with client_with(account) as client:
        found = await rostering(client)
        await queries(client, found["students"])
        group, pupils = await nested(client, found)
        await check("no gradebook that was not granted", ids(await client.line_items.list_all()), [])
        await refused("no grading without its scope", client.categories.upsert("timeback-tests", {
            "title": "Tests", "status": "active"}), ForbiddenError, "forbidden")
    async with client_with({**account, "clientSecret": "wrong"}) as client:
        await refused("a wrong secret", client.orgs.list(), Exception, "401")
    ask("PUT", f"/v1/service-accounts/{account['clientId']}/gradebook-grants", {
        "items": [{"classId": class_id(group), "readsResults": False}]})
    async with client_with(account, *GRADING) as client:
        await grading(client, group, pupils)
        await refused("no roster without its scope", client.users.list(), ForbiddenError, "forbidden")
    ask("DELETE", f"/v1/service-accounts/{account['clientId']}")


def class_id(group):
    """As Homeroom's own API names a class: by our id, or by the school's behind a prefix."""
    named = {one["id"] for one in ask("GET", "/v1/classes?limit=200")["items"]}
    return group.sourced_id if group.sourced_id in named else f"source:{group.sourced_id}"


try:
    asyncio.run(main())
except Exception:  # Such as when the next step needs what one that failed should have found.
    wrong.append(traceback.format_exc())
else:
    wrong += [f"{one[0]}: this deviates no more, so remove it from MEANT." for one in MEANT if one not in met]
for line in wrong:
    print(line, file=sys.stderr)
if wrong or len(passed) < 115:
    sys.exit(f"timeback-oneroster passed {len(passed)} checks, and found {len(wrong)} mistakes.")
print(f"timeback-oneroster read the roster and graded: {len(passed)} checks passed.")
