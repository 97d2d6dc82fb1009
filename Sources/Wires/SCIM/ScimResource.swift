import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import Values

/// A user or a group as the standard writes it.
struct ScimResource: Sendable {
    let type: ResourceType
    let id: UUID
    /// With its attributes, all that were read.
    let object: JSONObject
    /// A weak entity tag, also `meta.version`.
    let tag: String

    /// - Parameter root: the URL that addresses begin with.
    init(_ row: Row, of type: ResourceType, root: String) throws {
        self.type = type
        id = try row.uuid("id")
        tag = "W/\"\(try row.text("version"))\""
        var object = JSONObject()
        object["schemas"] = .array(
            ([type.core] + type.extensions).map { .text($0.id) })
        object["id"] = .text(id.description)
        object["externalId"] = try row.optionalText("external_id").map(JSONValue.text)
        switch type {
        case .user: try Self.fill(&object, ofUser: row)
        case .group: try Self.fill(&object, ofGroup: row, root: root)
        }
        object["meta"] = [
            "resourceType": .text(type.rawValue),
            "created": .text(try row.timestamp("created_at").description),
            "lastModified": .text(try row.timestamp("updated_at").description),
            "location": .text("\(root)/\(type.segment)/\(id)"), "version": .text(tag),
        ]
        self.object = object
    }

    private static func fill(_ object: inout JSONObject, ofUser row: Row) throws {
        object["userName"] = .text(try row.text("user_name"))
        var name = JSONObject()
        name["familyName"] = .text(try row.text("family_name"))
        name["givenName"] = .text(try row.text("given_name"))
        name["middleName"] = try row.optionalText("middle_name").map(JSONValue.text)
        object["name"] = .object(name)
        object["displayName"] = .text(try row.text("display_name"))
        object["active"] = .bool(try row.bool("is_active"))
        if let email = try row.optionalText("email") {
            object["emails"] = [["value": .text(email), "type": "work"]]
        }
        let roles = try row.textArray("roles")
        if !roles.isEmpty { object["roles"] = .array(roles.map { ["value": .text($0)] }) }
        var enterprise = JSONObject()
        enterprise["employeeNumber"] = try row.optionalText("person_number").map(JSONValue.text)
        enterprise["organization"] = try row.optionalText("location").map(JSONValue.text)
        if !enterprise.isEmpty { object[Schema.enterpriseUser.id] = .object(enterprise) }
        if let grade = try row.optionalText("grade") {
            object[Schema.schoolUser.id] = ["grade": .text(grade)]
        }
    }

    private static func fill(
        _ object: inout JSONObject, ofGroup row: Row, root: String
    ) throws {
        object["displayName"] = .text(try row.text("name"))
        var school = JSONObject([
            ("kind", .text(try row.text("kind"))), ("location", .text(try row.text("location"))),
        ])
        if let members = try row.optionalText("members") {
            let all = try JSONValue(parsing: members).array ?? []
            object["members"] = Self.list(all, root: root)
            school["teachers"] = Self.list(all.filter { $0[2] == true }, root: root)
        }
        object[Schema.schoolGroup.id] = .object(school)
    }

    /// Members as a list; `nil` if there are none.
    private static func list(_ members: [JSONValue], root: String) -> JSONValue? {
        guard !members.isEmpty else { return nil }
        return .array(
            members.map { member in
                let id = member[0]?.text ?? ""
                return [
                    "value": .text(id), "$ref": .text("\(root)/Users/\(id)"), "type": "User",
                    "display": member[1] ?? "",
                ]
            })
    }

    var location: String { object["meta"]?["location"]?.text ?? "" }

    /// Answers 412 unless the client knows the current version. Tags are compared weakly: the standard’s are weak.
    func check(_ tags: EntityTags?) throws(Refusal) {
        guard let tags, !tags.matchWeakly(tag) else { return }
        throw .changed
    }

    func response(_ projection: Projection, status: Int = 200) -> Response {
        var response = Response.scim(.object(projection.applied(to: object)), status: status)
        response.headers.append(ResponseField("ETag", tag))
        if status == 201 { response.headers.append(ResponseField("Location", location)) }
        return response
    }
}
