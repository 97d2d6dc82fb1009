"""A browser without scripts, which signs a person in and carries forms between Homeroom and a tool."""

import html
import re
import urllib.parse

import requests


class Wrong(Exception):
    """Something was not as it should be."""


def expect(holds, what):
    if not holds:
        raise Wrong(what)


def parameters(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


class Browser:
    def __init__(self, url, managed_id, password):
        self.url = url
        self.session = requests.Session()
        page = self.session.get(f"{url}/sign-in")
        answer = self.session.post(
            f"{url}/sign-in", allow_redirects=False,
            data={
                "managedId": managed_id, "password": password, "to": "/",
                "formToken": self.field(page, "formToken")})
        expect(answer.status_code == 303, f"signing in: {answer.status_code} {answer.text[:300]}")

    @staticmethod
    def field(page, name):
        found = re.search(rf'name="{name}" value="([^"]*)"', page.text)
        expect(found, f"no {name}: {page.status_code} {page.text[:500]}")
        return html.unescape(found[1])

    def get(self, address):
        return self.session.get(urllib.parse.urljoin(self.url, address), allow_redirects=False)

    def leaves(self, address):
        """The address of another server to which a page leads."""
        answer = self.get(address)
        expect(answer.status_code == 303, f"{address}: {answer.status_code} {answer.text[:500]}")
        return answer.headers["Location"]

    def message(self, address):
        """The form that a page posts to a tool: where, and its fields."""
        page = self.get(address)
        expect(page.status_code == 200, f"{address}: {page.status_code} {page.text[:800]}")
        action = re.search(r'<form method="post" action="([^"]+)" data-go', page.text)
        expect(action, f"no form for the tool: {page.text[:800]}")
        target = html.unescape(action[1])
        origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(target))
        expect(origin in page.headers["Content-Security-Policy"], "the policy forbids the form")
        return target, {name: self.field(page, name) for name in ("id_token", "state")}

    def refused(self, address):
        page = self.get(address)
        expect(page.status_code == 400, f"not refused: {page.status_code} {page.text[:500]}")
