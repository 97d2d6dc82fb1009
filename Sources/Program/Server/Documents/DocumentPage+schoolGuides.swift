/// Guides for a school: its records, passwords, scripts and exports.
extension DocumentPage {
    static let importing = Guide(
        id: "importing", title: "Importing people and classes",
        parts: [
            """
            Upload a zip archive with `mode=preview` to see what it would do, or with `mode=apply` to do it. The \
            answer names the import; read its `status` until it is no longer `queued` or `running`.
            """,
            """
                curl -sS "$URL/v1/imports?mode=preview" -H "Authorization: Bearer $TOKEN" \\
                    -H 'Content-Type: application/zip' --data-binary @roster.zip
                curl -sS "$URL/v1/imports/$ID/changes" -H "Authorization: Bearer $TOKEN"
                curl -sS -X POST "$URL/v1/imports/$ID/approval" -H "Authorization: Bearer $TOKEN"
            """,
            """
            The files in the archive say what it is. `locations`, `students`, `staff`, `courses`, `classes` and \
            `rosters` are Apple School Manager's templates; after the first import the archive needs all six. With a \
            `manifest.csv` it is OneRoster 1.1 or 1.2, and the manifest says for each file whether it is complete \
            (`bulk`), holds only changes (`delta`) or is `absent`. `orgs`, `users`, `courses`, `classes` and \
            `enrollments` without a manifest are OneRoster 1.1 as Apple School Manager takes it: complete, and \
            columns that Apple does not require may be missing. The same files with the columns of Microsoft’s School \
            Data Sync 2.1 or 2, such as `orgSourcedId` in `classes`, are that format: who teaches is a teacher, \
            others who work at the school are staff. `GET /v1/import-templates` gives each as an archive to fill in, or \
            with a small school in it.
            """,
            """
            Commas or semicolons separate values. Names of OneRoster columns may differ in capitals, and \
            `metadata.…` columns may follow. Every org becomes a location and every session a term; a class belongs \
            to the smallest term that covers all the terms it is listed for. Teachers become teachers and other \
            employees staff: no archive makes anyone an administrator. Parents, users who are not enabled, and \
            enrolments that have ended or not begun are counted as `skipped`. Demographics, results and other files \
            that Homeroom does not use are listed as ignored and never stored.
            """,
            """
            An information system that offers OneRoster over REST needs no archives: an administrator sets it as the \
            source with `PUT /v1/roster-source`, and Homeroom pulls the roster every night, or at once with \
            `POST /v1/roster-source/pull`. What it brings is an import like any other.
            """,
            """
            What is certain is put right: spaces around values, words and booleans in any case, dates in usual forms, \
            columns in any order, files in one folder, UTF-16. `tallies` counts that by file and kind, as `note`. A row \
            that cannot be used, or a reference to what is not there, is left out, and `warnings` says where and why. \
            Whom and what it is about stays as it was: nobody is removed, deactivated or unseated for a row that was \
            left out. Where nobody can tell whom a row is about, an import that would remove somebody waits for your \
            approval (`unknown_row`), and so does one in which a person seems to have a new ID (`moved_id`). \
            Rows that bring nobody, such as parents and users who are not enabled, are not judged.
            """,
            """
            Nothing changes if the archive cannot be read, a file or a column that is needed is missing, nobody is in \
            it, or more than ten rows and more than 1 % of a file would be left out; `importLeftOutPercent` of \
            `PATCH /v1/organization` sets that share. `errors` says why, with file and line. With `strict=true`, \
            everything that is not as the standard has it is an error: for those who write exports.
            """,
            """
            `errors` and `warnings` list up to 1,000 each, also people whose role you may not manage; `tallies` has \
            all of them, by kind. `GET /v1/imports/{id}/findings` has both, as CSV too. An import that would \
            remove more than a tenth of the people, classes or seats waits for your approval; a preview says so in \
            `removesMuch`, and `removals` counts what would go. Approving a preview \
            applies exactly what it showed; if the directory has changed since, you get the new plan and nothing is \
            applied. Plans, failures and archives that nobody approved are deleted after 30 days.
            """,
        ])

