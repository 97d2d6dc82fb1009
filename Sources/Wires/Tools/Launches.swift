import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// How a person gets into a tool: the third-party-initiated login of IMS Security Framework 1.0 section 5.1.1. The page
/// `/lti/authorize` makes the second call in the person's name.
extension Tools {
    var launchEndpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/tool-launches", "Begin opening a tool", for: [.student, .teacher],
                body: .json(ToolShapes.newLaunch),
                answers: [
                    .json(
                        "Where to send the browser. It can be used once, for ten minutes.",
                        ToolShapes.launch, status: 201)
                ],
                problems: [
                    (404, "There is no such task of a tool, or it is not yours."),
                    (409, "The tool was removed, is not for this class, or offers no content."),
                ], keys: .refused, handler: begin),
            Endpoint(
                .post, "/v1/tool-launches/authorization",
                "Make the message that your browser takes to a tool", for: [.student, .teacher],
                body: .json(ToolShapes.authorization),
                answers: [.json("The form to post.", ToolShapes.authorized)],
                problems: [
                    (409, "It was begun elsewhere or too long ago, or is over already."),
                    (422, "What the tool asks for is wrong; nothing is sent to it."),
                ], keys: .refused, handler: authorize),
        ]
    }

    /// A person who teaches one class may sit in another.
    private func capacities(_ caller: Caller) -> [Caller] {
        [Standing.student, .teacher].compactMap { caller.acting(asFirstOf: [$0]) }
    }

    // MARK: The beginning

    private func begin(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        switch (body.uuid("taskId"), body.uuid("toolId"), body.uuid("handoutId")) {
        case (let task?, nil, nil):
            for capacity in capacities(caller) {
                let launch = NewLaunch()
                let rows = try await begun(.begin(launch, for: TaskID(task)), launch, capacity)
                if let rows { return try answer(launch, rows, request) }
            }
            throw Problem.notFound
        case (nil, let tool?, let handout?):
            guard let teacher = caller.acting(asFirstOf: [.teacher]) else { throw Problem.notFound }
            let launch = NewLaunch()
            let rows = try await begun(
                .begin(launch, with: tool, for: HandoutID(handout)), launch, teacher)
            guard let rows else { throw Problem.notFound }
            return try answer(launch, rows, request)
        default:
            throw Problem.invalid(
                "", "task_or_handout", "Give taskId, or give toolId and handoutId.")
        }
    }

    /// Where the launch goes on; `nil` if what it is for is not the caller's.
    private func begun(
        _ statement: Statement, _ launch: NewLaunch, _ caller: Caller
    ) async throws -> Rows? {
        try await database.transaction(as: caller) { session in
            switch try await session.query(statement).first?.optionalText("outcome") {
            case "begun": return try await session.query(.login(of: launch))
            case "removed": throw Problem.toolRemoved
            case "tool": throw Problem.toolWithoutContent
            default: return nil
            }
        }
    }

    private func answer(_ launch: NewLaunch, _ rows: Rows, _ request: Request) throws -> Response {
        guard let row = rows.first else { throw Problem.toolRemoved }
        let address = ToolAddress.completed(
            try row.text("login_url"),
            with: [
                ("iss", issuer.text(for: request)), ("login_hint", launch.id.description),
                ("target_link_uri", try row.text("target")),
                ("lti_message_hint", launch.secret.text),
                ("client_id", try row.uuid("tool_id").description),
                ("lti_deployment_id", try row.uuid("deployment_id").description),
            ])
        return .json(
            ["id": .text(launch.id.description), "redirectTo": .text(address)], status: 201)
    }

    // MARK: The message

    /// The caller's other standing may have what the launch is for.
    private struct OtherCapacity: Error {}

    private func authorize(_ request: Request, _ caller: Caller) async throws -> Response {
        let asked = try AskedMessage(await request.body())
        for capacity in capacities(caller) {
            do {
                let message = try await message(asked, request, capacity)
                let key = try await signingKeys.current(in: database)
                return .json([
                    "action": .text(asked.redirectURI),
                    "idToken": .text(try await signingKeys.sign(message.claims, with: key)),
                    "state": asked.state.map(JSONValue.text) ?? nil,
                ])
            } catch is OtherCapacity {
                continue
            }
        }
        throw Problem.launchOver
    }

    /// Uses up the launch, unless something is wrong.
    private func message(
        _ asked: AskedMessage, _ request: Request, _ caller: Caller
    ) async throws -> LaunchMessage {
        let services = root(request)
        return try await database.transaction(as: caller) { session in
            let taken = try await session.query(.take(asked))[0]
            switch try taken.text("outcome") {
            case "taken": break
            case "redirect":
                throw Problem.invalid(
                    "/redirectUri", "foreign_redirect",
                    "The redirect_uri is not one of those that were registered for the tool.")
            default: throw Problem.launchOver
            }
            guard try taken.uuid("launch_id") == UUID(asked.loginHint) else {
                throw Problem.launchOver
            }
            var message = try LaunchMessage(
                asked, taken, issuer: issuer.text(for: request), caller,
                language: request.languages.first, now: database.clock.now)
            if let task = try taken.optionalUUID("task_id") {
                let launch = try taken.uuid("launch_id")
                let rows = try await session.query(
                    .launchedTask(TaskID(task), by: launch, of: caller.organizationID))
                guard let row = rows.first else { throw OtherCapacity() }
                try message.open(row, services: services)
            } else {
                let handout = HandoutID(try taken.uuid("handout_id"))
                let rows = try await session.query(
                    .handoutToChooseFor(handout, of: caller.organizationID))
                guard caller.standing == .teacher, !rows.isEmpty else { throw OtherCapacity() }
                message.choose(answerTo: services + "/deep-linking", data: asked.messageHint)
            }
            return message
        }
    }
}

