"""A teacher chooses content in a tool made with PyLTI1p3, a student works in it, and it reports a score.

    launch.py URL
"""

import datetime
import os
import sys
import time

import requests
from pylti1p3.deep_link_resource import DeepLinkResource
from pylti1p3.exception import LtiException, LtiServiceException
from pylti1p3.grade import Grade
from pylti1p3.lineitem import LineItem

from browser import Browser, expect, parameters
from tool import LAUNCH, Tool

URL = sys.argv[1]
PASSWORD = os.environ["PASSWORD"]


def call(method, path, token, body=None, status=200):
    answer = requests.request(
        method, URL + path, json=body, headers={"Authorization": f"Bearer {token}"})
    expect(answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}")
    return answer.json() if answer.content else None


def token_of(managed_id):
    return call(
        "POST", "/v1/sign-in", "none", {"managedId": managed_id, "password": PASSWORD}
    )["accessToken"]


def refused(what, attempt):
    try:
        attempt()
    except (LtiException, LtiServiceException):
        return
    raise SystemExit(f"{what} was not refused")


def opened(tool, browser, begun):
    """From the login URL to the checked message; also the fields that the browser carried."""
    kept = {}
    question = tool.login(parameters(begun), kept)
    action, fields = browser.message(question)
    expect(action == LAUNCH, f"the message goes to {action}")
    browser.refused(question)
    return tool.launch(fields, kept), fields, kept


def registered(tool):
    made = call("POST", "/v1/tools", os.environ["ADMINISTRATOR"], {
        "name": "Quiz by PyLTI1p3", "loginUrl": "https://quiz.example/login",
        "redirectUris": [LAUNCH], "launchUrl": LAUNCH, "deepLinkingUrl": LAUNCH,
        "keySetUrl": tool.publish(), "sharesNames": True}, status=201)
    tool.connect(URL, made["clientId"], made["deploymentId"])
    return made


def chosen(tool, made, teacher, browser):
    """A handout with a task that the teacher chose in the tool; returns it."""
    handout = call(
        "POST", "/v1/handouts", teacher, {"classId": os.environ["CLASS"], "title": "Cells"},
        status=201)
    begun = call("POST", "/v1/tool-launches", teacher, {
        "toolId": made["id"], "handoutId": handout["id"]}, status=201)
    launch, _, _ = opened(tool, browser, begun["redirectTo"])
    expect(launch.is_deep_link_launch(), "no deep linking request")
    resource = DeepLinkResource()
    resource.set_title("Quiz about cells").set_url("https://quiz.example/launch/cells")
    resource.set_custom_params({"chapter": "3"})
    line_item = LineItem()
    line_item.set_score_maximum(12).set_label("Quiz about cells")
    line_item.set_resource_id("cells-1").set_tag("final quiz")
    resource.set_lineitem(line_item)
    answer = launch.get_deep_link().get_response_jwt([resource])
    # From another site, a browser sends no cookies with a form.
    taken = requests.post(f"{URL}/lti/deep-linking", data={"JWT": answer}, allow_redirects=False)
    expect(taken.status_code == 303, f"deep linking: {taken.status_code} {taken.text}")
    again = requests.post(f"{URL}/lti/deep-linking", data={"JWT": answer}, allow_redirects=False)
    expect(again.status_code == 409, f"the same answer again: {again.status_code}")
    shown = browser.get(taken.headers["Location"])
    expect("Quiz about cells" in shown.text, f"the choice is not shown: {shown.text[:500]}")
    items = call("GET", f"/v1/tool-launches/{begun['id']}", teacher)["items"]
    tasks = [{"kind": "tool", "toolId": made["id"], **item} for item in items]
    call("PATCH", f"/v1/handouts/{handout['id']}", teacher, {"tasks": tasks})
    call("PUT", f"/v1/handouts/{handout['id']}/publication", teacher, {})
    return call("GET", f"/v1/handouts/{handout['id']}", teacher)


