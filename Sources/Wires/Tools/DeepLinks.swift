import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// What a teacher chooses in a tool (Deep Linking 2.0). The tool answers through the teacher's browser with a token that
/// it signed; the items wait with the launch until the teacher takes them as tasks.
extension Tools {
    var deepLinkingEndpoint: Endpoint {
        Endpoint(
            open: .post, "/lti/deep-linking", "Return the content that a teacher chose, as a tool",
            body: .form(ToolShapes.deepLinkingResponse),
            answers: [
                .empty(
                    303,
                    "To the page on which the teacher takes it, or, if the request accepts `text/html`, to one that "
                        + "says what was wrong."
                ).located
            ],
            problems: [
                (409, "The tool was not asked for content, or has answered already."),
                (422, "The answer is not from a tool, or cannot be used."),
                (429, "Too many wrong answers came from this address."),
            ], keys: .refused, handler: takeDeepLinks)
    }

    var chosenEndpoint: Endpoint {
        Endpoint(
            .get, "/v1/tool-launches/{id}", "Read what you chose in a tool for a handout",
            for: [.teacher], answers: [.json("What the tool answered.", ToolShapes.chosen)],
            handler: findChosen)
    }

    /// The teacher's browser brings the answer, so that a person reads what was wrong with it.
    private func takeDeepLinks(_ request: Request) async throws -> Response {
        do {
            return try await takeAnswer(request)
        } catch let problem as Problem {
            let accepted = QualityList(request.http.headers, "accept", limit: 20)
            guard accepted["text/html"] ?? 0 > 0 else { throw problem }
            return away(to: "/lti/refused?why=\(problem.code)")
        }
    }

    private func away(to address: String) -> Response {
        Response(
            303,
            headers: [
                ResponseField("Location", address), ResponseField("Cache-Control", "no-store"),
            ])
    }

    private func takeAnswer(_ request: Request) async throws -> Response {
        let items = try await request.form() ?? []
        guard items.count == 1, items[0].name == "JWT" else {
            throw Problem.deepLinksRefused("The form should have one field, JWT.")
        }
        let signer: Signer
        do {
            signer = try await verified(
                items[0].value, for: [issuer.text(for: request)], onceClaim: "nonce")
        } catch let unproven as Unproven {
            do {
                try await note(unproven, from: request.http.clientAddress)
            } catch let refusal as ToolRefusal {
                throw Problem(
                    429, "too_many_wrong_answers", "Too many answers of tools were wrong.",
                    headers: refusal.headers)
            }
            throw Problem.deepLinksRefused(unproven.detail("JWT"))
        } catch is KeysAreBusy {
            throw Problem.busy
        }
        let answer = try DeepLinkingAnswer(signer.token.claims)
        let rows = try await database.transaction { session in
            try await session.query(.takeDeepLinks(answer, of: signer))
        }
        guard let row = rows.first else { throw Problem.launchOver }
        let (handout, launch) = (try row.uuid("handout_id"), try row.uuid("launch_id"))
        return away(to: "/handouts/\(handout)/tools/\(launch)")
    }

    private func findChosen(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let id = UUID(request.path("id")) else { throw Problem.notFound }
        let rows = try await database.query(.chosen(id), as: caller)
        return try .object(rows)
    }
}

/// The answer of a tool to a deep linking request, checked.
struct DeepLinkingAnswer: Sendable {
    private static let itemsMax = 20
    private static let lti = "https://purl.imsglobal.org/spec/lti/claim/"
    private static let deepLinking = "https://purl.imsglobal.org/spec/lti-dl/claim/"

    /// The claim that says what a message of LTI is.
    static let messageType = "\(lti)message_type"

    /// As the request named it.
    let deploymentID: String
    /// What the tool was sent with the request.
    let secret: ToolSecret
    /// As tasks.
    let items: JSONValue

