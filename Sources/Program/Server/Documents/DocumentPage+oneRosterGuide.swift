/// The guide for systems that read the roster.
extension DocumentPage {
    static let oneRoster = Guide(
        id: "oneroster", title: "Connecting a OneRoster consumer",
        parts: [
            """
            Other systems of the school read the roster with OneRoster 1.2 or 1.1. Create a service account with the role \
            `rosterReader` for each of them: it reads people, classes and rosters, and uses the gradebook only of classes \
            that you grant it. Enter four values in the other system: the client id, the secret, `/oauth/token` as the \
            address for tokens, and `/ims/oneroster/rostering/v1p2` (or `/ims/oneroster/v1p1`) as the base of its calls. \
            It may name scopes of the standard. A token without any reads all of the roster, and the gradebooks that you \
            granted.
            """,
            """
                curl -sS $URL/oauth/token --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\
                    -d scope=https://purl.imsglobal.org/spec/or/v1p2/scope/roster.readonly
                curl -sS $URL/ims/oneroster/rostering/v1p2/orgs -H "Authorization: Bearer $TOKEN"
                curl -sS -G $URL/ims/oneroster/rostering/v1p2/teachers -H "Authorization: Bearer $TOKEN" \\
                    --data-urlencode "filter=familyName='Meyer' AND status='active'" -d limit=10000 -d fields=sourcedId,email
            """,
            """
            The organization is the `district`, and each location a `school`. A `sourcedId` is the id in your information \
            system, or ours where there is none. The standard requires a course and a term of every class: one without a \
            course gets one of its own, and one without a term the year `homeroom-year`. People without an email address \
            are shown with their managed ID. `terms` are all academic sessions except grading periods. Demographics are \
            empty: Homeroom keeps none.
            """,
            """
            Collections show what is in the roster now. Filter by `dateLastModified` to learn what changed since your last \
            visit: then deactivated people, archived classes, closed terms and ended enrollments are listed, too, with the \
            status `tobedeleted`. What is deleted or erased for good, or has another `sourcedId` since, is listed in that way for \
            90 days, with what the standard requires of it: an enrollment still says of whom and of which class, and a \
            class of which course. A person is called `-` and keeps only the roles, so that `/students` lists students who \
            left. Of a person who was erased, the `sourcedId` is Homeroom’s id: erase people in \
            connected systems while they are deactivated here, and compare whole collections now and then. A field \
            of the standard that Homeroom does not fill in is never there, and naming it is no mistake. One that the \
            standard does not have is an error in `filter`; in `fields` it selects all of them, with a `Warning`, and in \
            `sort` it is ignored. \
            `AND` binds closer than `OR`.
            """,
            """
            Ask from the time at which you began your last visit. `dateLastModified` is when a change began, and others see \
            the change of a long import only when the import ends. So `>` and `>=` go back to the beginning of everything that \
            ended after the time you give, and always by a minute: they may list what you have already, and miss nothing. An \
            object also changes when one of its references does, such as the `children` of a district or the roles of a user.
            """,
            """
            Each page begins behind the last object of the page before, whatever comes and goes meanwhile: what stays is on \
            one page, and on one alone. Follow `Link`, or count with `offset`. If you count, ask for one page after the other, \
            each within an hour; where your page ended is remembered for your token, the path, `filter`, `sort` and `orderBy`, \
            so read such a collection once at a time with one token. An object that another `sourcedId` or another value of \
            `sort` moves while you read may be missed, or come twice. Read until a page is not full, or until you have \
            `X-Total-Count` objects, as the page says that you read last.
            """,
            """
            Every answer has a `Roster-Revision`. If it is another one than that of your first page, something changed \
            meanwhile, and pages may contradict each other: filter once by `dateLastModified`, from the time at which you \
            began, and apply what it lists. \
            `X-Count` says how many objects a page has, `X-Total-Count` how many there are in all, and `X-Perm-Rev` repeats the \
            revision for consumers made for ClassLink. \
            `If-Match: "REVISION"` gives 412 instead of a page of another revision. With `If-None-Match` the answer is 304 \
            while nothing has changed.
            """,
            """
            A system that grades writes to the gradebook, below `/ims/oneroster/gradebook/v1p2` (or \
            `/ims/oneroster/v1p1`): categories, line items, results and score scales. To write, it needs two things. Its \
            token asks for scopes of the gradebook by name, such as `gradebook.createput`. And an administrator \
            grants it the gradebook of a class, of a location or of the organization, on the page of its service account or \
            by a call, which names all grants that it has from then on:
            """,
            """
                curl -sS -X PUT $URL/v1/service-accounts/$CLIENT_ID/gradebook-grants -H "Authorization: Bearer $TOKEN" \\
                    --json '{"items": [{"classId": "source:bio-7b", "readsResults": false}]}'
            """,
            """
            What it writes becomes grades that the teachers of the class and the student read with `/v1/grades` and \
            `/v1/graded-items`. Each system has its own names for what it writes, and sees nothing of other systems. References \
            need only a `sourcedId`. `PUT` answers 201 when it creates and when it replaces. A score is stored as given, \
            even beyond the highest one. What is removed is listed with the status `tobedeleted` for those who filter by \
            `status` or `dateLastModified`. A line item without a category is in `default-category`, which every class has.
            """,
            """
            With `readsResults`, a system also reads what came of the handouts of those classes, and the grades of other \
            systems: each task is a line item out of 100 points in the term of its class, and the latest attempt of each \
            student a result. It cannot change them (403); its own line items may name the categories and score scales that \
            it lists. Without it, nothing shows that there is a handout. Teachers see \
            which systems use the gradebook of their class with `/v1/classes/{id}/gradebook-systems`. Line items and \
            results of handouts are not listed as `tobedeleted`: when a teacher removes a handout or a task, they are only \
            missing. Compare whole collections of these.
            """,
        ])
}
