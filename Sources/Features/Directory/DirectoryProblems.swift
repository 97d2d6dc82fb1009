import API
import School

extension Directory {
    package var constraints: [String: Problem] {
        [
            "location_source_id_is_unique": .sourceIDTaken,
            "person_source_id_is_unique": .sourceIDTaken,
            "course_source_id_is_unique": .sourceIDTaken,
            "class_source_id_is_unique": .sourceIDTaken,
            "term_source_id_is_unique": .sourceIDTaken,
            "term_does_not_overlap_its_siblings": .termsOverlap,
            "class_has_room": .classFull,
            "domain_directory_pkey": .domainTaken,
            "managed_id_directory_domain": .domainInUse,
            "organization_has_a_domain": .noDomain,
            "organization_has_an_administrator": .lastAdministrator,
            "organization_without_passwords_has_a_provider": .noProvider,
        ]
    }
}

extension Problem {
    static let sourceIDTaken = Problem(
        409, "source_id_taken", "Another record has this sourceId.",
        detail: "To change that record, use PUT …/source:ID.",
        errors: [
            Invalid(
                pointer: "/sourceId", code: "source_id_taken",
                detail: "Another record has this sourceId.")
        ])

    static let managedIDTaken = Problem(
        409, "managed_id_taken", "Someone else has this managed ID.",
        errors: [
            Invalid(
                pointer: "/managedId", code: "managed_id_taken",
                detail: "Someone else has this managed ID.")
        ])

    /// An email or a managed ID with which the caller could become its person (`ways_in` in SQL).
    static func guardedSignIn(_ pointer: String) -> Problem {
        Problem(
            403, "guarded_sign_in",
            "Only an administrator changes the email or managed ID of someone who teaches or taught and has signed in.",
            errors: [
                Invalid(
                    pointer: pointer, code: "guarded_sign_in",
                    detail: "With it one could sign in as this person.")
            ])
    }

    static let foreignDomain = Problem.invalid(
        "/managedId", "foreign_domain", "This domain is not one of your organization's.")

    static let domainTaken = Problem(
        409, "domain_taken", "Another organization has one of these domains.",
        errors: [
            Invalid(
                pointer: "/domains", code: "domain_taken",
                detail: "Another organization has one of these domains.")
        ])

    static let noProvider = Problem.invalid(
        "/withoutPasswords", "no_sign_in_provider",
        "Connect a sign-in provider first: nobody but administrators could sign in.")

    static let domainInUse = Problem(
        409, "domain_in_use",
        "People still have managed IDs in a domain you want to remove.",
        errors: [
            Invalid(
                pointer: "/domains", code: "domain_in_use",
                detail: "People still have managed IDs in a domain you want to remove.")
        ])

    static let noDomain = Problem(
        409, "no_domain", "The organization has no domain for managed IDs yet.",
        detail: "An administrator can add one with PATCH /v1/organization.")

    static let classArchived = Problem(
        409, "class_archived", "The class is archived, so nobody can join or leave it.")

    static let classImported = Problem.forbidden(
        "This class was imported. Only administrator, siteManager, peopleManager and provisioner can change it."
    )

    static func unknownTimeZone(_ pointer: String) -> Problem {
        .invalid(
            pointer, "unknown_time_zone", "This is not an IANA time zone such as Europe/Zurich.")
    }

    static func mayNotManage(_ role: String, as standing: Standing) -> Problem {
        .forbidden("As \(standing.rawValue) you may not give, take or change the role \(role).")
    }
}