    init(_ claims: JSONObject) throws {
        guard claims[Self.messageType] == "LtiDeepLinkingResponse",
            claims["\(Self.lti)version"] == "1.3.0"
        else {
            throw Problem.deepLinksRefused("The JWT is not an LtiDeepLinkingResponse of LTI 1.3.")
        }
        guard let data = claims["\(Self.deepLinking)data"]?.text else {
            throw Problem.deepLinksRefused("The claim data of the request is missing.")
        }
        guard let deployment = claims["\(Self.lti)deployment_id"]?.text else {
            throw Problem.deepLinksRefused("The claim deployment_id of the request is missing.")
        }
        deploymentID = deployment
        secret = ToolSecret(text: data)
        let sent = claims["\(Self.deepLinking)content_items"]?.array ?? []
        guard sent.count <= Self.itemsMax else {
            throw Problem.deepLinksRefused("A handout takes at most 20 items.")
        }
        items = .array(try sent.enumerated().map { try Self.item($1, at: $0) })
    }

    /// An item as a task (Deep Linking 2.0 section 3.2). Types other than links of the tool were not asked for.
    private static func item(_ item: JSONValue, at index: Int) throws -> JSONValue {
        func refused(_ detail: String) -> Problem {
            .deepLinksRefused("Item \(index + 1): \(detail)")
        }
        guard item["type"] == "ltiResourceLink" else {
            throw refused("The type should be ltiResourceLink.")
        }
        let title = item["title"]?.text ?? item["text"]?.text ?? ""
        guard title.utf8.contains(where: { $0 > 0x20 }), Shape.line().check(.text(title)).isEmpty
        else { throw refused("The title should have 1 to 256 characters, in one line.") }
        var task = JSONObject([("title", .text(title))])
        if let url = item["url"]?.text {
            guard ToolAddress.isAllowed(url), url.utf8.count <= 1000 else {
                throw refused("The url should begin with https://.")
            }
            task["url"] = .text(url)
        }
        if let custom = item["custom"], !custom.isNull {
            guard let members = CustomParameters(custom),
                ToolShapes.custom.check(members.document).isEmpty
            else {
                throw refused(
                    "The custom parameters should be up to 50 lines of text, 4,000 bytes in all.")
            }
            task["custom"] = members.document
        }
        if let maximum = item["lineItem"]?["scoreMaximum"] {
            guard let number = maximum.double, (1e-9...1e12).contains(number) else {
                throw refused("The scoreMaximum should be a number above 0.")
            }
            task["scoreMaximum"] = maximum
        }
        for name in ["resourceId", "tag"] {
            guard let word = item["lineItem"]?[name], !word.isNull, word != "" else { continue }
            guard let text = word.text, text.unicodeScalars.count <= 256, !text.contains("\0")
            else {
                throw refused("The \(name) of the line item should have 1 to 256 characters.")
            }
            task[name] = word
        }
        return .object(task)
    }
}

/// What a tool is told of a task (LTI 1.3 Core section 5.4.6): texts by name.
struct CustomParameters: Sendable {
    let document: JSONValue

    /// `nil` unless they are up to 50 texts, or numbers and truth values, which become texts, in 4,000 bytes.
    init?(_ sent: JSONValue) {
        guard let object = sent.object, object.count <= 50 else { return nil }
        var members: [(String, JSONValue)] = []
        var bytes = 0
        for member in object.members {
            let text: String
            switch member.value {
            case .text(let value): text = value
            case .number, .bool:
                text = String(decoding: member.value.bytes, as: UTF8.self)
            default: return nil
            }
            bytes += member.key.utf8.count + text.utf8.count
            members.append((member.key, .text(text)))
        }
        guard bytes <= 4000 else { return nil }
        document = .object(JSONObject(members))
    }
}

extension Statement {
    fileprivate static func takeDeepLinks(
        _ answer: DeepLinkingAnswer, of signer: Tools.Signer
    ) -> Statement {
        """
        select launch_id, handout_id
          from school.take_deep_links(
                   \(signer.toolID), \(answer.deploymentID), \(signer.onceDigest), \(signer.token.expiresAt),
                   \(answer.secret.digest), \(JSONDocument(answer.items.bytes)))
        """
    }

    fileprivate static func chosen(_ id: UUID) -> Statement {
        """
        select \(id) as id, tool_id, handout_id, answered, items::json
          from school.tool_choice(\(id))
        """
    }
}
