"""The walk of walk.sh, by a client generated from the API document.

    walk.py URL DOCUMENT

Every call goes through a generated function and takes and gives generated types; only commands of the machine, such
as making an organization, are run as walk.sh runs them.
"""

import datetime
import gzip
import importlib
import io
import json
import pathlib
import pkgutil
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile

import homeroom_client.api
from homeroom_client import AuthenticatedClient, Client, models
from homeroom_client.types import UNSET, File

import contract

URL, DOCUMENT = sys.argv[1:]
BUNDLE = "org.example.quizzler"
# No two organizations share a domain, and the walk may be repeated.
RUN = uuid.uuid4().hex[:8]
DOMAIN = f"lakeside-{RUN}.example"
TEAM = f"LAKE{RUN.upper()}"
ADAM_ID = "990011223"


class Walk(Exception):
    """Something was not as the walk expects."""


def expect(value, wanted, what):
    if value != wanted:
        raise Walk(f"{what}: {value!r} instead of {wanted!r}")


def generated_functions():
    """The function of each call, by the name of its operation in snake case."""
    functions = {}
    package = homeroom_client.api
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        module = importlib.import_module(found.name)
        if hasattr(module, "sync_detailed"):
            functions[found.name.rsplit(".", 1)[1]] = module.sync_detailed
    return functions


FUNCTIONS = generated_functions()


def call(name, client, status, /, **arguments):
    """Makes a call, expects the status, and returns the answer as the type that the document promises."""
    answer = FUNCTIONS[name](client=client, **arguments)
    expect(int(answer.status_code), status, f"{name}: {answer.content[:500]!r}")
    if answer.headers.get("X-Request-Id") is None:
        raise Walk(f"{name}: the answer has no X-Request-Id")
    if status >= 400 and not isinstance(answer.parsed, (models.Problem, models.CatalogError)):
        raise Walk(f"{name}: {status} was read as {type(answer.parsed).__name__}")
    return answer.parsed


