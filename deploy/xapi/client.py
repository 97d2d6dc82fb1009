"""Reports an attempt with tincan, the client of xAPI by Rustici Software, as an app does.

    TOKEN=… SUBJECT=… client.py URL IRI

TOKEN is an app's access token, SUBJECT the name that came with it, IRI the address of a context that is assigned.
"""

import datetime
import os
import sys
import uuid

from tincan import (
    Activity,
    Agent,
    AgentAccount,
    Context,
    Extensions,
    RemoteLRS,
    Result,
    Score,
    Statement,
    Verb,
)

VERBS = "http://adlnet.gov/expapi/verbs/"
PROGRESS = "https://w3id.org/xapi/cmi5/result/extensions/progress"


def check(condition, what):
    if not condition:
        sys.exit(f"tincan: {what}")


class Attempt:
    """Makes the statements of one attempt, which began half an hour ago."""

    def __init__(self, url, subject, iri):
        self.actor = Agent(account=AgentAccount(name=subject, home_page=url))
        self.object = Activity(id=iri)
        self.context = Context(registration=uuid.uuid4())
        self.time = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=30)

    def statement(self, verb, minutes, result=None, **more):
        return Statement(
            actor=more.get("actor", self.actor), object=more.get("object", self.object),
            verb=Verb(id=VERBS + verb, display={"en-US": verb}), context=self.context,
            id=more.get("id", uuid.uuid4()), result=result,
            timestamp=self.time + datetime.timedelta(minutes=minutes))


def report(lrs, attempt):
    """The whole attempt: one statement by PUT, the others by POST, one of them twice."""
    first = attempt.statement("initialized", 0)
    check(lrs.save_statement(first).success, "a statement by PUT was refused")
    rest = [
        attempt.statement("progressed", 5, Result(extensions=Extensions({PROGRESS: 60}))),
        attempt.statement(
            "passed", 10,
            Result(
                score=Score(raw=9, min=0, max=12, scaled=0.75), success=True,
                duration=datetime.timedelta(minutes=10))),
        attempt.statement("terminated", 11),
    ]
    answer = lrs.save_statements(rest)
    check(answer.success, f"statements by POST were refused: {answer.data}")
    check([s.id for s in answer.content] == [s.id for s in rest], "ids were changed")
    check(lrs.save_statement(rest[1]).success, "a repetition was refused")
    nameless = attempt.statement("terminated", 12)
    nameless.id = None
    answer = lrs.save_statement(nameless)
    check(answer.success and answer.content.id is not None, "no id was made")
    return rest[1]


def be_refused(lrs, attempt, sent):
    """What must not work."""
    answer = lrs.save_statement(attempt.statement("failed", 13, id=sent.id))
    check(not answer.success and answer.response.status == 409, "another statement took an id")
    stranger = Agent(mbox="mailto:someone@hillside.example")
    answer = lrs.save_statement(attempt.statement("passed", 13, actor=stranger))
    check(answer.response.status == 400, "a statement about someone else was taken")
    answer = lrs.retrieve_statement(sent.id)
    check(answer.response.status == 405, "a statement was returned")
    wrong = RemoteLRS(endpoint=lrs.endpoint, version="1.0.3", auth="Bearer wrong")
    check(
        wrong.save_statement(attempt.statement("passed", 13)).response.status == 401,
        "a wrong token was taken")


def main(url, iri):
    lrs = RemoteLRS(
        endpoint=f"{url}/xapi/", version="1.0.3", auth=f"Bearer {os.environ['TOKEN']}")
    about = lrs.about()
    check(about.success and "1.0.3" in about.content.version, "there is no about")
    attempt = Attempt(url, os.environ["SUBJECT"], iri)
    sent = report(lrs, attempt)
    other = Activity(id=f"{iri}-that-is-not-assigned")
    check(
        lrs.save_statement(attempt.statement("completed", 12, object=other)).success,
        "a statement about something else was refused")
    be_refused(lrs, attempt, sent)
    print("tincan reported an attempt.")


main(*sys.argv[1:])
