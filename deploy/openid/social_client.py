"""A connected system made with python-social-auth, as Open edX, Weblate and Zulip use it. Nothing is set but what its
manual demands: the address, the client id and the secret.

    social_client.py URL
"""

import os
import sys

from social_core.backends.open_id_connect import OpenIdConnectAuth
from social_core.exceptions import AuthConfigurationError
from social_core.storage import BaseStorage
from social_core.strategy import BaseStrategy

from browser import Browser, expect, parameters, register

URL = sys.argv[1]
MANAGED_ID = os.environ["MANAGED_ID"]
CALLBACK = "https://courses.example/complete/oidc/"


class Associations:
    """Where the library keeps its nonces."""

    kept = []

    @classmethod
    def store(cls, server_url, association):
        association.id = len(cls.kept)
        association.is_expired = lambda: False
        cls.kept.append((server_url, association))

    @classmethod
    def get(cls, server_url=None, handle=None):
        return [a for url, a in cls.kept if url == server_url and a.handle == handle]

    @classmethod
    def remove(cls, ids):
        cls.kept = [(url, a) for url, a in cls.kept if a.id not in ids]


class Nonces:
    """Where it keeps its states."""

    used = set()

    @classmethod
    def use(cls, server_url, timestamp, salt):
        is_new = (server_url, salt) not in cls.used
        cls.used.add((server_url, salt))
        return is_new

    @classmethod
    def consume(cls, server_url, timestamp, salt):
        was_there = (server_url, salt) in cls.used
        cls.used.discard((server_url, salt))
        return was_there


class Storage(BaseStorage):
    association = Associations
    nonce = Nonces


class Strategy(BaseStrategy):
    """What a framework for websites does for the library."""

    def __init__(self, settings):
        super().__init__(storage=Storage)
        self.settings, self.session, self.sent = settings, {}, {}

    def get_setting(self, name):
        return self.settings[name]

    def request_data(self, merge=True):
        return self.sent

    def build_absolute_uri(self, path=None):
        return path

    def redirect(self, url):
        return url

    def session_get(self, name, default=None):
        return self.session.get(name, default)

    def session_set(self, name, value):
        self.session[name] = value

    def session_pop(self, name):
        return self.session.pop(name, None)

    def authenticate(self, backend, response, **more):
        """The person, as the website would keep him or her."""
        return backend.get_user_id({}, response), backend.get_user_details(response)


def begun(client_id, secret):
    return OpenIdConnectAuth(
        Strategy({
            "SOCIAL_AUTH_OIDC_OIDC_ENDPOINT": URL, "SOCIAL_AUTH_OIDC_KEY": client_id,
            "SOCIAL_AUTH_OIDC_SECRET": secret}),
        redirect_uri=CALLBACK)


def completed(backend, browser):
    backend.strategy.sent = parameters(browser.visit(backend.auth_url(), until=CALLBACK))
    backend.data = backend.strategy.sent
    return backend.auth_complete()


client_id, secret = register(
    URL, os.environ["ADMINISTRATOR"], "Courses", CALLBACK, scopes=["profile", "email"],
    requiresPkce=False)
browser = Browser(URL, MANAGED_ID, os.environ["PASSWORD"])
subject, details = completed(begun(client_id, secret), browser)
expect(details["username"] == MANAGED_ID, f"{details}")
expect(details["first_name"] and details["last_name"], f"{details}")
expect(details["email"] == os.environ["EMAIL"], f"{details}")
again, _ = completed(begun(client_id, secret), browser)
expect(again == subject, "another person the second time")
try:
    completed(begun(client_id, "wrong"), browser)
except AuthConfigurationError:
    pass
else:
    raise SystemExit("a wrong secret was not refused")
print("python-social-auth signed a person in.")
