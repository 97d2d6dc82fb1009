"""Signs people in at a running Homeroom with the issuer that runs beside it.

Called by deploy/sign-in. Every step says what it expects; the first that is not so ends the walk with status 1.
"""

import json
import re
import subprocess
import sys
import urllib.parse

import httpx
import oidc_provider_mock

URL = sys.argv[1]


def expect(is_so, what):
    if not is_so:
        sys.exit(f"deploy/sign-in: {what}")
    print(what)


def homeroom(*words):
    done = subprocess.run(["homeroom", *words, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def browser():
    return httpx.Client(base_url=URL, follow_redirects=False)


def at_issuer(place, subject=None):
    """Signs in at the issuer's page, or denies; returns the address to which the browser is sent back."""
    form = {"sub": subject} if subject else {"action": "deny"}
    answer = httpx.post(place, data=form, follow_redirects=False)
    assert answer.status_code in (302, 303), answer.text
    return answer.headers["location"]


def sign_in(client, provider, subject):
    begun = client.get(f"/sign-in/with/{provider}?to=%2Fme%2Fsign-in")
    assert begun.status_code == 303, begun.text
    return client.get(at_issuer(begun.headers["location"], subject))


def walk(issuer):
    school = homeroom("organization", "create", "--name", "Riverside", "--domain", "riverside.example",
                      "--administrator", "ada@riverside.example")
    api = httpx.Client(base_url=URL, headers={"Authorization": f"Bearer {school['accessToken']}"})
    sam = api.post("/v1/people", json={
        "givenName": "Sam", "familyName": "Example", "managedId": "sam@riverside.example",
        "roles": [{"role": "student", "locationId": school["locationId"]}]}).json()
    for subject, claims in {
        "account-1": {"email": "Sam@riverside.example", "email_verified": True},
        "account-2": {"email": "sam@riverside.example", "email_verified": False},
        "account-3": {"email": "stranger@riverside.example", "email_verified": True},
        "account-4": {"email": "sam@riverside.example", "email_verified": True},
    }.items():
        httpx.put(f"{issuer}/users/{subject}", json=claims).raise_for_status()

    made = api.post("/v1/sign-in-providers", json={
        "kind": "other", "name": "River accounts", "issuer": issuer, "clientId": "homeroom",
        "clientSecret": "a secret / with signs"})
    expect(made.status_code == 201 and "with signs" not in made.text, "a provider is connected")
    provider = made.json()["id"]
    checked = api.post(f"/v1/sign-in-providers/{provider}/check")
    expect(checked.status_code == 200 and checked.json()["keys"] == 1, "the issuer describes itself")

    sams = browser()
    door = sams.get("/sign-in")
    expect(f"/sign-in/with/{provider}" in door.text and "River accounts" in door.text,
           "the page for signing in offers it")
    back = sign_in(sams, provider, "account-1")
    expect(back.status_code == 303 and back.headers["location"] == "/me/sign-in", "Sam is signed in")
    expect("This browser" in sams.get("/me/sign-in").text, "Sam's page opens")
    people = api.get("/v1/people").json()["items"]
    expect(len(people) == 2 and sam["id"] in [person["id"] for person in people], "nobody was made")

    for subject, reason in [("account-2", "an address that is not verified"), ("account-3", "a stranger"),
                            ("account-4", "another account with Sam's address")]:
        refused = sign_in(browser(), provider, subject)
        expect(refused.status_code == 403 and "You cannot sign in with this account" in refused.text,
               f"refused: {reason}")
    events = api.get("/v1/audit-events?kind=signInFailure").json()["items"]
    expect({event["details"].get("reason") for event in events}
           == {"unverifiedEmail", "unknownPerson", "otherAccount"}, "the audit trail says why")

    mine, theirs = browser(), browser()
    place = mine.get(f"/sign-in/with/{provider}").headers["location"]
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(place).query)
    expect(asked["code_challenge_method"] == ["S256"] and len(asked["nonce"][0]) == 43, "PKCE and a nonce")
    address = at_issuer(place, "account-1")
    expect(theirs.get(address).status_code == 400, "a browser that did not begin comes to no end")
    theirs.get(f"/sign-in/with/{provider}")
    expect(theirs.get(address).status_code == 400, "not even one that began another")
    cookies = {cookie.name: cookie.value for cookie in mine.cookies.jar}
    expect(mine.get(address).status_code == 303, "the browser that began does")
    mine.cookies = cookies
    expect(mine.get(address).status_code == 400, "and once")
    changed = re.sub("state=.", "state=!", at_issuer(place, "account-1"))
    mine.cookies = cookies
    expect(mine.get(changed).status_code == 400, "another state fits nobody")

    unsure = browser()
    place = unsure.get(f"/sign-in/with/{provider}").headers["location"]
    back = unsure.get(at_issuer(place))
    expect(back.status_code == 303 and back.headers["location"] == "/sign-in", "a change of mind leads back")
    return api, provider


with oidc_provider_mock.run_server_in_thread() as server:
    api, provider = walk(f"http://127.0.0.1:{server.server_port}")
gone = api.post(f"/v1/sign-in-providers/{provider}/check")
expect(gone.status_code == 502 and "cannot be reached" in gone.json()["detail"], "an issuer that is gone is named")
print("Everyone who may is signed in, and no one else.")
