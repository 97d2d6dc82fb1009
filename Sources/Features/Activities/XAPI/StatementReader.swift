import API
import Crypto
import JSONBytes
import School
import Values

/// What is wrong with a statement, and where in it.
struct StatementMistake: Error {
    let pointer: String
    let code: String
    let detail: String

    init(_ pointer: String, _ code: String, _ detail: String) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }
}

/// Reads the statements of one request.
struct StatementReader {
    /// The URL of this server, which is the `homePage` of its accounts.
    let server: String
    /// Where the IRIs of its contexts begin.
    let root: String
    /// The bundle id of the token.
    let app: String
    let environment: Environment
    /// When the request arrived: the time of statements without a timestamp.
    let now: Timestamp

    /// How many wrong statements an answer names.
    private static let mistakesMax = 20

    /// The statements in their order. Throws a problem that names each wrong one, and then nothing is taken.
    ///
    /// - Parameters:
    ///   - sent: each with its place in the body.
    ///   - id: the id that the query gives the only one.
    func read(
        _ sent: [(value: JSONValue, pointer: String)], as id: UUID? = nil
    ) throws -> [LearningStatement] {
        var statements: [LearningStatement] = []
        var mistakes: [Problem.Invalid] = []
        var ids: Set<UUID> = []
        for (value, pointer) in sent where mistakes.count < Self.mistakesMax {
            do {
                let statement = try read(value, as: id)
                guard ids.insert(statement.id).inserted else {
                    throw StatementMistake(
                        "/id", "duplicate", "Another statement of this request has this id.")
                }
                statements.append(statement)
            } catch let mistake as StatementMistake {
                mistakes.append(
                    Problem.Invalid(
                        pointer: pointer + mistake.pointer, code: mistake.code,
                        detail: mistake.detail))
            }
        }
        guard mistakes.isEmpty else { throw Problem.invalidStatements(mistakes) }
        return statements
    }

    private func read(_ sent: JSONValue, as given: UUID?) throws -> LearningStatement {
        let value = Self.withUsualTime(sent)
        if let error = XAPIShapes.received.check(value).first {
            throw StatementMistake(error.pointer, error.code, error.detail)
        }
        let fields = Fields(value.object ?? JSONObject())
        let own = fields.uuid("id")
        if let given, let own, own != given {
            throw StatementMistake("/id", "other_id", "This is not the id in statementId.")
        }
        for (index, attachment) in (fields.objects("attachments") ?? []).enumerated()
        where attachment.text("fileUrl") == nil {
            throw StatementMistake(
                "/attachments/\(index)/fileUrl", "required",
                "Contents of attachments are not taken. Say where the file is, or leave it out.")
        }
        let id = given ?? own ?? Self.newID()
        return LearningStatement(
            id: id, digest: StatementContent.digest(of: fields.object, id: id),
            actor: try accountName(of: fields.fields("actor")), part: try part(of: fields, id: id))
    }

    /// The same with its time as RFC 3339 has it: programs write many forms of ISO 8601.
    private static func withUsualTime(_ statement: JSONValue) -> JSONValue {
        guard var object = statement.object, let text = object["timestamp"]?.text,
            Timestamp(text) == nil, let moment = Timestamp(usual: text)
        else { return statement }
        object["timestamp"] = .text(moment.description)
        return .object(object)
    }

    /// A random id, of version 4: clients know those of RFC 4122, and some refuse later ones.
    private static func newID() -> UUID {
        UUID(
            high: SecureRandom.word() & ~0xF000 | 0x4000,
            low: SecureRandom.word() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// The name of the account that is the actor.
    ///
    /// Only the app's own pseudonym of the person is a name here. A managed ID would let an app try out who its person
    /// is.
    private func accountName(of actor: Fields?) throws -> String {
        let mistake = StatementMistake("/actor", "wrong_actor", Problem.actorRule)
        guard let actor, actor.text("objectType") ?? "Agent" == "Agent" else { throw mistake }
        for name in ["mbox", "mbox_sha1sum", "openid", "member"] where actor.has(name) {
            throw StatementMistake("/actor/\(name)", "wrong_actor", Problem.actorRule)
        }
        guard let account = actor.fields("account"), let name = account.text("name") else {
            throw mistake
        }
        let page = account.text("homePage") ?? ""
        guard page == server || page == server + "/" else {
            throw StatementMistake(
                "/actor/account/homePage", "wrong_actor", Problem.actorRule)
        }
        guard name.utf8.count <= 256, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw StatementMistake("/actor/account/name", "wrong_actor", Problem.actorRule)
        }
        return name
    }

    /// What the statement reports of an attempt; `nil` if it is about something else, or says nothing that counts.
    private func part(of fields: Fields, id: UUID) throws -> JSONValue? {
        let verb = StatementVerb(fields.fields("verb")?.text("id") ?? "")
        guard verb != .voided else {
            throw StatementMistake(
                "/verb/id", "not_supported", "Statements are not kept, so none can be voided.")
        }
        let result = try StatementResult(fields.fields("result"), verb)
        guard let path = try contextPath(of: fields.fields("object")),
            verb != .other || !result.isEmpty
        else { return nil }
        let registration = fields.fields("context")?.uuid("registration")
        let attempt = Attempt(
            id: attemptID(at: path, registration: registration, statement: id), path: path,
            endedAt: fields.timestamp("timestamp") ?? now)
        let part = result.part(of: attempt)
        if let error = ActivityChecks.firstError(in: part) {
            throw StatementMistake(
                Self.pointer(to: error.pointer), error.code, error.detail)
        }
        return part
    }

    /// The identifier path of the context that the object is; `nil` if it is something else.
    private func contextPath(of object: Fields?) throws -> [String]? {
        let type = object?.text("objectType") ?? "Activity"
        guard type == "Activity" else {
            guard ["Agent", "Group", "StatementRef", "SubStatement"].contains(type) else {
                throw StatementMistake(
                    "/object/objectType", "unknown_word", "xAPI has no such type of object.")
            }
            return nil
        }
        guard let iri = object?.text("id"), iri.utf8.count <= 8192, iri.utf8.contains(58) else {
            throw StatementMistake("/object/id", "malformed", "This should be an IRI.")
        }
        switch ContextAddress.meaning(of: iri, below: root) {
        case .elsewhere: return nil
        case .malformed:
            throw StatementMistake(
                "/object/id", "malformed",
                """
                After /xapi/activities/ there should be the bundle id and the identifiers, percent-encoded, and \
                nothing else.
                """)
        case .context(let address):
            guard address.bundleID == app else {
                throw StatementMistake(
                    "/object/id", "other_app", "This is not the bundle id of your token.")
            }
            return address.path
        }
    }

    /// The same registration is the same attempt at a context; statements without one are attempts of their own. Made
    /// from the context, too, since a registration may cover several.
    private func attemptID(at path: [String], registration: UUID?, statement: UUID) -> UUID {
        var text = registration.map { "registration \($0)" } ?? "statement \(statement)"
        for part in [app, environment.rawValue] + path { text += "\u{0}" + part }
        let bytes = SHA256.digest(text).bytes
        let high = bytes[0..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = bytes[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // Version 8 (RFC 9562 section 5.8).
        return UUID(
            high: high & ~0xF000 | 0x8000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// Where in a statement that is which became a field of a part.
    private static func pointer(to field: String) -> String {
        if field.hasPrefix("/identifierPath") { return "/object/id" }
        if field.hasPrefix("/durationSeconds") { return "/result/duration" }
        if field.hasSuffix("At") { return "/timestamp" }
        return "/result/score"
    }
}
