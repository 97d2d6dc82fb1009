"""A connected system and an app made with Authlib.

    authlib_client.py URL
"""

import os
import secrets
import sys

# The service under test listens on the machine itself, without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import httpx
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from browser import Browser, expect, parameters, register

URL = sys.argv[1]
MANAGED_ID = os.environ["MANAGED_ID"]
BUNDLE = os.environ["BUNDLE"]
CALLBACK = "https://library.example/callback"
LOOPBACK = "http://127.0.0.1:4711/callback"


def discovered():
    metadata = httpx.get(f"{URL}/.well-known/openid-configuration").json()
    expect(metadata["issuer"] == URL, f"the issuer is {metadata['issuer']}")
    AuthorizationServerMetadata(metadata).validate()
    provider = OpenIDProviderMetadata(metadata)
    provider.validate()
    plain = httpx.get(f"{URL}/.well-known/oauth-authorization-server").json()
    AuthorizationServerMetadata(plain).validate()
    return metadata


def verified(id_token, metadata, client_id, nonce, access_token, algorithm="RS256"):
    keys = KeySet.import_key_set(httpx.get(metadata["jwks_uri"]).json())
    token = jwt.decode(id_token, keys, algorithms=[algorithm])
    claims = CodeIDToken(
        token.claims, token.header,
        {"iss": {"values": [metadata["issuer"]]}, "aud": {"values": [client_id]}},
        {"nonce": nonce, "client_id": client_id, "access_token": access_token})
    claims.validate(leeway=5)
    return claims


def refused(what, call):
    try:
        call()
    except (OAuthError, JoseError, httpx.HTTPStatusError):
        return
    raise SystemExit(f"{what} was not refused")


def sign_in(client, metadata, browser, callback, **more):
    """From the question to the tokens; also returns the nonce."""
    verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
    address, state = client.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce, **more)
    target = browser.visit(address, until=callback)
    expect(parameters(target)["iss"] == metadata["issuer"], f"the issuer of {target}")
    token = client.fetch_token(
        metadata["token_endpoint"], authorization_response=target, state=state,
        code_verifier=verifier)
    return token, nonce


def connected_system(metadata, method):
    client_id, secret = register(URL, os.environ["ADMINISTRATOR"], f"Library by {method}", CALLBACK)
    client = OAuth2Client(
        client_id, secret, token_endpoint_auth_method=method, redirect_uri=CALLBACK,
        scope="openid profile roles classes", code_challenge_method="S256")
    browser = Browser(URL, MANAGED_ID, os.environ["PASSWORD"])
    token, nonce = sign_in(client, metadata, browser, CALLBACK)
    claims = verified(token["id_token"], metadata, client_id, nonce, token["access_token"])
    refused("another nonce", lambda: verified(
        token["id_token"], metadata, client_id, "another", token["access_token"]))
    info = client.get(metadata["userinfo_endpoint"]).raise_for_status().json()
    expect(info["sub"] == claims["sub"], "userinfo is about somebody else")
    expect(info["preferred_username"] == MANAGED_ID, f"userinfo: {info}")
    expect(info["roles"] and info["classes"], f"userinfo: {info}")

    once_more, nonce = sign_in(client, metadata, browser, CALLBACK, prompt="none")
    verified(once_more["id_token"], metadata, client_id, nonce, once_more["access_token"])

    renewed = client.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
    verified(renewed["id_token"], metadata, client_id, None, renewed["access_token"])
    known = client.introspect_token(
        metadata["introspection_endpoint"], token=renewed["access_token"]).json()
    expect(known["active"] and known["sub"] == claims["sub"], f"introspection: {known}")
    client.revoke_token(metadata["revocation_endpoint"], token=renewed["refresh_token"])
    known = client.introspect_token(
        metadata["introspection_endpoint"], token=renewed["access_token"]).json()
    expect(known == {"active": False}, f"introspection after revocation: {known}")
    client.token = renewed
    refused("a revoked token", lambda: client.get(
        metadata["userinfo_endpoint"]).raise_for_status())
    wrong = OAuth2Client(client_id, "wrong", token_endpoint_auth_method=method)
    refused("a wrong secret", lambda: wrong.refresh_token(
        metadata["token_endpoint"], refresh_token=once_more["refresh_token"]))