    static let passwords = Guide(
        id: "passwords", title: "Handing out passwords",
        parts: [
            """
            A sign-in sheet gives new temporary passwords to a class, a location or a list of people. It is CSV, or a \
            page to print and cut into slips:
            """,
            """
                curl -sS $URL/v1/sign-in-sheets -H "Authorization: Bearer $TOKEN" -H 'Accept: text/html' \\
                    --json '{"classId": "source:7a-biology"}' > sheet.html
            """,
            """
            A sheet has at most 250 people, because each password takes a seventh of a second to hash. Either everyone \
            on it gets a password or nobody does. A temporary password is valid for 14 days and must be changed at \
            the first sign-in. `POST /v1/people/{id}/temporary-password` does the same for one person.
            """,
            """
            Teachers reset the passwords of students they teach. Administrators reset anyone's. Site managers, people \
            managers and managers reset those of people whose roles they may give, and give teachers only the \
            first one. A provisioner gives only first passwords: to someone who has none and has never signed \
            in, in any way. Where people sign in with a provider, an email and a managed ID are keys as well: only an \
            administrator changes those of someone who teaches or taught, and has signed in. \
            After a change by somebody else, the pages and `GET /v1/me` say who did it and when, until the person \
            confirms it, by a button or with `DELETE /v1/me/sign-in-changes`.
            """,
            """
            Small children can sign in with a badge, a QR code on a card. An administrator says when and from which \
            networks badges work with `PUT /v1/badge-rule`, and a teacher makes them for a class:
            """,
            """
                curl -sS $URL/v1/classes/source:7a-biology/badges -H "Authorization: Bearer $TOKEN" --json '{}'
            """,
            """
            Each badge is answered once; the code on the card is the address of the pages with `/badge#` and the \
            `secret` behind it. `GET` says when each was last used, and `DELETE` voids it. A badge is only for who is \
            a student and nothing else, works only while the student is in the class, and opens no other sign-in: \
            neither the password nor apps.
            """,
            """
            Ten wrong passwords lock an account for 15 minutes, the next ten for 30, and so on up to a day. People who \
            are signed in stay signed in, and a device that the person has used before can still sign in: keep the \
            `deviceToken` that `POST /v1/sign-in` returns and send it with the next sign-in. \
            `DELETE /v1/people/{id}/sign-in-lock` lifts a lock. After many wrong passwords from one address, sign-ins \
            from there take turns, one a second.
            """,
            """
            People can also sign in with an account at Google, Microsoft or any OpenID Connect issuer. An \
            administrator connects it with `POST /v1/sign-in-providers`; \
            `POST /v1/sign-in-providers/{id}/check` says whether it fits. It signs in people who are here already. \
            The first sign-in with an account finds the person by a verified address, the later ones by the account; \
            `DELETE /v1/people/{id}/sign-in-links` forgets it.
            """,
        ])

    static let scripts = Guide(
        id: "scripts", title: "Connecting scripts",
        parts: [
            """
            Give your information system, and every other script, a service account of its own. An administrator \
            creates it with `POST /v1/service-accounts`. Its role is `provisioner`, which keeps people, classes and \
            rosters in step, `exporter`, which fetches the nightly export, `rosterReader`, which reads the roster \
            over OneRoster or Apple’s Roster API, or `directoryWriter`, with which an identity provider writes people and classes over SCIM. \
            The answer shows the secret once. The script gets access tokens for it, each valid for one hour (RFC 6749 section 4.4):
            """,
            """
                curl -sS $URL/oauth/token --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials
            """,
            """
            `POST /v1/service-accounts/{id}/secret` replaces the secret and `DELETE /v1/service-accounts/{id}` removes \
            the account; both end its tokens at once. Audit events and idempotency keys belong to the account.
            """,
        ])

