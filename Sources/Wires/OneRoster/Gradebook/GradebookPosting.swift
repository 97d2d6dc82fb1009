import API
import JSONBytes
import Postgres
import Values

/// A call of version 1.2 that creates several objects, whose sourcedIds the server chooses.
struct GradebookPosting: Sendable {
    /// Below the path of the gradebook.
    let path: String
    let kind: GradebookKind
    /// What is created, for the summary of the call.
    let meaning: String
    /// Whether there are the objects that the path names.
    let parents: @Sendable ([String]) -> Statement
    /// The member of each object that the first parameter of the path decides.
    let decided: String

    /// The names of the parameters of the path.
    var parameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            String($0.dropFirst().dropLast())
        }
    }

    static let all = [
        GradebookPosting(
            path: "classes/{classSourcedId}/lineItems", kind: .lineItem,
            meaning: "line items of a class", parents: { NestedCollection.isClass($0[0]) },
            decided: "class"),
        GradebookPosting(
            path: "schools/{schoolSourcedId}/lineItems", kind: .lineItem,
            meaning: "line items of classes of a school",
            parents: { NestedCollection.isSchool($0[0]) }, decided: "school"),
        GradebookPosting(
            path: "lineItems/{lineItemSourcedId}/results", kind: .result,
            meaning: "results of a line item",
            parents: {
                """
                exists (select from school.oneroster_line_items() as i
                         where i.sourced_id = \($0[0]) and i.is_active)
                """
            }, decided: "lineItem"),
        GradebookPosting(
            path: "classes/{classSourcedId}/academicSessions/{academicSessionSourcedId}/results",
            kind: .result, meaning: "results of a class in an academic session",
            parents: {
                """
                \(fragment: NestedCollection.isClass($0[0])) and exists (
                    select from school.oneroster_sessions() as s where s.sourced_id = \($0[1]))
                """
            }, decided: "class"),
    ]

    /// The object with what the path decides.
    func completed(_ object: JSONObject, _ ids: [String]) -> JSONObject {
        JSONObject(
            object.members.filter { $0.key != decided }.map { ($0.key, $0.value) }
                + [(decided, JSONValue.object(JSONObject([("sourcedId", .text(ids[0]))])))])
    }

    // MARK: Answers

    static let pairs = Shape.fields(
        "OneRosterSourcedIds",
        [
            .required(
                "sourcedIdPairs",
                .array(
                    .fields(
                        "OneRosterSourcedIdPair",
                        [
                            .required("suppliedSourcedId", .text(0...255)),
                            .required("allocatedSourcedId", .uuid),
                        ]), count: 1...1000))
        ])

    /// What the client called each object, and what it is called now.
    static func pairs(_ objects: [JSONObject], _ ids: [UUID]) -> JSONValue {
        let pairs = zip(objects, ids).map { object, id -> JSONValue in
            [
                "suppliedSourcedId": .text(object["sourcedId"]?.text ?? ""),
                "allocatedSourcedId": .text(id.description),
            ]
        }
        return ["sourcedIdPairs": .array(pairs)]
    }
}
