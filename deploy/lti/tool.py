"""A tool made with PyLTI1p3, without a web framework: what a browser brings is handed to it directly."""

import http.server
import json
import threading

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pylti1p3.cookie import CookieService
from pylti1p3.message_launch import MessageLaunch
from pylti1p3.oidc_login import OIDCLogin
from pylti1p3.redirect import Redirect
from pylti1p3.registration import Registration
from pylti1p3.request import Request
from pylti1p3.session import SessionService
from pylti1p3.tool_config import ToolConfDict

LAUNCH = "https://quiz.example/launch"


class Carried(Request):
    """What a browser sends, and what the tool remembers of it."""

    def __init__(self, fields, session):
        self.fields = fields
        self.kept = session

    @property
    def session(self):
        return self.kept

    def is_secure(self):
        return True

    def get_param(self, key):
        return self.fields.get(key)


class Cookies(CookieService):
    def __init__(self, kept):
        self.kept = kept

    def get_cookie(self, name):
        return self.kept.get(name)

    def set_cookie(self, name, value, exp=3600):
        self.kept[name] = value


class Leading(Redirect):
    def __init__(self, location):
        self.location = location

    def do_redirect(self):
        return self.location

    def do_js_redirect(self):
        return self.location

    def set_redirect_url(self, location):
        self.location = location

    def get_redirect_url(self):
        return self.location


class Login(OIDCLogin):
    def _get_request_param(self, key):
        return self._request.get_param(key)

    def get_redirect(self, url):
        return Leading(url)


class Launch(MessageLaunch):
    def _get_request_param(self, key):
        return self._request.get_param(key)


def key_pair():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()).decode()
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    return private, public


class Tool:
    """One tool, and the visits of browsers to it."""

    def __init__(self):
        self.private, self.public = key_pair()
        self.config = None

    def publish(self):
        """Serves the tool's keys on this machine; returns their address."""
        document = json.dumps({"keys": [Registration.get_jwk(self.public)]}).encode()

        class Keys(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(document)))
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/keys"

    def connect(self, url, client_id, deployment_id):
        """Makes the platform at the URL known to the library."""
        self.config = ToolConfDict({url: {
            "client_id": client_id, "auth_login_url": f"{url}/lti/authorize",
            "auth_token_url": f"{url}/lti/token", "auth_audience": None,
            "key_set_url": f"{url}/lti/jwks", "key_set": None,
            "deployment_ids": [deployment_id]}})
        self.config.set_private_key(url, self.private)
        self.config.set_public_key(url, self.public)

    def login(self, fields, kept):
        """What the tool answers at its login URL: an address of the platform."""
        request = Carried(fields, kept)
        login = Login(request, self.config, SessionService(request), Cookies(kept))
        return login.redirect(LAUNCH)

    def launch(self, fields, kept):
        """The message that a browser posted, checked by the library."""
        request = Carried(fields, kept)
        launch = Launch(request, self.config, SessionService(request), Cookies(kept))
        return launch.validate()