def worked(tool, handout, browser):
    """The student opens the task, and the tool reports a score; returns the services of the launch."""
    task = handout["tasks"][0]
    launch, fields, kept = opened(tool, browser, browser.leaves(f"/open-tool/{task['id']}"))
    expect(launch.is_resource_launch() and launch.check_student_access(), "no student's launch")
    data = launch.get_launch_data()
    lti = "https://purl.imsglobal.org/spec/lti/claim/"
    expect(data[lti + "custom"] == {"chapter": "3"}, f"custom: {data[lti + 'custom']}")
    expect(data[lti + "resource_link"]["id"] == task["id"], "another task")
    expect(data["given_name"] and data["sub"], "the student has no name")
    refused("a changed message", lambda: tool.launch(
        {**fields, "id_token": fields["id_token"][:-8] + "AAAAAAAA"}, kept))
    refused("a message of another browser", lambda: tool.launch(fields, {}))
    grade = Grade()
    grade.set_score_given(9).set_score_maximum(12).set_activity_progress("Completed")
    grade.set_grading_progress("FullyGraded").set_user_id(data["sub"])
    grade.set_timestamp(
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S+0000"))
    grades = launch.get_ags()
    expect(grades.get_lineitem().get_score_maximum() == 12, "the line item has another maximum")
    expect(len(grades.get_lineitems()) >= 1, "no line items")
    own = grades.get_lineitem().get_id()
    for found in (grades.find_lineitem_by_tag("final quiz"), grades.find_lineitem_by_resource_id("cells-1"),
                  grades.find_lineitem_by_resource_link_id(task["id"])):
        expect(found and found.get_id() == own, "the line item is not found by the tool's words")
    expect(grades.find_lineitem_by_tag("another quiz") is None, "a line item is found by another tag")
    grades.put_grade(grade)
    return launch, grades, data["sub"]


def refined(launch, grades, subject, handout, teacher):
    """The tool makes a line item of its own, changes it, reports a score of it, and deletes it."""
    task = handout["tasks"][0]
    own = grades.get_lineitem()
    chapter = LineItem()
    chapter.set_label("Chapter 1").set_score_maximum(4).set_tag("chapter 1")
    refused("a line item without a task", lambda: grades.find_or_create_lineitem(chapter))
    chapter.set_resource_link_id(task["id"])
    made = grades.find_or_create_lineitem(chapter)
    again = grades.find_or_create_lineitem(chapter)
    expect(again.get_id() == made.get_id(), "the line item was made twice")
    expect(len(grades.get_lineitems()) == 2, "the line items are not both listed")
    # The library has no calls that change and delete.
    connector = grades._service_connector
    header = {
        "Authorization": f"Bearer {connector.get_access_token(grades._service_data['scope'])}",
        "Content-Type": "application/vnd.ims.lis.v2.lineitem+json"}
    made.set_label("Chapter one").set_score_maximum(8)
    changed = requests.put(made.get_id(), data=made.get_value(), headers=header)
    expect(changed.status_code == 200, f"change: {changed.status_code} {changed.text}")
    expect(grades.get_lineitem(made.get_id()).get_label() == "Chapter one", "the label is the old one")
    for method in ("PUT", "DELETE"):
        whole = requests.request(method, own.get_id(), data=own.get_value(), headers=header)
        expect(whole.status_code == 403, f"{method} of the task itself: {whole.status_code}")
    grade = Grade()
    grade.set_score_given(6).set_score_maximum(8).set_activity_progress("Completed")
    grade.set_grading_progress("FullyGraded").set_user_id(subject)
    grade.set_timestamp(
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S+0000"))
    grades.put_grade(grade, made)
    for _ in range(100):
        results = grades.get_grades(made)
        if results:
            break
        time.sleep(0.1)
    expect(
        [(r["userId"], r["resultScore"], r["resultMaximum"]) for r in results]
        == [(subject, 6, 8)], f"results of the chapter: {results}")
    removed = requests.delete(made.get_id(), headers=header)
    expect(removed.status_code == 204, f"delete: {removed.status_code} {removed.text}")
    refused("a score of a line item that was deleted", lambda: grades.put_grade(grade, made))
    expect(len(grades.get_lineitems()) == 1, "the line item is still listed")
    items = call("GET", f"/v1/handouts/{handout['id']}/tasks/{task['id']}/items", teacher)["items"]
    expect("Chapter one" in [i["title"] for i in items], f"items: {items}")


def reported(launch, grades, subject, handout, teacher):
    for _ in range(100):
        results = grades.get_grades()
        if results:
            break
        time.sleep(0.1)
    expect(
        [(r["userId"], r["resultScore"], r["resultMaximum"]) for r in results]
        == [(subject, 9, 12)], f"results: {results}")
    members = launch.get_nrps().get_members()
    roles = {m["user_id"]: m["roles"][0].rpartition("#")[2] for m in members}
    expect(roles.get(subject) == "Learner" and "Instructor" in roles.values(), f"members: {roles}")
    report = call("GET", f"/v1/handouts/{handout['id']}/report", teacher)
    items = [s["primaryItem"] for s in report["tasks"][0]["students"] if s["primaryItem"]]
    expect([(i["score"], i["maxScore"]) for i in items] == [(9, 12)], f"report: {items}")


tool = Tool()
made = registered(tool)
teacher = token_of(os.environ["TEACHER"])
handout = chosen(tool, made, teacher, Browser(URL, os.environ["TEACHER"], PASSWORD))
launch, grades, subject = worked(tool, handout, Browser(URL, os.environ["STUDENT"], PASSWORD))
reported(launch, grades, subject, handout, teacher)
refined(launch, grades, subject, handout, teacher)
call("DELETE", f"/v1/tools/{made['id']}", os.environ["ADMINISTRATOR"], status=204)
refused("the token of a tool that was removed", grades.get_grades)
print("PyLTI1p3 offered content, opened it for a student, reported scores, and made a line item.")
