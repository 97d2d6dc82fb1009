import HTTPServer
import HTTPWire
import Values

/// One request for a page: who asks, in which language, and the way to the API.
package struct Visit: Sendable {
    let request: HTTPRequest
    let parameters: PathParameters
    private(set) package var api: Client
    package let texts: Texts
    private(set) var session: Session?
    /// `nil` while nobody is signed in.
    var person: Person?
    private(set) var formKey: FormKey
    /// Seals what forms say about themselves, and what was typed.
    let typedKey: TypedKey
    /// What the form that was sent had been filled with: shown again, it still changes what differs from that.
    var filled: [FormContent.Filled]?
    var filledAt: Timestamp?
    /// Whose form was taken, where nobody could say yet who is signed in.
    var typist: String?
    /// What a form carries on that was typed elsewhere, sealed.
    var carried: String?
    package let now: Timestamp
    /// What the demonstration school offers.
    let offered: Offered
    /// The URL of this server in its settings.
    let knownSite: String?

    init(
        request: HTTPRequest, parameters: PathParameters, api: Client, texts: Texts,
        session: Session?, formKey: FormKey, typedKey: TypedKey, now: Timestamp,
        offered: Offered = .nothing,
        knownSite: String? = nil
    ) {
        self.request = request
        self.parameters = parameters
        self.api = api
        self.texts = texts
        self.session = session
        self.formKey = formKey
        self.typedKey = typedKey
        self.now = now
        self.offered = offered
        self.knownSite = knownSite
    }

    /// Goes on as a browser in which nobody is signed in.
    mutating func forgetSession(secret: String) {
        session = nil
        api = api.withoutToken
        formKey = FormKey(secret: secret)
    }

    /// Goes on in a session that has just begun.
    mutating func enter(_ session: Session) {
        self.session = session
        api = api.with(token: session.token)
        formKey = FormKey(secret: session.token)
    }

    /// The token of a form with that content. If people type into it, the token also says what it asks for, and whose
    /// it is.
    ///
    /// - Parameters:
    ///   - filled: with what, of a form that changes something that is there.
    ///   - at: when; now unless it is shown again.
    func token(
        for content: [HTML], filled: [FormContent.Filled]? = nil, at: Timestamp? = nil
    ) -> String {
        let controls = FormControls(of: content)
        guard !controls.isEmpty else { return formKey.token() }
        let said = Typed.saidBy(
            controls, for: person?.id ?? typist ?? "",
            filled: filled.map { (content: $0, at: at ?? now) })
        return formKey.token(saying: typedKey.seal(said, for: .form))
    }

    /// Whether the form that was sent changes these fields of one group; yes where it is not known what it was filled
    /// with.
    func changes(_ group: String, _ names: [String], _ form: Form) -> Bool {
        filled.map { FormMerge.isChanged(group, names, $0, form.items) } ?? true
    }

    /// The page of this server that led here, as the browser says; `nil` if it says nothing.
    var referringPage: LocalPath? {
        guard let host = request.headers["host"], let text = request.headers["referer"] else {
            return nil
        }
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme + host + "/") {
            return LocalPath(returning: String(text.dropFirst(scheme.count + host.count)))
        }
        return nil
    }

    /// A value of the query, which is `nil` if it is absent or empty.
    func query(_ name: String) -> String? { request.query[name]?.nilIfEmpty }

    /// Whether the browser speaks TLS, which cookies depend on.
    var isSecure: Bool { request.isSecure }

    /// What the browser says that it is.
    var userAgent: String? { request.headers["user-agent"]?.nilIfEmpty }

    /// The segments of the path.
    var segments: [String] { request.segments }

    /// Where the visitor is, for a link that leads back here.
    var address: LocalPath { LocalPath(returning: request.head.target) ?? "/" }

    /// As `address`; from a page that answered a form, whose address may show nothing, to the start page.
    var wayBack: LocalPath { request.head.method == .post ? "/" : address }

    /// A parameter of the path.
    subscript(parameter: String) -> String { parameters[parameter] ?? "" }

    /// A moment as the school's clock shows it.
    func local(_ moment: Timestamp) -> LocalTime {
        LocalTime(moment, in: person?.timeZone ?? .utc)
    }

    /// Whether this page offers passwords for others.
    var schoolUsesPasswords: Bool { person?.isSchoolWithoutPasswords != true }

    var today: Day { local(now).day }

    /// `Fri 20 Nov, 17:00` in the school's time.
    func moment(_ moment: Timestamp) -> String { texts.moment(local(moment), today: today) }
}

/// What a form sent.
package struct Form: Sendable {
    let items: [QueryItem]
    /// Only on pages that take one.
    var file: SentFile?

    static let none = Form(items: [])

    /// The value of a field; empty if it was not sent.
    subscript(name: String) -> String { items.first { $0.name == name }?.value ?? "" }

    func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// Whether a box was ticked or a button pressed.
    func has(_ name: String) -> Bool { items.contains { $0.name == name } }
}
