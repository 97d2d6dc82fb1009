import HTTPWire
import JSONBytes
import Values

/// What a person typed into a form that could not be taken: enough to show the form again, to that person only.
///
/// Passwords and files are never part of it.
struct Typed: Sendable {
    /// The id of the person for whom the form was made; empty if nobody was signed in.
    let personID: String
    /// Where the form goes.
    let target: LocalPath
    /// The page on which it stood.
    let page: LocalPath
    let controls: FormControls
    /// What the form was filled with; `nil` if it says nothing of it.
    let filled: [FormContent.Filled]?
    /// When it was filled.
    let filledAt: Timestamp?
    let items: [QueryItem]
    let takesFile: Bool
    /// When it could not be taken.
    let at: Timestamp

    /// Larger than what any page takes; it has to fit into the sign-in form.
    private static let sealedBytesMax = 700_000

    /// What was sent by the request; `nil` unless the form says what it is, to this browser.
    init?(_ form: Form, to visit: Visit, takesFile: Bool) {
        guard let sealed = FormKey.sealedPart(of: form[FormKey.field]),
            let said = visit.typedKey.open(sealed, for: .form), let personID = said["person"]?.text,
            let controls = said["controls"].map(FormControls.init), !controls.isEmpty
        else { return nil }
        self.personID = personID
        self.controls = controls
        filled = Self.filled(in: said)
        filledAt = Self.filledAt(in: said)
        target = visit.address
        // A form that was shown again says where it stood at first.
        page = LocalPath(returning: form[TypedForm.pageField]) ?? visit.referringPage ?? "/"
        self.takesFile = takesFile
        at = visit.now
        let secret = Set(controls.fields.filter(\.isSecret).map(\.name))
        items = form.items.filter { item in
            item.name != FormKey.field && item.name != TypedForm.pageField
                && !secret.contains(item.name)
                // A box may be about passwords; it holds none.
                && (controls.choices.contains(item.name) || !Self.namesSecret(item.name))
        }
    }

    /// For fields that hold a secret without being of the type for it.
    private static func namesSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.contains("password") || name.contains("secret")
    }

    /// What a form says about itself in its token.
    ///
    /// - Parameter filled: with what and when, of a form that changes something that is there.
    static func saidBy(
        _ controls: FormControls, for personID: String,
        filled: (content: [FormContent.Filled], at: Timestamp)? = nil
    ) -> JSONValue {
        var said = JSONObject([("person", .text(personID)), ("controls", controls.document)])
        if let filled { say(filled.content, filled.at, in: &said) }
        return .object(said)
    }

    private static func say(
        _ filled: [FormContent.Filled], _ at: Timestamp, in said: inout JSONObject
    ) {
        said["filled"] = document(filled)
        said["filledAt"] = .number(JSONNumber(at.milliseconds))
    }

    private static func filledAt(in document: JSONValue) -> Timestamp? {
        document["filledAt"]?.int64.map { Timestamp(milliseconds: $0) }
    }

    private static func document(_ filled: [FormContent.Filled]) -> JSONValue {
        .array(filled.map { .array([.text($0.name), .text($0.value), .text($0.group)]) })
    }

    private static func filled(in document: JSONValue) -> [FormContent.Filled]? {
        document["filled"]?.array?.compactMap { item in
            guard let name = item[0]?.text, let value = item[1]?.text, let group = item[2]?.text
            else { return nil }
            return FormContent.Filled(name: name, value: value, group: group)
        }
    }

    // MARK: Through the sign-in

    /// The field of a form that carries it on.
    static let field = "typed"

    /// `nil` if it is too long to be carried.
    func sealed(with key: TypedKey) -> String? {
        var document = JSONObject([
            ("person", .text(personID)), ("target", .text(target.text)), ("page", .text(page.text)),
            ("controls", controls.document), ("takesFile", .bool(takesFile)),
            ("items", .array(items.map { .array([.text($0.name), .text($0.value)]) })),
            ("at", .number(JSONNumber(at.milliseconds))),
        ])
        if let filled, let filledAt { Self.say(filled, filledAt, in: &document) }
        let text = key.seal(.object(document), for: .typed)
        return text.utf8.count <= Self.sealedBytesMax ? text : nil
    }

    /// What a form carries on; `nil` if it carries nothing, or nothing of this browser.
    init?(carriedBy form: Form, with key: TypedKey) {
        guard let document = key.open(form[Self.field], for: .typed),
            let personID = document["person"]?.text,
            let target = document["target"]?.text.flatMap(LocalPath.init(returning:)),
            let page = document["page"]?.text.flatMap(LocalPath.init(returning:)),
            let controls = document["controls"].map(FormControls.init),
            let at = document["at"]?.int64
        else { return nil }
        self.personID = personID
        self.target = target
        self.page = page
        self.controls = controls
        filled = Self.filled(in: document)
        filledAt = Self.filledAt(in: document)
        takesFile = document["takesFile"]?.bool == true
        self.at = Timestamp(milliseconds: at)
        items = (document["items"]?.array ?? []).compactMap { item in
            guard let name = item[0]?.text, let value = item[1]?.text else { return nil }
            return QueryItem(name: name, value: value)
        }
    }

    /// Whether the person who is signed in now is the one who typed.
    func isBy(_ person: Person?) -> Bool { personID == person?.id ?? "" }
}
