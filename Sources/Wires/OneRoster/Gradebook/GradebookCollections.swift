import Postgres
import Values

extension RosterCollection {
    /// Every collection of the gradebook of an edition, in alphabetical order.
    static func gradebook(in edition: Edition) -> [RosterCollection] {
        switch edition {
        case .v1p1: [categories(in: edition), lineItems(in: edition), results(in: edition)]
        case .v1p2:
            [categories(in: edition), lineItems(in: edition), results(in: edition), scoreScales]
        }
    }

    private static func categories(in edition: Edition) -> RosterCollection {
        let weight = RosterField(name: "weight", value: .number(RosterColumn("weight")))
        return RosterCollection(
            name: "categories", keys: ("category", "categories"), object: "Category",
            source: "school.oneroster_categories()",
            fields: RosterField.ofEveryObject + [.text("title", "title")]
                + (edition == .v1p2 ? [weight] : []) + [.metadata],
            part: .gradebook)
    }

    private static func lineItems(in edition: Edition) -> RosterCollection {
        let fields: [RosterField] = [
            .text("title", "title"), .text("description", "description"),
            RosterField(name: "assignDate", value: .timestamp(RosterColumn("assigned_at"))),
            RosterField(name: "dueDate", value: .timestamp(RosterColumn("due_at"))),
            .reference("class", "class", .class), .reference("category", "category", .category),
            RosterField(name: "resultValueMin", value: .number(RosterColumn("value_min"))),
            RosterField(name: "resultValueMax", value: .number(RosterColumn("value_max"))),
        ]
        let further: [RosterField] =
            switch edition {
            case .v1p1: [.reference("gradingPeriod", "session", .session)]
            case .v1p2:
                [
                    .reference("school", "school", .org),
                    .reference("academicSession", "session", .session),
                    .reference("scoreScale", "scale", .scale), .objectives,
                ]
            }
        return RosterCollection(
            name: "lineItems", keys: ("lineItem", "lineItems"), object: "LineItem",
            source: "school.oneroster_line_items()",
            fields: RosterField.ofEveryObject + fields + further + [.metadata], part: .gradebook)
    }

    private static func results(in edition: Edition) -> RosterCollection {
        let fields: [RosterField] = [
            .reference("lineItem", "line_item", .lineItem),
            .reference("student", "student", .user), .text("scoreStatus", "score_status"),
            RosterField(name: "score", value: .number(RosterColumn("score"))),
            RosterField(name: "scoreDate", value: .day(RosterColumn("scored_on"))),
            .text("comment", "comment"),
        ]
        let further: [RosterField] =
            switch edition {
            case .v1p1: []
            case .v1p2:
                [
                    .text("textScore", "text_score"), .reference("class", "class", .class),
                    .reference("scoreScale", "scale", .scale),
                    .text("inProgress", "is_in_progress"), .text("incomplete", "is_incomplete"),
                    .text("late", "is_late"), .text("missing", "is_missing"), .objectives,
                ]
            }
        return RosterCollection(
            name: "results", keys: ("result", "results"), object: "Result",
            source: "school.oneroster_results()",
            fields: RosterField.ofEveryObject + fields + further + [.metadata], part: .gradebook,
            named: { sourcedID in
                let parts = sourcedID.split(separator: "_").map(String.init)
                guard parts.count == 2, let task = UUID(parts[0]), let person = UUID(parts[1])
                else { return bySourceOrID(sourcedID) }
                return
                    "(x.source_id = \(sourcedID) or x.task_id = \(task) and x.person_id = \(person))"
            }, isOfStudentsWork: true,
            keyed: PagesByKey(
                "school.oneroster_result_page", count: "school.oneroster_result_count()",
                of: "school.oneroster_results()",
                where: [
                    "x.id = k.id", "x.task_id = k.task_id and x.person_id = k.person_id",
                ]))
    }

    private static let scoreScales = RosterCollection(
        name: "scoreScales", keys: ("scoreScale", "scoreScales"), object: "ScoreScale",
        source: "school.oneroster_score_scales()",
        fields: RosterField.ofEveryObject + [
            .text("title", "title"), .text("type", "kind"), .reference("class", "class", .class),
            .reference("course", "course", .course),
            RosterField(
                name: "scoreScaleValue",
                value: .document(RosterColumn("entries", "x.entries::text"), isList: true)),
            .metadata,
        ], part: .gradebook)
}

extension RosterField {
    fileprivate static let metadata = RosterField(
        name: "metadata",
        value: .document(RosterColumn("metadata", "(x.more -> 'metadata')::text"), isList: false))

    fileprivate static let objectives = RosterField(
        name: "learningObjectiveSet",
        value: .document(
            RosterColumn("objectives", "(x.more -> 'learningObjectiveSet')::text"), isList: true))
}

extension NestedCollection {
    /// What is read of the gradebook by way of other objects.
    static let gradebook: [NestedCollection] = [
        NestedCollection(
            "classes/{classSourcedId}/categories", "categories", "categories of a class",
            parents: { isClass($0[0]) }
        ) { _ in "true" },
        NestedCollection(
            "classes/{classSourcedId}/lineItems", "lineItems", "line items of a class",
            parents: { isClass($0[0]) }
        ) { "x.class = \($0[0])" },
        NestedCollection(
            "classes/{classSourcedId}/results", "results", "results of a class",
            parents: { isClass($0[0]) }
        ) { "x.class = \($0[0])" },
        NestedCollection(
            "classes/{classSourcedId}/lineItems/{lineItemSourcedId}/results", "results",
            "results of a line item of a class",
            parents: { "\(fragment: isClass($0[0])) and \(fragment: isLineItem($0[1], of: $0[0]))" }
        ) { "x.class = \($0[0]) and x.line_item = \($0[1])" },
        NestedCollection(
            "classes/{classSourcedId}/students/{studentSourcedId}/results", "results",
            "results of a student of a class",
            parents: { "\(fragment: isClass($0[0])) and \(fragment: isStudent($0[1], of: $0[0]))" }
        ) { "x.class = \($0[0]) and x.student = \($0[1])" },
        NestedCollection(
            "classes/{classSourcedId}/scoreScales", "scoreScales", "score scales of a class",
            parents: { isClass($0[0]) }
        ) { "x.class = \($0[0])" },
        NestedCollection(
            "schools/{schoolSourcedId}/scoreScales", "scoreScales", "score scales of a school",
            parents: { isSchool($0[0]) }
        ) { "x.school = \($0[0])" },
    ]

    /// Whether it is a class whose gradebook the caller may use.
    static func isClass(_ sourcedID: String) -> Statement {
        "(school.gradebook_class(\(sourcedID)) is not null)"
    }

    static func isSchool(_ sourcedID: String) -> Statement {
        """
        exists (select from school.location as l
                 where l.organization_id = school.my_organization()
                   and school.oneroster_id(l.source_id, l.location_id) = \(sourcedID))
        """
    }

    private static func isLineItem(_ sourcedID: String, of group: String) -> Statement {
        """
        exists (select from school.oneroster_line_items() as i
                 where i.sourced_id = \(sourcedID) and i.class = \(group) and i.is_active)
        """
    }

    private static func isStudent(_ sourcedID: String, of group: String) -> Statement {
        """
        exists (select from school.oneroster_enrollments() as e
                 where e.person = \(sourcedID) and e.class = \(group) and e.role = 'student')
        """
    }
}
