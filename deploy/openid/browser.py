"""A browser without scripts, which signs a person in and answers what the pages of Homeroom ask."""

import html
import re
import urllib.parse

import httpx


class Wrong(Exception):
    """Something was not as it should be."""


def expect(holds, what):
    if not holds:
        raise Wrong(what)


class Browser:
    def __init__(self, url, managed_id, password):
        self.url = url
        self.managed_id = managed_id
        self.password = password
        self.client = httpx.Client()
        self.page = None

    def get(self, address):
        self.page = self.client.get(address)
        return self.page

    def post(self, address, **fields):
        """Sends a form of the page that is shown."""
        token = re.search(r'name="formToken" value="([^"]+)"', self.page.text)
        expect(token, f"no form: {self.page.status_code} {self.page.text[:500]}")
        self.page = self.client.post(address, data={**fields, "formToken": token[1]})
        return self.page

    def form(self, address, until):
        """Visits an address whose answer is a form for `until`, which a script would send; returns its fields."""
        try:
            self.visit(address, until)
        except Wrong:
            pass
        found = re.search(
            rf'<form method="post" action="{re.escape(html.escape(until))}" data-go>(.*?)</form>',
            self.page.text, re.S)
        expect(found, f"no form for {until}: {self.page.status_code} {self.page.text[:500]}")
        fields = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', found[1])
        return {name: html.unescape(value) for name, value in fields}

    def visit(self, address, until):
        """Follows redirects, signs in and allows what is asked; returns the address that begins with `until`."""
        self.get(address)
        for _ in range(12):
            here = self.page.request.url
            if self.page.is_redirect:
                location = str(here.join(self.page.headers["Location"]))
                if location.startswith(until):
                    return location
                self.get(location)
            elif here.path == "/sign-in":
                back = re.search(r'name="to" value="([^"]+)"', self.page.text)
                self.post(
                    f"{self.url}/sign-in", managedId=self.managed_id, password=self.password,
                    to=html.unescape(back[1]))
            elif here.path == "/oauth/authorize":
                self.post(str(here), do="allow")
            else:
                raise Wrong(f"stuck at {here}: {self.page.status_code} {self.page.text[:500]}")
        raise Wrong(f"too many redirects from {address}")


def register(url, token, name, redirect_uri, scopes=("profile", "roles", "classes"), **more):
    """Registers a connected system as an administrator; returns client id and secret."""
    answer = httpx.post(
        f"{url}/v1/connected-systems", headers={"Authorization": f"Bearer {token}"},
        json={
            "name": name, "redirectUris": [redirect_uri], "scopes": list(scopes), **more})
    expect(answer.status_code == 201, f"registering {name}: {answer.text}")
    return answer.json()["clientId"], answer.json()["clientSecret"]


def parameters(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
