import API
import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// How tools get tokens: with an assertion that they sign (RFC 7523, IMS Security Framework 1.0 section 4.1).
extension Tools {
    /// How long a token lives.
    private static let tokenSeconds: Int64 = 3600

    var tokenEndpoint: Endpoint {
        Endpoint(
            open: .post, "/lti/token", "Get an access token as a tool",
            body: .form(ToolShapes.tokenRequest),
            answers: [.json("The token.", ToolShapes.token)] + ToolRefusal.answers,
            keys: .refused, handler: giveToken)
    }

    private func giveToken(_ request: Request) async throws -> Response {
        try await ToolRefusal.answering {
            try await giveToken(
                ToolTokenRequest(try await request.form()), request,
                from: request.http.clientAddress)
        }
    }

    private func giveToken(
        _ asked: ToolTokenRequest, _ request: Request, from address: String
    ) async throws -> Response {
        let signer: Signer
        do {
            signer = try await verified(
                asked.assertion, for: ["\(root(request))/token", issuer.text(for: request)],
                onceClaim: "jti")
        } catch let unproven as Unproven {
            try await note(unproven, from: address)
            throw ToolRefusal.invalidClient(unproven.detail("client assertion"))
        } catch is KeysAreBusy {
            throw ToolRefusal.busy
        }
        guard signer.token.claims["sub"] != nil else {
            throw ToolRefusal.invalidClient("The client assertion has no usable claim sub.")
        }
        // A message is for somebody's browser, which must not get a token with it.
        guard signer.token.claims[DeepLinkingAnswer.messageType] == nil else {
            throw ToolRefusal.invalidClient("The client assertion is a message of LTI.")
        }
        let secret = ToolSecret()
        let now = database.clock.now
        let end = Timestamp(milliseconds: now.milliseconds + Self.tokenSeconds * 1000)
        let rows = try await database.transaction { session in
            try await session.query(
                .issueToken(secret, until: end, to: signer, asked.scopes, from: address))
        }
        switch try rows[0].text("outcome") {
        case "issued": break
        case "tooMany": throw ToolRefusal.tooMany(retryAfterSeconds: 60)
        case "replayed":
            throw ToolRefusal.invalidClient("The client assertion was used before. Sign a new one.")
        default: throw ToolRefusal.invalidClient("The tool was removed.")
        }
        var response = Response.json([
            "access_token": .text(secret.text), "token_type": "Bearer",
            "expires_in": JSONValue(integerLiteral: Self.tokenSeconds),
            "scope": .text(asked.scopes.map(\.rawValue).joined(separator: " ")),
        ])
        response.headers.append(ToolRefusal.noCache)
        return response
    }

    // MARK: What tools sign

    /// A tool that proved who it is.
    struct Signer: Sendable {
        let toolID: UUID
        let token: ClientToken
        /// Of what makes the token different from others.
        var onceDigest: [UInt8] { SHA256.digest(token.onceID).bytes }
    }

    /// Why something is not known to be from a tool.
    struct Unproven: Error {
        let toolID: UUID?
        let cause: Cause

        enum Cause {
            case unknownTool
            case token(IDTokenError)
            case keys(String)
        }

        /// A sentence for the developer of the tool.
        func detail(_ name: String) -> String {
            switch cause {
            case .unknownTool: "The \(name) has no iss that is the client id of a tool."
            case .token(let error): error.sentence(about: name)
            case .keys(let detail): detail
            }
        }
    }

    /// The keys could not be asked for now, which says nothing about the tool.
    struct KeysAreBusy: Error {}

