/// Guides for systems that keep up with the school.
extension DocumentPage {
    static let following = Guide(
        id: "following", title: "Keeping up with changes",
        parts: [
            """
            `GET /v1/changes` lists what was created, changed or removed: locations, terms, courses, people, classes, \
            rosters, and for teachers their handouts. You see changes only of what you may read now. A change names a \
            kind and an id, never a name; read the record to learn what it says now. A 404 then means that it is gone, \
            or no longer yours to read.
            """,
            """
            Begin with a position, read everything that you keep a copy of, and then follow the changes from that \
            position on. Keep the new position after you have taken in the changes, so that a crash repeats some \
            instead of losing any.
            """,
            """
                POSITION=$(curl -sS $URL/v1/changes -H "Authorization: Bearer $TOKEN" \\
                    | grep -o '"position":"[^"]*' | cut -d '"' -f 4)
                curl -sS "$URL/v1/changes?after=$POSITION&limit=1000" -H "Authorization: Bearer $TOKEN"
            """,
            """
            While `hasMore` is true, ask again at once; otherwise every minute will do. Changes appear in the order in \
            which they took effect: those of a large import all together at its end, and nothing waits for it. Changes \
            are kept for 30 days. With an older position, or after the operator restored a backup, the answer is 410: \
            take a new position, and read everything again.
            """,
        ])

    static let webhooks = Guide(
        id: "webhooks", title: "Being called about changes",
        parts: [
            """
            An administrator registers a webhook: a URL, and the kinds of changes that it is sent. Handouts are not \
            among them. The secret is answered once. A call is a `POST` with up to 100 changes; it has ids in it, \
            and no names. Answer with any 2xx status within ten seconds, and do the work afterwards.
            """,
            """
                curl -sS $URL/v1/webhooks -H "Authorization: Bearer $TOKEN" --json '{"name": "Library",
                    "url": "https://library.example/homeroom", "kinds": ["person", "class", "roster"]}'
            """,
            """
                {"type": "changes", "timestamp": "2026-09-14T08:00:01.000Z", "data": {"organizationId": "…",
                 "webhookId": "…", "changes": [{"kind": "roster", "id": "…", "what": "changed", "at": "…"}]}}
            """,
            """
            Calls are signed as Standard Webhooks (standardwebhooks.com) says; its libraries verify them. Without a \
            library, compute HMAC-SHA256 of id, time and body, and refuse calls that are older than five minutes:
            """,
            """
                import base64, hashlib, hmac, time

                def is_signed(secret, headers, body):
                    key = base64.b64decode(secret.removeprefix("whsec_"))
                    moment = headers["webhook-timestamp"]
                    content = f"{headers['webhook-id']}.{moment}.".encode() + body
                    expected = base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
                    signatures = headers["webhook-signature"].split()
                    return abs(time.time() - int(moment)) < 300 and any(
                        hmac.compare_digest(s, "v1," + expected) for s in signatures)
            """,
            """
            A delivery that fails is sent again after 5 seconds and then every minute, or when your `Retry-After` \
            says; every quarter of an hour if your receiver has never taken one. Later changes wait behind it, and \
            follow as soon as it succeeds. `GET /v1/checks` reports a webhook that has failed for an hour. After three \
            days it is disabled; enabled again, it goes on where it stopped. Answer 410 to end the calls. A \
            delivery may arrive twice; its `webhook-id` stays the same.
            """,
            """
            `GET /v1/webhooks/{id}/deliveries` lists what was sent in the last seven days, with the outcome of each \
            attempt, and a `POST` to a delivery sends it again. `POST /v1/webhooks/{id}/test` tries your receiver out. \
            A new secret signs beside the former one for a day. Redirects are not followed, certificates must be \
            valid, and addresses inside a network are called only if the operator sets `HOMEROOM_LOCAL_WEBHOOKS`.
            """,
        ])
}
