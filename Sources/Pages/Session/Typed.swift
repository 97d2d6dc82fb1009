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
        target = visit.address
        // A form that was shown again says where it stood at first.
        page = LocalPath(returning: form[TypedForm.pageField]) ?? visit.referringPage ?? "/"
        self.takesFile = takesFile
        at = visit.now
        let secret = Set(controls.fields.filter(\.isSecret).map(\.name))
        items = form.items.filter { item in
            item.name != FormKey.field && item.name != TypedForm.pageField
                && !secret.contains(item.name)
                && !Self.namesSecret(item.name)
        }
    }

    /// For fields that hold a secret without being of the type for it.
    private static func namesSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.contains("password") || name.contains("secret")
    }

    /// What a form says about itself in its token.
    static func saidBy(_ controls: FormControls, for personID: String) -> JSONValue {
        ["person": .text(personID), "controls": controls.document]
    }

    // MARK: Through the sign-in

    /// The field of a form that carries it on.
    static let field = "typed"

    /// `nil` if it is too long to be carried.
    func sealed(with key: TypedKey) -> String? {
        let document: JSONValue = [
            "person": .text(personID), "target": .text(target.text), "page": .text(page.text),
            "controls": controls.document, "takesFile": .bool(takesFile),
            "items": .array(items.map { .array([.text($0.name), .text($0.value)]) }),
            "at": .number(JSONNumber(at.milliseconds)),
        ]
        let text = key.seal(document, for: .typed)
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
