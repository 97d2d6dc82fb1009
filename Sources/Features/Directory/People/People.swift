import API
import Postgres
import School
import Values

extension Directory {
    static let email = Column<String?>("email", .text(3...320))
    /// Editing one of these by hand turns an imported person into a manual one. The next archive that leaves the
    /// person out does not deactivate a manual person, as in Apple School Manager.
    private static let imported: [any AnyColumn] = [
        Column<String>("given_name", .line()), Column<String>("family_name", .line()),
        Column<String?>.sourceID, Column<String?>("middle_name", .line()),
        Column<String?>("person_number", .line()), email, Column<String?>("grade", .line(64)),
    ]

    private static let nameOrder = Column<String?>(
        "name_order", .nameOrder,
        "Which name comes first in the full name; absent or null: as the organization has it."
    ).inheriting("(select school.my_name_order())")

    /// Students, teachers and everyone else with a managed ID.
    static let people = Resource<PersonEntity>(
        .init("person", "people", at: "/v1/people"),
        columns: imported + [
            Column<String?>(
                "password_policy", .word(["4", "6", "8"]),
                "How many digits; 8 is the standard password."),
            nameOrder,
        ],
        extras: [
            .required("roles", .array(newRole, count: 1...500)),
            .optional(
                "managedId", .text(3...128),
                "In one of the organization's domains; made by the organization's format when absent."
            ),
        ],
        computed: [
            Computed("managed_id") { .required($0, .text(3...128)) },
            Computed(
                "case when \(fragment: isLocked) then 'locked' else person.status end as status",
                .required("status", .word(PersonStatus.words))),
            heldRoles,
            Computed(
                "person.is_progress_paused as progress_paused",
                .required("progressPaused", .boolean, "Student progress is off for this person.")),
            Computed(
                "\(fragment: lastSignIn) as last_sign_in_at",
                .nullable(
                    "lastSignInAt", .timestamp,
                    "When the person last signed in, with the password or with a sign-in provider, for those who "
                        + "manage people; in lists only with `order=lastSignIn`."),
                isAloneOnly: true),
        ],
        // A lock begins and ends, a person signs in and the organization changes its order of names without a change to
        // the row, but they change the answer.
        version: """
            (person.version + coalesce(extract(epoch from \(fragment: lastSignIn)) * 1000, 0)::bigint) * 4
                + \(fragment: isLocked)::integer
                + (coalesce(person.name_order, (select school.my_name_order())) = 'familyFirst')::integer * 2
            """,
        locked: [
            "person.status", "person.managed_id", "\(fragment: isLocked) as is_locked",
        ],
        reaches: [
            Reach(
                of: [.teacher], among: "school.my_taught_person_ids() || school.my_person()")
        ],
        rules: Rules {
            $0.validate = checkAddresses
            $0.check = { draft, session, caller in
                try await checkRoles(of: &draft, session, caller)
                try await checkSignIn(of: &draft, session)
                try await setManagedID(of: &draft, session, caller)
                if caller.standing != .provisioner, draft.present != nil,
                    try draft.differs(in: imported)
                {
                    draft.set("origin", to: "manual")
                }
            }
            $0.complete = { draft, session, caller in
                try await completeManagedID(of: draft, session, caller)
                try await replaceRoles(of: draft, session, caller)
            }
            $0.batch.check = checkPeople
            $0.batch.put = { rows, caller in
                .putPeople(rows, isByHand: caller.standing != .provisioner)
            }
            $0.batch.refusals = refusals
        }, without: [.list, .remove])

    var personEndpoints: [Endpoint] {
        let forbidden = (
            403,
            "The person has, or would get, a role you may not give, or could be signed in for with the new email or "
                + "managed ID."
        )
        let conflict =
            "Someone else has this sourceId or managed ID, or the organization would have no administrator."
        return [listEndpoint]
            + Self.people.endpoints(
                database, readers: Self.readersAndTeachers, writers: Self.peopleWriters,
                ResourceTexts(
                    descriptions: [
                        .create:
                            "The person has no password yet. Give a temporary one, or make a sign-in sheet.",
                        .replace:
                            "Fields that the body leaves out go back to their defaults, except `managedId`, which stays. "
                            + "A new `source:ID` creates the record; an unknown id is 404.",
                        .batch:
                            "Fields that an item leaves out go back to their defaults, except `managedId`, which stays. "
                            + "Repeating a batch changes nothing.",
                    ],
                    creating: [
                        (403, "You may not give one of the roles."),
                        (409, "Someone else has this sourceId or managed ID."),
                    ],
                    changing: [forbidden, (409, conflict)],
                    batch: [(409, "The organization has no domain for managed IDs yet.")]))
    }

    private static func checkAddresses(of person: Draft<PersonEntity>) throws {
        if let managedID = person.body.text("managedId"), !EmailAddress.isValid(managedID) {
            throw Problem.invalid(
                "/managedId", "malformed", "This should look like name@school.example.")
        }
        if let address = person[email], !EmailAddress.isValid(address) {
            throw Problem.invalid("/email", "malformed", "This is not a valid email address.")
        }
    }
}

// MARK: Answers

extension Directory {
    /// Whether too many wrong tries lock the person out now. A deactivated person is only that.
    static let isLocked: Statement = """
        (person.deactivated_at is null
         and person.person_id = any ((select school.locked_person_ids())::uuid[]))
        """

    private static let lastSignIn: Statement = "school.last_sign_in_at(person.person_id)"

    private static let roles = Shape.word(Standing.rolesOfPeople.map(\.rawValue))
    private static let newRole = Shape.fields(
        "NewRole", [.required("role", roles), .required("locationId", .reference)])

    private static let heldRoles = Computed(
        """
        (select coalesce(json_agg(json_build_object('role', r.role, 'locationId', r.location_id)
                                  order by r.role, r.location_id), '[]')
           from school.person_role as r
          where r.organization_id = person.organization_id and r.person_id = person.person_id) as roles
        """,
        .required(
            "roles",
            .array(
                .fields("Role", [.required("role", roles), .required("locationId", .uuid)]),
                count: 0...10_000)))
}
