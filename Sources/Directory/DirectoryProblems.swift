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
        ]
    }
}

extension Problem {
    static let sourceIDTaken = Problem(
        409, "source_id_taken", "Another one has this sourceId.",
        detail: "PUT …/source:ID replaces the one that has it.",
        errors: [
            Invalid(
                pointer: "/sourceId", code: "source_id_taken",
                detail: "Another one has this sourceId.")
        ])

    static let managedIDTaken = Problem(
        409, "managed_id_taken", "Somebody has this managed ID.",
        errors: [
            Invalid(
                pointer: "/managedId", code: "managed_id_taken",
                detail: "Somebody has this managed ID.")
        ])

    static let foreignDomain = Problem.invalid(
        "/managedId", "foreign_domain", "This domain is not one of the organization's.")

    static let domainTaken = Problem(
        409, "domain_taken", "Another organization has one of these domains.",
        errors: [
            Invalid(
                pointer: "/domains", code: "domain_taken",
                detail: "Another organization has one of these domains.")
        ])

    static let domainInUse = Problem(
        409, "domain_in_use",
        "There are people with managed IDs in a domain that would be removed.",
        errors: [
            Invalid(
                pointer: "/domains", code: "domain_in_use",
                detail: "There are people with managed IDs in a domain that would be removed.")
        ])

    static let noDomain = Problem(
        409, "no_domain", "The organization has no domain to make managed IDs in.",
        detail: "An administrator adds one by PATCH /v1/organization.")

    static let classArchived = Problem(
        409, "class_archived", "The class is archived: nobody joins or leaves it.")

    static let classImported = Problem.forbidden(
        "An import brought this class; it is changed by the roles administrator, siteManager and "
            + "peopleManager, and by provisioners.")

    static let foreignPageToken = Problem.invalidParameter(
        "pageToken", "This token was not made by this list.")

    static let sourceIDContradictsPath = Problem.invalid(
        "/sourceId", "contradicts_path", "The path names another sourceId.")

    static func unknownTimeZone(_ pointer: String) -> Problem {
        .invalid(pointer, "unknown_time_zone", "This is no IANA time zone, such as Europe/Zurich.")
    }

    static func mayNotManage(_ role: String, as standing: Standing) -> Problem {
        .forbidden("The role \(role) is not for \(standing.rawValue) to give, take or change.")
    }
}
