import JSONBytes
import Postgres
import School
import Values

/// What an ID token says to a tool (LTI 1.3 Core section 5, Deep Linking 2.0 section 4.4).
///
/// It names the person by a pseudonym of this tool alone; names and addresses are there only if the school shares them
/// with the tool.
struct LaunchMessage: Sendable {
    /// How long a message is valid, in seconds: the browser takes it to the tool at once.
    private static let life: Int64 = 300
    /// How far back it is dated, in seconds: the clocks of tools are a little behind, and many allow for nothing.
    private static let headStart: Int64 = 5

    private(set) var claims: JSONObject
    private let role: String

    /// - Parameters:
    ///   - taken: the row of `take_tool_launch`.
    ///   - language: of the person's browser; `nil` if it does not say.
    init(
        _ asked: AskedMessage, _ taken: Row, issuer: String, _ caller: Caller, language: String?,
        now: Timestamp
    ) throws {
        role = ToolRole(of: caller.standing).uri
        let seconds = now.milliseconds / 1000
        claims = JSONObject([
            ("iss", .text(issuer)), ("aud", .text(asked.toolID.description)),
            ("sub", .text(try taken.text("subject"))), ("nonce", .text(asked.nonce)),
            ("iat", JSONValue(integerLiteral: seconds - Self.headStart)),
            ("exp", JSONValue(integerLiteral: seconds + Self.life)),
            (Self.lti("version"), "1.3.0"),
            (Self.lti("deployment_id"), .text(try taken.uuid("deployment_id").description)),
            (Self.lti("target_link_uri"), .text(try taken.text("target"))),
            (Self.lti("roles"), [.text(role)]),
        ])
        claims[Self.lti("tool_platform")] = [
            "guid": .text(caller.organizationID.uuid.description), "name": "Homeroom",
            "product_family_code": "homeroom",
        ]
        for name in ["given_name", "family_name", "email"] {
            claims[name] = try taken.optionalText(name).map(JSONValue.text)
        }
        claims["name"] = try taken.optionalText("full_name").map(JSONValue.text)
        var presentation = JSONObject([
            ("document_target", "window"), ("return_url", .text(issuer + "/")),
        ])
        presentation["locale"] = language.map(JSONValue.text)
        claims[Self.lti("launch_presentation")] = .object(presentation)
    }

    /// The full name of a claim of LTI.
    private static func lti(_ name: String) -> String {
        "https://purl.imsglobal.org/spec/lti/claim/\(name)"
    }

    /// Makes it the message that opens a task. Before the handout is published, or once the class is archived, a
    /// teacher may look at the task; the tool then learns nothing of the class, which its services do not show either.
    ///
    /// - Parameters:
    ///   - task: the task and its class.
    ///   - services: where the paths of the services begin.
    mutating func open(_ task: Row, services: String) throws {
        let taskID = try task.uuid("task_id")
        claims[Self.lti("message_type")] = "LtiResourceLinkRequest"
        claims[Self.lti("resource_link")] = [
            "id": .text(taskID.description), "title": .text(try task.text("title")),
        ]
        claims[Self.lti("custom")] = try task.optionalText("custom").map {
            try JSONValue(parsing: Array($0.utf8))
        }
        if try task.bool("is_in_use") { try tell(of: task, taskID, services: services) }
    }

    /// Names the class, and the services for it.
    private mutating func tell(of task: Row, _ taskID: UUID, services: String) throws {
        let className = try task.text("class_name")
        let paths = ServicePaths(root: services, classID: try task.uuid("class_id"))
        claims[Self.lti("context")] = [
            "id": .text(paths.classID.description), "title": .text(className),
            "label": .text(try task.optionalText("class_number") ?? className),
            "type": ["http://purl.imsglobal.org/vocab/lis/v2/course#CourseSection"],
        ]
        var grades = JSONObject([
            ("scope", .array(ToolScope.ofGrades.map { .text($0.rawValue) })),
            ("lineitems", .text(paths.lineItems)),
        ])
        // With several, none of them is the one (Assignment and Grade Services 2.0 section 3.1).
        if try task.bool("has_one_line_item") {
            grades["lineitem"] = .text(paths.lineItem(taskID))
        }
        claims["https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"] = .object(grades)
        claims["https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"] = [
            "context_memberships_url": .text(paths.memberships), "service_versions": ["2.0"],
        ]
    }

    /// Makes it the message in which a teacher chooses content. It does not name the class: that does not use the tool
    /// yet.
    ///
    /// - Parameter data: what the tool hands back with its answer.
    mutating func choose(answerTo address: String, data: String) {
        claims[Self.lti("message_type")] = "LtiDeepLinkingRequest"
        claims["https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"] = [
            "deep_link_return_url": .text(address), "accept_types": ["ltiResourceLink"],
            "accept_presentation_document_targets": ["window"], "accept_multiple": true,
            "accept_lineitem": true, "auto_create": false, "data": .text(data),
        ]
    }
}

/// What a person is for a tool.
enum ToolRole: String {
    case student
    case teacher

    init(of standing: Standing) {
        self = standing == .teacher ? .teacher : .student
    }

    /// LTI 1.3 Core appendix A.2.3.
    var uri: String { "http://purl.imsglobal.org/vocab/lis/v2/membership#\(name)" }

    /// The same without its vocabulary, as parameters may have it.
    private var name: String { self == .teacher ? "Instructor" : "Learner" }

    /// The role of a parameter, in full or without its vocabulary; `nil` for any other role.
    init?(parameter: String) {
        guard
            let role = [ToolRole.student, .teacher].first(where: {
                [$0.uri, $0.name].contains(parameter)
            })
        else { return nil }
        self = role
    }
}

/// Where a tool finds the services for a class.
struct ServicePaths: Sendable {
    private let root: String
    let classID: UUID

    init(root: String, classID: UUID) {
        self.root = root
        self.classID = classID
    }

    var memberships: String { "\(root)/classes/\(classID)/memberships" }
    var lineItems: String { "\(root)/classes/\(classID)/line-items" }
    func lineItem(_ task: UUID) -> String { "\(lineItems)/\(task)" }
}