/// A launch that begins.
struct NewLaunch: Sendable {
    let id = UUID.v7()
    let secret = ToolSecret()
}

/// What a tool asks for when the browser comes back from it (IMS Security Framework 1.0 section 5.1.1.2).
struct AskedMessage: Sendable {
    let toolID: UUID
    let redirectURI: String
    let state: String?
    let nonce: String
    /// The id of the launch.
    let loginHint: String
    /// Its secret.
    let messageHint: String

    init(_ body: Fields) throws {
        let constants = [
            ("responseType", "response_type", "id_token"),
            ("responseMode", "response_mode", "form_post"), ("prompt", "prompt", "none"),
        ]
        for (name, parameter, value) in constants where body.text(name) != value {
            throw Problem.invalid(
                "/\(name)", "unsupported", "The \(parameter) should be \(value).")
        }
        let scopes = (body.text("scope") ?? "").split(separator: " ")
        guard scopes.contains("openid") else {
            throw Problem.invalid("/scope", "unsupported", "The scope should be openid.")
        }
        guard let id = body.text("clientId").flatMap({ UUID($0) }) else {
            throw Problem.invalid("/clientId", "unknown_client", "There is no such tool.")
        }
        guard let nonce = body.text("nonce"), !nonce.isEmpty else {
            throw Problem.invalid("/nonce", "missing", "A nonce is required.")
        }
        toolID = id
        self.nonce = nonce
        redirectURI = body.text("redirectUri") ?? ""
        state = body.text("state")
        loginHint = body.text("loginHint") ?? ""
        messageHint = body.text("messageHint") ?? ""
    }
}

extension Statement {
    fileprivate static func begin(_ launch: NewLaunch, for task: TaskID) -> Statement {
        "select school.begin_tool_launch(\(launch.id), \(launch.secret.digest), \(task)) as outcome"
    }

    fileprivate static func begin(
        _ launch: NewLaunch, with tool: UUID, for handout: HandoutID
    ) -> Statement {
        """
        select school.begin_deep_linking(
                   \(launch.id), \(launch.secret.digest), \(tool), \(handout)) as outcome
        """
    }

    fileprivate static func login(of launch: NewLaunch) -> Statement {
        """
        select tool_id, deployment_id, login_url, target from school.tool_login(\(launch.id))
        """
    }

    fileprivate static func take(_ asked: AskedMessage) -> Statement {
        """
        select outcome, launch_id, task_id, handout_id, deployment_id, target, subject, given_name,
               family_name, full_name, email
          from school.take_tool_launch(
                   \(ToolSecret(text: asked.messageHint).digest), \(asked.toolID), \(asked.redirectURI))
        """
    }

    fileprivate static func launchedTask(
        _ id: TaskID, by launch: UUID, of organization: OrganizationID
    ) -> Statement {
        """
        select t.task_id, t.title, t.custom::text as custom, c.class_id,
               coalesce(c.display_name, c.name) as class_name, c.number as class_number,
               school.launches_one_line_item(\(launch)) as has_one_line_item,
               coalesce(h.publish_at <= school.moment(), false) and c.archived_at is null as is_in_use
          from school.task as t
          join school.handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
          join school.class as c on c.organization_id = t.organization_id and c.class_id = t.class_id
         where t.organization_id = \(organization) and t.task_id = \(id)
        """
    }

    fileprivate static func handoutToChooseFor(
        _ id: HandoutID, of organization: OrganizationID
    ) -> Statement {
        """
        select handout_id from school.handout
         where organization_id = \(organization) and handout_id = \(id) and completed_at is null
        """
    }
}
