"""What every call of the client has in common: signing in, sending, repeating, and what goes wrong.

Needs Python 3.11 and nothing else.
"""
from __future__ import annotations

import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Iterator, Mapping, Protocol


class Problem(Exception):
    """An error of the API (RFC 9457). `code` is for programs and never changes; `detail` is for people."""

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        self.status = status
        self.code: str = document.get("code") or document.get("error") or ""
        self.title: str = document.get("title") or ""
        self.detail: str = document.get("detail") or document.get("error_description") or ""
        #: The id of the request. Quote it when you ask for help.
        self.instance: str = document.get("instance") or ""
        #: What is wrong in a body: `pointer`, `code` and `detail` each.
        self.errors: list[dict[str, str]] = list(document.get("errors") or [])
        super().__init__(f"{status} {self.code}: {self.detail or self.title}")


class NotModified(Exception):
    """Your ETag is still current (304)."""


class Received:
    """What an answer had beside its body. Pass one as `answer` to a call."""

    status: int = 0
    #: By lower-case names.
    headers: dict[str, str] = {}

    @property
    def etag(self) -> str | None:
        return self.headers.get("etag")


class TokenSource(Protocol):
    """How the client gets its access token."""

    def token(self, send: "Send", stale: str | None) -> str:
        """A token that is not `stale`, which the server has refused."""
        ...


#: Sends a form to a path and returns status and document.
Send = Callable[[str, Mapping[str, str]], "tuple[int, dict[str, Any]]"]


class AccessToken:
    """A token that you have already."""

    def __init__(self, token: str) -> None:
        self._token = token

    def token(self, send: Send, stale: str | None) -> str:
        return self._token


class ClientCredentials:
    """The client id and secret of a service account."""

    def __init__(self, client_id: str, client_secret: str, scope: str | None = None) -> None:
        self._form = {
            "grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret,
        }
        if scope is not None:
            self._form["scope"] = scope
        self._token: str | None = None
        self._good_until = 0.0

    def token(self, send: Send, stale: str | None) -> str:
        if self._token is None or self._token == stale or time.monotonic() > self._good_until:
            status, document = send("/oauth/token", self._form)
            if status != 200:
                raise Problem(status, document)
            self._token = str(document["access_token"])
            # A minute early, for clocks and slow networks.
            self._good_until = time.monotonic() + int(document["expires_in"]) - 60
        return self._token


class DeviceCode:
    """Signs a person in to an app, with a code that the person types in at another device (RFC 8628).

    `show` gets the address to open and the code. `keep` gets each new refresh token, to be given as `refresh_token`
    the next time; it works once.
    """

    def __init__(
        self, bundle_id: str, show: Callable[[str, str], None], refresh_token: str | None = None,
        keep: Callable[[str], None] = lambda token: None,
    ) -> None:
        self._bundle_id, self._show, self._refresh, self._keep = bundle_id, show, refresh_token, keep
        self._token: str | None = None

    def token(self, send: Send, stale: str | None) -> str:
        if self._token is not None and self._token != stale:
            return self._token
        if self._refresh is not None:
            status, document = self._grant(send, grant_type="refresh_token", refresh_token=self._refresh)
            if status == 200:
                return self._take(document)
            self._refresh = None
        return self._take(self._ask(send))

    def _ask(self, send: Send) -> dict[str, Any]:
        status, code = send("/oauth/device_authorization", {"client_id": self._bundle_id})
        if status != 200:
            raise Problem(status, code)
        self._show(code["verification_uri"], code["user_code"])
        pause = int(code["interval"])
        while True:
            time.sleep(pause)
            status, document = self._grant(
                send, grant_type="urn:ietf:params:oauth:grant-type:device_code",
                device_code=code["device_code"])
            if status == 200:
                return document
            if document.get("error") == "slow_down":
                pause += 5
            elif document.get("error") != "authorization_pending":
                raise Problem(status, document)

    def _grant(self, send: Send, **form: str) -> tuple[int, dict[str, Any]]:
        return send("/oauth/token", {"client_id": self._bundle_id, **form})

    def _take(self, document: Mapping[str, Any]) -> str:
        self._refresh = str(document["refresh_token"])
        self._keep(self._refresh)
        self._token = str(document["access_token"])
        return self._token


