extension Schema {
    static let all = ResourceType.allCases.flatMap { [$0.core] + $0.extensions }

    /// Of RFC 7643 section 4.1, what the directory has a word for.
    static let user = Schema(
        id: "urn:ietf:params:scim:schemas:core:2.0:User", name: "User",
        meaning: "A person with a managed ID.",
        attributes: [
            Attribute(
                "userName",
                "The managed ID. Without a domain, it is one of the organization’s first domain."
            ).with {
                $0.isRequired = true
                $0.uniqueness = "server"
            },
            Attribute(
                "name",
                .complex([
                    Attribute("familyName", "The family name.").with { $0.isRequired = true },
                    Attribute("givenName", "The given name.").with { $0.isRequired = true },
                    Attribute("middleName", "The middle name."),
                ]), "The name of the person."
            ).with { $0.isRequired = true },
            Attribute("displayName", "The full name; made from the name.").with {
                $0.mutability = .readOnly
            },
            Attribute("active", .boolean, "Whether the person may sign in."),
            Attribute(
                "emails",
                .complex([
                    Attribute("value", "The address."),
                    Attribute("type", "There is one address, of work.").with {
                        $0.words = .listed(["work"])
                    },
                    Attribute("primary", .boolean, "").with { $0.isListed = false },
                ]), "The email address; of several, the primary one or the last of work is kept."
            ).with { $0.isMany = true },
            Attribute(
                "roles",
                .complex([
                    Attribute("value", "The role.").with {
                        $0.words = .listed(["staff", "student", "teacher"])
                    },
                    Attribute("primary", .boolean, "").with { $0.isListed = false },
                ]),
                "What the person is. Roles of administrators are shown, and only people give them."
            ).with { $0.isMany = true },
        ])

    /// Of RFC 7643 section 4.3, what the directory has a word for.
    static let enterpriseUser = Schema(
        id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User", name: "Enterprise User",
        meaning: "The number of a person, and where the person is.",
        attributes: [
            Attribute("employeeNumber", "The number of the person at the school.").with {
                $0.isExact = true
            },
            Attribute(
                "organization",
                "The location where the person holds roles: its name, or its id in the school’s "
                    + "information system. Of several, the first by name."
            ).with { $0.words = .locations },
        ])

    /// What schools know of people beyond the standard.
    static let schoolUser = Schema(
        id: "urn:homeroom:scim:schemas:extension:school:2.0:User", name: "School User",
        meaning: "What schools know of people.",
        attributes: [Attribute("grade", "The grade.").with { $0.isExact = true }])

    /// RFC 7643 section 4.2.
    static let group = Schema(
        id: "urn:ietf:params:scim:schemas:core:2.0:Group", name: "Group",
        meaning: "A class, or a location of the organization.",
        attributes: [
            Attribute("displayName", "The name.").with { $0.isRequired = true },
            Attribute(
                "members", .complex(memberParts),
                "Who is in the class or holds a role at the location. In a class, people with the "
                    + "role student learn; others, and teachers, teach."
            ).with { $0.isMany = true },
        ])

    private static let memberParts: [Attribute] = [
        Attribute("value", "The id of the user.").with {
            $0.mutability = .immutable
            $0.isExact = true
        },
        Attribute("$ref", .reference(["User"]), "The address of the user.").with {
            $0.mutability = .immutable
        },
        Attribute("type", "Members are users.").with {
            $0.mutability = .immutable
            $0.words = .listed(["User"])
        },
        Attribute("display", "The full name.").with { $0.mutability = .readOnly },
    ]

    /// What a group is at a school.
    static let schoolGroup = Schema(
        id: "urn:homeroom:scim:schemas:extension:school:2.0:Group", name: "School Group",
        meaning: "What a group is at a school.",
        attributes: [
            Attribute("kind", "A group that you create is a class.").with {
                $0.mutability = .readOnly
                $0.words = .listed(["class", "location"])
            },
            Attribute(
                "location",
                "The location of the class: its name, or its id in the school’s information system."
            ).with { $0.words = .locations },
            Attribute(
                "teachers", .complex(memberParts), "Those of the members who teach the class."
            ).with {
                $0.isMany = true
                $0.mutability = .readOnly
            },
        ])
}
