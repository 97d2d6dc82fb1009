"""A connected system made with idpyoidc, which checks what a provider says of itself to the letter.

    idpyoidc_client.py URL
"""

import os
import sys
import tempfile

from idpyoidc.client.rp_handler import RPHandler

from browser import Browser, expect, parameters, register

URL = sys.argv[1]
MANAGED_ID = os.environ["MANAGED_ID"]
CALLBACK = "https://wiki.example/callback"

client_id, secret = register(
    URL, os.environ["ADMINISTRATOR"], "Wiki", CALLBACK, scopes=["profile", "email"],
    requiresPkce=False)
# The library writes keys of its own where it runs.
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
handler = RPHandler(
    base_url="https://wiki.example",
    client_configs={
        URL: {
            "issuer": URL, "client_type": "oidc", "client_id": client_id, "client_secret": secret,
            "redirect_uris": [CALLBACK],
            # The service under test listens on the machine itself, without TLS.
            "allow": {"http_links": True},
        }
    })
browser = Browser(URL, MANAGED_ID, os.environ["PASSWORD"])
address = handler.begin(URL, req_args={"scope": ["openid", "profile", "email"]})
answer = parameters(browser.visit(address, until=CALLBACK))
found = handler.finalize(URL, answer)
expect("error" not in found, f"{found}")
expect(found["userinfo"]["preferred_username"] == MANAGED_ID, f"{found['userinfo']}")
expect(found["userinfo"]["email"] == os.environ["EMAIL"], f"{found['userinfo']}")
expect(found["id_token"]["sub"] == found["userinfo"]["sub"], "userinfo is about somebody else")
print("idpyoidc signed a person in.")
