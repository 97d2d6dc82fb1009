"""A page that Apache protects with mod_auth_openidc.

    apache_client.py URL
"""

import os
import pathlib
import pwd
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import httpx

from browser import Browser, expect, register

URL = sys.argv[1]
MANAGED_ID = os.environ["MANAGED_ID"]
MODULES = "/usr/lib/apache2/modules"

CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
{account}
PidFile {folder}/pid
DefaultRuntimeDir {folder}
Mutex file:{folder}
ErrorLog {folder}/log
LogLevel warn
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule headers_module {modules}/mod_headers.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
DocumentRoot {folder}/pages

OIDCProviderMetadataURL {url}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret {secret}
OIDCRedirectURI {here}/protected/callback
OIDCCryptoPassphrase {passphrase}
OIDCScope "openid profile email roles classes"
OIDCRemoteUserClaim preferred_username
OIDCCookieSameSite On

<Location /protected>
    AuthType openid-connect
    Require claim preferred_username:{managed_id}
    Header set X-Person "expr=%{{REMOTE_USER}} is %{{env:OIDC_CLAIM_name}}"
</Location>
<Location /protected/others>
    Require claim preferred_username:nobody@nowhere.example
</Location>
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def started(folder, port):
    """Starts Apache and waits until it listens."""
    # Apache heeds only signals that its parent did not block.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    apache = subprocess.Popen(
        ["/usr/sbin/apache2", "-D", "FOREGROUND", "-f", f"{folder}/configuration"])
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return apache
        expect(apache.poll() is None, "Apache ended")
        time.sleep(0.05)
    apache.terminate()
    raise SystemExit("Apache does not listen")


def walk(here):
    address = f"{here}/protected/page.txt"
    stranger = httpx.get(address)
    expect(stranger.is_redirect and "for people" not in stranger.text, "a stranger sees the page")
    browser = Browser(URL, MANAGED_ID, os.environ["PASSWORD"])
    back = browser.visit(address, until=f"{here}/protected/callback")
    browser.get(back)
    expect(browser.page.headers.get("Location") == address, f"{browser.page}: {browser.page.text}")
    page = browser.get(address)
    expect(page.status_code == 200 and "for people" in page.text, f"{page}: {page.text}")
    person = page.headers["X-Person"]
    expect(person.startswith(f"{MANAGED_ID} is ") and len(person.split()) > 3, person)
    others = browser.get(f"{here}/protected/others/page.txt")
    expect(others.status_code in (401, 403), f"{others}: a page of others is shown")
    leaving = f"{here}/protected/callback?{urllib.parse.urlencode({'logout': here + '/bye'})}"
    browser.visit(leaving, until=f"{here}/bye")
    again = browser.get(address)
    expect(again.is_redirect, f"{again}: Apache still knows the person")
    door = browser.get(again.headers["Location"])
    expect("/sign-in" in door.headers.get("Location", ""), f"{door}: Homeroom still does")


with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    folder.chmod(0o755)
    port = free_port()
    here = f"http://127.0.0.1:{port}"
    client_id, secret = register(
        URL, os.environ["ADMINISTRATOR"], "Pages behind Apache", f"{here}/protected/callback",
        scopes=["profile", "email", "roles", "classes"], requiresPkce=False,
        postLogoutRedirectUris=[f"{here}/bye"])
    for path in ["protected", "protected/others"]:
        (folder / "pages" / path).mkdir(parents=True)
        (folder / "pages" / path / "page.txt").write_text("Only for people of the school.\n")
    account = ""
    if os.geteuid() == 0:
        account = "User www-data\nGroup www-data"
        os.chown(folder, pwd.getpwnam("www-data").pw_uid, -1)
    (folder / "configuration").write_text(CONFIGURATION.format(
        folder=folder, port=port, account=account, modules=MODULES, url=URL, here=here,
        client_id=client_id, secret=secret, passphrase=secrets.token_urlsafe(32),
        managed_id=MANAGED_ID))
    apache = started(folder, port)
    try:
        walk(here)
    except BaseException:
        print((folder / "log").read_text(), file=sys.stderr)
        raise
    finally:
        apache.terminate()
        apache.wait(timeout=20)
print("Apache showed a person a page that it protects, and signed the person out.")
