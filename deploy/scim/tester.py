"""Lets scim2-tester write users and groups, and compares what it finds with what Homeroom does on purpose.

    TOKEN=… tester.py URL

TOKEN is that of a directory writer of an organization with one location.
"""

import os
import sys

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

SCHOOL = "'urn:homeroom:scim:schemas:extension:school:2.0:Group"

# What the tester finds wrong and is meant: the check, a part of what it says, and why it is so.
MEANT = [
    ("check_add_attribute", "'roles'", "a new user is staff, and a role is added to that"),
    ("check_remove_attribute", "'active'", "everyone is active or not"),
    ("check_replace_attribute", "'userName'", "a managed ID has a domain"),
    ("check_add_attribute", "'members'", "members have a display name, which nobody sends"),
    ("check_replace_attribute", "'members'", "members have a display name, which nobody sends"),
    ("check_remove_attribute", "'members'", "who removes members says whom"),
    ("check_add_attribute", SCHOOL, "a part of it is read-only"),
    ("check_replace_attribute", SCHOOL, "a part of it is read-only"),
    ("check_remove_attribute", SCHOOL, "every class has a location"),
    ("check_remove_attribute", "organization'", "everyone with a role has a location"),
]


def is_meant(result):
    """Whether Homeroom does on purpose what the tester found."""
    return any(
        result.title == check and part in (result.reason or "") for check, part, _ in MEANT
    )


def main(url):
    http = httpx2.Client(
        base_url=f"{url}/scim/v2",
        headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
        timeout=60,
    )
    client = SyncSCIMClient(http)
    client.discover()
    results = check_server(client)
    passed = [result for result in results if result.status == Status.SUCCESS]
    wrong = [
        result
        for result in results
        if result.status in (Status.ERROR, Status.CRITICAL) and not is_meant(result)
    ]
    for result in wrong:
        print(f"{result.title}: {result.reason}", file=sys.stderr)
    if wrong or len(passed) < 75:
        sys.exit(f"scim2-tester passed {len(passed)} checks, and found {len(wrong)} mistakes.")
    print(f"scim2-tester wrote users and classes: {len(passed)} checks passed.")


main(sys.argv[1])