    /// Checks what a tool signed; throws `Unproven` or `KeysAreBusy`.
    func verified(
        _ text: String, for audiences: Set<String>, onceClaim: String
    ) async throws -> Signer {
        guard let id = ClientToken.claimedIssuer(of: text).flatMap({ UUID($0) }),
            let row = try await database.query(.toolClient(id)).first
        else { throw Unproven(toolID: nil, cause: .unknownTool) }
        // As the tool has to write it, letter by letter.
        let name = id.description
        func token(_ keys: KeySet) throws -> ClientToken {
            try ClientToken(
                verifying: text, with: keys, of: name, for: audiences, onceClaim: onceClaim,
                now: database.clock.now)
        }
        do {
            if let document = try row.optionalText("key_set") {
                guard let keys = ToolKeySets.parse(Array(document.utf8)) else {
                    throw IDTokenError.unknownKey
                }
                return Signer(toolID: id, token: try token(keys))
            }
            let place = ToolKeySets.place(
                try row.text("key_set_url"), of: try row.uuid("organization_id"))
            let verified = try await keySets.verified(at: place) { keys in try token(keys) }
            return Signer(toolID: id, token: verified)
        } catch let error as IDTokenError {
            throw Unproven(toolID: id, cause: .token(error))
        } catch let failure as ToolKeySets.Failure {
            if failure.isBusy { throw KeysAreBusy() }
            throw Unproven(toolID: id, cause: .keys(failure.detail))
        }
    }

    /// Writes that somebody failed to be a tool; 429 for an address that failed too often, of which no more is written.
    func note(_ unproven: Unproven, from address: String) async throws {
        let now = Loop.current?.now ?? 0
        if let seconds = failures.secondsToWait(address, now: now) {
            throw ToolRefusal.tooMany(retryAfterSeconds: seconds)
        }
        failures.count(address, now: now)
        _ = try await database.transaction { session in
            try await session.query(.noteFailure(of: unproven.toolID ?? UUID.v7(), from: address))
        }
    }
}

/// A request for a token, as RFC 7523 section 2.2 has it.
struct ToolTokenRequest: Sendable {
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let assertion: String
    /// Those of the wanted scopes that there are.
    let scopes: [ToolScope]

    /// - Parameter form: the fields of the body; `nil` if it is not a form.
    init(_ form: [QueryItem]?) throws {
        guard let form else {
            throw ToolRefusal.invalidRequest(
                "The body should be application/x-www-form-urlencoded.")
        }
        var fields: [String: String] = [:]
        for item in form {
            guard fields.updateValue(item.value, forKey: item.name) == nil else {
                throw ToolRefusal.invalidRequest("A parameter is given more than once.")
            }
        }
        guard fields["grant_type"] == "client_credentials" else {
            throw ToolRefusal(
                status: 400, error: "unsupported_grant_type",
                description: "The grant_type should be client_credentials.")
        }
        guard fields["client_assertion_type"] == Self.assertionType,
            let assertion = fields["client_assertion"], !assertion.isEmpty
        else {
            throw ToolRefusal.invalidRequest(
                "A client_assertion with the client_assertion_type \(Self.assertionType) is required."
            )
        }
        self.assertion = assertion
        let wanted = Set((fields["scope"] ?? "").split(separator: " ").map(String.init))
        scopes = ToolScope.allCases.filter { wanted.contains($0.rawValue) }
        guard !scopes.isEmpty else {
            throw ToolRefusal(
                status: 400, error: "invalid_scope",
                description: "The scope names none of those that a launch offers.")
        }
    }
}

extension Statement {
    fileprivate static func toolClient(_ id: UUID) -> Statement {
        "select organization_id, key_set_url, key_set from school.tool_client(\(id))"
    }

    fileprivate static func issueToken(
        _ secret: ToolSecret, until end: Timestamp, to signer: Tools.Signer,
        _ scopes: [ToolScope], from address: String
    ) -> Statement {
        """
        select school.issue_tool_token(
                   \(signer.toolID), \(signer.onceDigest), \(signer.token.expiresAt), \(secret.digest), \(end),
                   \(scopes.map(\.rawValue)), \(address)) as outcome
        """
    }

    fileprivate static func noteFailure(of id: UUID, from address: String) -> Statement {
        "select school.note_failed_tool(\(id), \(address))"
    }
}