    static let systems = Guide(
        id: "systems", title: "Signing in to other systems",
        parts: [
            """
            People sign in to other systems of the school, such as the library, with their managed IDs (OpenID Connect). \
            An administrator registers each one with `POST /v1/connected-systems`, or on the page *Connected systems*: \
            its name, the addresses to which codes may be sent, and what it may ask people for. The answer shows the \
            secret once. Enter three values in the other system: this server's address as the issuer, the client id and \
            the secret. It finds the rest in `/.well-known/openid-configuration`.
            """,
            """
            The other system uses the authorization code flow and sends its secret with HTTP Basic or in the form. It \
            asks for `openid`, which gives the person's id, and for what it needs of `profile` (names and managed ID), \
            `email`, `roles` (each with its location) and `classes` (each with the person's role in it). It sends a \
            code challenge (PKCE, S256) unless you turn that off with `requiresPkce`: many systems cannot, and their \
            secret protects the sign-in. ID tokens are signed with RS256, or with ES256 if you set \
            `idTokenSignedResponseAlg`. `email` comes with `email_verified`, which is true if the address is in one of \
            your domains and nobody else has it; register it only for a system that knows people by their addresses. \
            The `sub` of ID tokens is the person's id, the same in every system and in \
            `/v1/people/{id}`, so that systems that share people agree on who is who. Apps that report progress are \
            something else: they are not given names, and know a person by a pseudonym.
            """,
            """
                curl -sS $URL/oauth/userinfo -H "Authorization: Bearer $ACCESS_TOKEN"
            """,
            """
            People are asked once. As long as a system holds what a person allowed, it signs the person in without \
            asking again. It ends when the person or an administrator ends that sign-in, when the person is \
            deactivated, or when the system is removed or gets a new secret.
            """,
            """
            When a person signs out there, the other system sends the browser to `end_session_endpoint` with the last ID \
            token as `id_token_hint`, which may have expired, and is called back at one of its \
            `postLogoutRedirectUris`. If the hint belongs to the browser's sign-in, that ends at once; otherwise the \
            person is asked. Computers are shared, so register this for every system that can do it.
            """,
        ])

    static let exporting = Guide(
        id: "exporting", title: "Fetching exports",
        parts: [
            """
            An exporter orders the nightly export by call: everything, or what changed since an export it has already \
            loaded. Read the export until it has finished, then fetch each file. `Range` continues a download that \
            broke off.
            """,
            """
                curl -sS $URL/v1/exports -H "Authorization: Bearer $TOKEN" --json "{\\"sinceExportId\\": \\"$LAST\\"}"
                curl -sS "$URL/v1/exports/$ID" -H "Authorization: Bearer $TOKEN"
                curl -sS "$URL/v1/exports/$ID/files/activity_reports.csv.gz" -H "Authorization: Bearer $TOKEN" \\
                    -o activity_reports.csv.gz
            """,
            """
            `schema.json` explains every column, and `load.sql` loads the files into PostgreSQL. Files are kept for a \
            week. If someone in them is erased, they expire at once; order a new export then. Exports by call and \
            exports by command do not continue each other.
            """,
        ])

    static let records = Guide(
        id: "records", title: "Checks, audit and personal data",
        parts: [
            """
            `GET /v1/checks` lists what needs attention: classes without a teacher, people who cannot sign in, seats \
            that overlap, and more, each with what to do about it. Add `?classId=` to ask whether one class is ready. \
            The operator's `homeroom doctor` also checks the chain of audit events, and that reports show what apps \
            reported.
            """,
            """
            `GET /v1/audit-events` says who did what, when and from where. Every event names the sign-in and token \
            behind it: `?sessionId=` and `?tokenId=` list everything that one of them did. Send \
            `Accept: text/csv` to get all events that match as one file.
            """,
            """
            `POST /v1/people/{id}/data-export` returns everything about one person as a zip archive, and \
            `POST /v1/people/{id}/erasure` erases the person and returns a receipt. If you load the nightly export \
            elsewhere, delete there what its `deletions` list.
            """,
        ])

    static let retention = Guide(
        id: "retention", title: "Keeping data only as long as you need it",
        parts: [
            """
            Everything is kept until an administrator decides otherwise. `PUT /v1/retention` says how long to keep \
            activities, handouts of closed terms, audit events and folders of the nightly export:
            """,
            """
                curl -sS -X PUT $URL/v1/retention -H "Authorization: Bearer $TOKEN" \\
                    --json '{"rules": [{"kind": "activities", "years": 3}]}'
            """,
            """
            Nothing is removed for 30 days after a rule is set or shortened; `going` says how much will be within the next \
            30 days. After that, the server removes what is older, every night. Reports then carry the note \
            `progress_removed`, and exports list what receivers must remove.
            """,
            """
            A hold (`POST /v1/retention/holds`) keeps a person's or a class's data, whatever the rules say. While it \
            stands, the person cannot be erased and the organization cannot be deleted.
            """,
        ])
}