def homeroom(*arguments):
    """Runs a command on this machine and reads the JSON that it prints."""
    done = subprocess.run(["homeroom", *arguments, "--json"], capture_output=True, text=True)
    expect(done.returncode, 0, f"homeroom {' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


# Everything that was sent and answered, to be checked against the document.
EXCHANGES = []


def noting():
    hook = lambda response: EXCHANGES.append(contract.Exchange.of(response))
    return {"event_hooks": {"response": [hook]}}


def signed_in(token):
    return AuthenticatedClient(base_url=URL, token=token, httpx_args=noting())


def expect_every_call():
    """The generator omits what it does not understand, with only a warning."""
    document = json.loads(pathlib.Path(DOCUMENT).read_text())
    operations = sum(len(path) for path in document["paths"].values())
    expect(len(FUNCTIONS), operations, "functions that were generated")


def make_person(administrator, location, name, role):
    body = models.NewPerson(
        given_name=name, family_name="Example",
        roles=[models.NewRole(role=role, location_id=location)])
    person = call("post_people", administrator, 201, body=body)
    expect((person.given_name, person.middle_name), (name, None), "the person")
    return person.id


class School:
    """A school with its administrator, two teachers, two students and two classes."""

    def __init__(self):
        made = homeroom(
            "organization", "create", "--name", "Lakeside", "--domain", DOMAIN,
            "--administrator", f"ada@{DOMAIN}")
        self.id = made["organizationId"]
        self.location = made["locationId"]
        self.first_password = made["temporaryPassword"]
        self.ada = signed_in(made["accessToken"])
        self.tom, self.tess = self.person("Tom", "teacher"), self.person("Tess", "teacher")
        self.sam, self.ben = self.person("Sam", "student"), self.person("Ben", "student")
        self.biology = self.make_class("Biology", self.tom, self.sam)
        self.make_class("Chemistry", self.tess, self.ben)

    def person(self, name, role):
        return make_person(self.ada, self.location, name, role)

    def make_class(self, name, teacher, student):
        body = models.NewClass(
            name=name, location_id=self.location, teacher_ids=[str(teacher)],
            student_ids=[str(student)])
        return call("post_classes", self.ada, 201, body=body).id

    def token(self, role, person, *more):
        made = homeroom(
            "token", "create", "--organization", self.id, "--role", role, "--person", str(person),
            *more)
        return signed_in(made["accessToken"])


def expect_signing_in(school):
    """The administrator signs in with the first password, has to change it, and is let in with the new one."""
    def sign_in(password, status):
        body = models.SignIn(managed_id=f"ada@{DOMAIN}", password=password)
        client = Client(base_url=URL, httpx_args=noting())
        return call("post_sign_in", client, status, body=body)

    expect(sign_in("a-wrong-guess-1", 401).code, "sign_in_refused", "a wrong password")
    first = sign_in(school.first_password, 200)
    expect(first.must_change_password, True, "mustChangePassword")
    changed = models.ChangePassword(
        password=school.first_password, new_password="slate-harbour-77")
    call("put_me_password", signed_in(first.access_token), 204, body=changed)
    ada = signed_in(sign_in("slate-harbour-77", 200).access_token)
    me = call("get_me", ada, 200)
    expect((me.kind, me.person.managed_id), ("person", f"ada@{DOMAIN}"), "who I am")


def turn_progress_on(school):
    change = models.OrganizationChange(
        student_progress=models.StudentProgressChange(enabled=True))
    changed = call("patch_organization", school.ada, 200, body=change)
    expect(changed.student_progress.enabled, True, "student progress")


def publish_quiz(school, folder):
    """The developer of an app is registered and publishes a quiz."""
    file = str(folder / "quizzler.p8")
    key = homeroom("developer-key", "create", "--out", file)
    team = models.NewDeveloperTeam(
        team_id=TEAM, name="Quizzler Inc.", bundle_ids=[BUNDLE],
        keys=[models.DeveloperKey(key_id=key["keyId"], public_key=key["publicKey"])])
    call("post_developer_teams", school.ada, 201, body=team)
    signed = homeroom(
        "developer-token", "--team", TEAM, "--key-id", key["keyId"], "--key", file)
    developer = signed_in(signed["token"])

    def context(path, title, kind):
        return models.Context(
            data=models.ContextData(identifier_path=path, title=title, type_=kind),
            metadata=models.ContextMetadata(locale="en-US"))

    contexts = models.ContextsRequest(
        contexts=[
            context([BUNDLE], "Quizzler", "app"), context([BUNDLE, "cells"], "Cells", "quiz")])
    call("post_contexts", developer, 201, body=contexts, environment="production")


def buy_one_seat(school):
    """Sam gets the only seat of the app, and none is left for Ben."""
    app = models.AppReplacement(name="Quizzler", product_type="App", bundle_id=BUNDLE)
    call("put_apps_by_adam_id", school.ada, 201, adam_id=ADAM_ID, body=app)
    call(
        "put_apps_by_adam_id_pools_by_location_id", school.ada, 201, adam_id=ADAM_ID,
        location_id=school.location, body=models.NewPool(total_count=1))

    def give(person, status):
        return call(
            "post_apps_by_adam_id_licences", school.ada, status, adam_id=ADAM_ID,
            body=models.NewLicences(person_ids=[str(person)]))

    expect(give(school.sam, 201).created_count, 1, "seats given")
    expect(give(school.ben, 409).code, "too_few_licences", "the second seat")


def give_quiz(school, tom):
    """Tom gives the quiz to Biology; repeating the key does not give it twice."""
    handout = models.NewHandout(
        class_id=str(school.biology), title="Cells",
        publish_at=datetime.datetime.now(datetime.timezone.utc),
        tasks=[
            models.NewAppActivityTask(
                kind="appActivity", bundle_id=BUNDLE, identifier_path=["cells"])])
    key = str(uuid.uuid4())
    given = call("post_handouts", tom, 201, body=handout, idempotency_key=key)
    again = call("post_handouts", tom, 201, body=handout, idempotency_key=key)
    expect(again.id, given.id, "the repeated handout")
    expect((given.state, given.due_at), ("published", None), "the handout")
    return given.id


def report_work(school):
    """Sam takes the quiz, and the app on his device reports it."""
    now = datetime.datetime.now(datetime.timezone.utc)
    part = models.ActivityPart(
        id=uuid.uuid4(), identifier_path=["cells"],
        started_at=now - datetime.timedelta(minutes=4), modified_at=now, duration_seconds=240,
        progress_ranges=[[0, 0.75]],
        primary_item=models.NewScoreItem(
            kind="score", identifier="total", title="Score", score=8, max_score=10))
    app = school.token("student", school.sam, "--bundle", BUNDLE)
    taken = call("post_activities", app, 202, body=models.ActivityUpload(activities=[part]))
    expect(taken.refused, UNSET, "refused activities")


def expect_report(tom, handout):
    """Tom sees the work within two seconds, also as a table."""
    for _ in range(20):
        report = call("get_handouts_by_id_report", tom, 200, id=handout)
        student = report.tasks[0].students[0]
        if student.attempts == 1:
            break
        time.sleep(0.1)
    item = student.primary_item
    expect(
        (student.given_name, student.progress, student.duration_seconds), ("Sam", 0.75, 240), "Sam")
    expect((item.kind, item.score, item.max_score), ("score", 8, 10), "the primary item")
    # A generated function requests the first media type of a response, which is JSON.
    table = tom.get_httpx_client().get(
        f"/v1/handouts/{handout}/report", headers={"Accept": "text/csv"})
    expect(table.headers["content-type"].split(";")[0], "text/csv", "the media type of the table")
    expect("Sam" in table.text, True, "Sam in the table")


def expect_discretion(school, handout):
    """Nobody else sees it, and each refusal says no more than that person may know."""
    report = "get_handouts_by_id_report"
    call(report, school.token("teacher", school.tess), 404, id=handout)
    refused = call(report, school.ada, 403, id=handout)
    expect("Progress is seen by teachers only" in refused.detail, True, "why Ada is refused")
    sam, ben = school.token("student", school.sam), school.token("student", school.ben)
    call(report, sam, 403, id=handout)
    call("get_handouts_by_id", sam, 200, id=handout)
    call("get_handouts_by_id", ben, 404, id=handout)

    other = homeroom(
        "organization", "create", "--name", "Hilltop", "--domain", f"hilltop-{RUN}.example",
        "--administrator", f"olga@hilltop-{RUN}.example")
    rosa = make_person(signed_in(other["accessToken"]), other["locationId"], "Rosa", "teacher")
    made = homeroom(
        "token", "create", "--organization", other["organizationId"], "--role", "teacher",
        "--person", str(rosa))
    rosa = signed_in(made["accessToken"])
    expect(call("get_handouts", rosa, 200, limit=1).items, [], "Rosa's handouts")
    call(report, rosa, 404, id=handout)


def expect_export(school, folder):
    """The nightly export has the row, by the command and by a call."""
    homeroom("export", "--out", str(folder / "nightly"), "--organization", school.id)
    files = list(folder.glob(f"nightly/{school.id}/*/activity_reports.csv.gz"))
    expect(len(files), 1, "exported files")
    expect(gzip.decompress(files[0].read_bytes()).count(str(school.sam).encode()), 1, "Sam's rows")

    made = homeroom("token", "create", "--organization", school.id, "--role", "exporter")
    exporter = signed_in(made["accessToken"])
    order = call("post_exports", exporter, 202, body=models.ExportOrder())
    export = settled("get_exports_by_id", exporter, order.id, "succeeded")
    file = next(file for file in export.files if file.name == "activity_reports.csv.gz")
    content = call(
        "get_exports_by_id_files_by_name", exporter, 200, id=str(export.id), name=file.name)
    data = content.payload.read()
    expect(len(data), file.bytes_, "bytes of the file")
    expect(gzip.decompress(data).count(str(school.sam).encode()), 1, "Sam's rows by the call")


def expect_import(school):
    """An archive is uploaded as bytes; strictly read, its mistakes are reported, and nothing is changed."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("locations.csv", "location_id,location_name\nmain,Lakeside\nmain,Again\n")
    order = call(
        "post_imports", school.ada, 202, mode="preview", strict=True,
        body=File(payload=io.BytesIO(archive.getvalue())))
    plan = settled("get_imports_by_id", school.ada, order.id, "failed")
    expect("duplicate_id" in [error.code for error in plan.errors], True, f"{plan.errors}")


def settled(name, client, order, wanted):
    """Waits for what was ordered."""
    for _ in range(300):
        found = call(name, client, 200, id=order)
        if found.status not in ("queued", "running"):
            expect(found.status, wanted, f"{name}: {found}")
            return found
        time.sleep(0.1)
    raise Walk(f"{name}: {order} was not done in 30 s")


def expect_refusals(school):
    """Mistakes in a body are reported with their location, and null is refused where it means nothing."""
    body = models.NewCourse(name="", location_id=school.location)
    problem = call("post_courses", school.ada, 422, body=body)
    expect([error.pointer for error in problem.errors], ["/name"], "what is wrong")
    named = models.NewCourse(name="Physics", location_id=school.location, number=None)
    problem = call("post_courses", school.ada, 422, body=named)
    expect([error.pointer for error in problem.errors], ["/number"], "what is null")
    named.number = "PH-1"
    course = call("post_courses", school.ada, 201, body=named)
    change = models.CourseChange(number=None)
    changed = call("patch_courses_by_id", school.ada, 200, id=str(course.id), body=change)
    expect((changed.name, changed.number), ("Physics", None), "the changed course")


def main():
    expect_every_call()
    school = School()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expect_signing_in(school)
        turn_progress_on(school)
        publish_quiz(school, folder)
        buy_one_seat(school)
        tom = school.token("teacher", school.tom)
        handout = give_quiz(school, tom)
        report_work(school)
        expect_report(tom, handout)
        expect_discretion(school, handout)
        expect_export(school, folder)
    expect_import(school)
    expect_refusals(school)
    document = json.loads(pathlib.Path(DOCUMENT).read_text())
    print(contract.expect_contract(document, EXCHANGES))
    print(f"{len(FUNCTIONS)} calls were generated, and the walk went through.")


try:
    main()
except (Walk, contract.Breach) as reason:
    sys.exit(f"walk: {reason}")