class Runtime:
    """Sends calls. After 429, 503 and lost connections it repeats them when that does no harm.

    `attempts` is how often one call is sent at most, and `longest_pause` how many seconds it waits between two.
    """

    def __init__(
        self, url: str, sign_in: TokenSource, attempts: int = 5, longest_pause: float = 60,
        timeout: float = 60,
    ) -> None:
        self._url = url.rstrip("/")
        self._sign_in = sign_in
        self._attempts, self._longest_pause, self._timeout = attempts, longest_pause, timeout
        self._lock = threading.Lock()

    # Sending

    def _exchange(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None,
    ) -> tuple[int, dict[str, str], bytes]:
        request = urllib.request.Request(self._url + target, body, dict(headers), method=method)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                return answer.status, _names(answer.headers), answer.read()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, _names(refusal.headers), refusal.read()

    def _send_form(self, path: str, form: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        body = urllib.parse.urlencode(form).encode()
        status, _, answer = self._repeat(
            False, lambda: self._exchange("POST", path, headers, body))
        return status, _document(answer)

    def _repeat(
        self, is_safe: bool, send: Callable[[], tuple[int, dict[str, str], bytes]],
    ) -> tuple[int, dict[str, str], bytes]:
        """Sends until there is an answer that another attempt would not change."""
        pause = 0.5
        for attempt in range(1, self._attempts + 1):
            is_last = attempt == self._attempts
            wait = pause * random.uniform(1, 1.5)
            try:
                answer = send()
                status, headers = answer[0], answer[1]
                # Neither 429 nor 503 has changed anything. After 502 and 504, and while another call with the same
                # idempotency key runs, that is not known.
                asks_again = status in (429, 503) or is_safe and (
                    status in (502, 504) or status == 409 and "retry-after" in headers)
                if not asks_again or is_last:
                    return answer
                asked = headers.get("retry-after", "")
                if asked.isdigit():
                    if int(asked) > self._longest_pause:
                        return answer
                    wait = max(wait, int(asked))
            except OSError:
                if not is_safe or is_last:
                    raise
            time.sleep(min(wait, self._longest_pause))
            pause *= 2
        raise AssertionError("attempts must be at least 1")

    def _call(
        self, method: str, path: str, query: Mapping[str, Any], *, document: Any = None,
        body: bytes | None = None, headers: Mapping[str, str | None] | None = None,
        key: str | None = None, honours_key: bool = False, received: Received | None = None,
    ) -> bytes:
        given = [(name, _text(value)) for name, values in query.items() if values is not None
                 for value in (values if isinstance(values, (list, tuple)) else [values])]
        target = path + ("?" + urllib.parse.urlencode(given) if given else "")
        fields = {name: value for name, value in (headers or {}).items() if value is not None}
        if document is not None:
            body = json.dumps(document).encode()
            fields["Content-Type"] = "application/json"
        if honours_key:
            fields["Idempotency-Key"] = key or str(uuid.uuid4())
        is_safe = honours_key or method in ("GET", "PUT", "DELETE")
        stale: str | None = None
        while True:
            token = self._token(stale)
            fields["Authorization"] = "Bearer " + token
            status, answered, content = self._repeat(
                is_safe, lambda: self._exchange(method, target, fields, body))
            if status != 401 or stale is not None:
                break
            # It may have expired on the way. A second refusal counts.
            stale = token
        if received is not None:
            received.status, received.headers = status, answered
        if status == 304:
            raise NotModified()
        if status >= 300:
            raise Problem(status, _document(content))
        return content

    def _token(self, stale: str | None) -> str:
        with self._lock:
            return self._sign_in.token(self._send_form, stale)

    # What the calls use

    def _json(self, method: str, path: str, query: Mapping[str, Any], **more: Any) -> Any:
        headers = {"Accept": "application/json", **more.pop("headers", {})}
        content = self._call(method, path, query, headers=headers, **more)
        return json.loads(content) if content else None

    def _items(self, path: str, query: Mapping[str, Any]) -> Iterator[Any]:
        page = self._json("GET", path, query)
        yield from page["items"]
        while "nextPageToken" in page:
            page = self._json("GET", path, {**query, "pageToken": page["nextPageToken"]})
            yield from page["items"]


def _names(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _document(content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def segment(value: str) -> str:
    """A value as one segment of a path."""
    return urllib.parse.quote(value, safe="")