def plain_system(metadata, algorithm):
    """What a system sends whose library knows nothing of PKCE: a secret, a nonce, and no more."""
    client_id, secret = register(
        URL, os.environ["ADMINISTRATOR"], f"Plain with {algorithm}", CALLBACK, scopes=["email"],
        requiresPkce=False, idTokenSignedResponseAlg=algorithm,
        postLogoutRedirectUris=["https://library.example/bye"])
    client = OAuth2Client(client_id, secret, redirect_uri=CALLBACK, scope="openid profile email")
    browser = Browser(URL, MANAGED_ID, os.environ["PASSWORD"])
    nonce = secrets.token_urlsafe(16)
    address, state = client.create_authorization_url(
        metadata["authorization_endpoint"], nonce=nonce, response_mode="form_post")
    form = browser.form(address, CALLBACK)
    expect(form["state"] == state and form["iss"] == metadata["issuer"], f"the form {form}")
    token = client.fetch_token(metadata["token_endpoint"], code=form["code"], state=state)
    claims = verified(
        token["id_token"], metadata, client_id, nonce, token["access_token"], algorithm)
    expect(claims["email"] == os.environ["EMAIL"], f"claims: {claims}")

    silent, _ = client.create_authorization_url(
        metadata["authorization_endpoint"], nonce=nonce, prompt="none")
    expect("code" in parameters(browser.visit(silent, until=CALLBACK)), "not signed in")
    leaving = str(httpx.URL(metadata["end_session_endpoint"], params={
        "id_token_hint": token["id_token"], "state": "a b",
        "post_logout_redirect_uri": "https://library.example/bye"}))
    gone = browser.visit(leaving, until="https://library.example/bye")
    expect(parameters(gone) == {"state": "a b"}, f"after signing out: {gone}")
    absent = parameters(browser.visit(silent, until=CALLBACK))
    expect(absent.get("error") == "login_required", f"still signed in: {absent}")


def app(metadata):
    client = OAuth2Client(
        BUNDLE, token_endpoint_auth_method="none", redirect_uri=LOOPBACK, scope="classkit",
        code_challenge_method="S256")
    browser = Browser(URL, MANAGED_ID, os.environ["PASSWORD"])
    token, _ = sign_in(client, metadata, browser, LOOPBACK)
    expect(token["subject"] and "id_token" not in token, f"an app's token: {token}")
    refused("an app that asks for names", lambda: client.get(
        metadata["userinfo_endpoint"]).raise_for_status())

    begun = httpx.post(
        metadata["device_authorization_endpoint"], data={"client_id": BUNDLE}).json()
    device = OAuth2Client(BUNDLE, token_endpoint_auth_method="none")

    def ask():
        return device.fetch_token(
            metadata["token_endpoint"], grant_type="urn:ietf:params:oauth:grant-type:device_code",
            device_code=begun["device_code"])

    browser.get(begun["verification_uri_complete"])
    browser.post(begun["verification_uri"], code=begun["user_code"])
    browser.post(
        f"{begun['verification_uri']}/decision", code=begun["user_code"].replace("-", ""),
        do="allow")
    expect(ask()["subject"] == token["subject"], "the device knows another person")
    refused("a device code that was used", ask)


metadata = discovered()
connected_system(metadata, "client_secret_basic")
connected_system(metadata, "client_secret_post")
plain_system(metadata, "RS256")
plain_system(metadata, "ES256")
app(metadata)
print("Authlib signed a person in to two systems with PKCE and two without, to an app and to a device.")
