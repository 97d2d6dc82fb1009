import HTTPServer
import HTTPWire

/// One page, or the form of one: a method, a path, and what to answer.
package struct Page: Sendable {
    let method: HTTPMethod
    /// A pattern such as `/classes/{id}`.
    let path: String
    let audience: Audience
    let menu: MenuEntry?
    /// Whether its form sends a file.
    private(set) var takesFile = false
    /// Whether scripts ask for it by themselves, which does not count as a use of the session.
    private(set) var isForScripts = false
    /// What its form changes, which others may change meanwhile; `nil` for a form that does something else.
    private(set) var edits: Edited?
    /// What to look at instead if the form came from elsewhere; `nil` on pages that take only forms of their own.
    private(set) var shownToOthers: (@Sendable (Form) -> LocalPath)?
    let answer: @Sendable (Visit, Form) async throws -> Answer

    /// A page to look at.
    ///
    /// - Parameters:
    ///   - menu: the entry in the side navigation, for pages that are reached from there.
    ///   - load: asks the API; independent calls run in parallel with `async let`.
    ///   - render: makes the page of what was loaded.
    static func show<Content: Sendable>(
        _ path: String, for audience: Audience, menu: MenuEntry? = nil,
        load: @escaping @Sendable (Visit) async throws -> Content,
        render: @escaping @Sendable (Content, Visit) -> View
    ) -> Page {
        Page(method: .get, path: path, audience: audience, menu: menu) { visit, _ in
            .view(render(try await load(visit), visit))
        }
    }

    /// A page that may also redirect.
    static func get(
        _ path: String, for audience: Audience,
        _ answer: @escaping @Sendable (Visit) async throws -> Answer
    ) -> Page {
        Page(method: .get, path: path, audience: audience, menu: nil) { visit, _ in
            try await answer(visit)
        }
    }

    /// An answer that a script of a page asks for by itself.
    static func forScripts(
        _ path: String, for audience: Audience,
        _ answer: @escaping @Sendable (Visit) async throws -> Answer
    ) -> Page {
        var page = get(path, for: audience, answer)
        page.isForScripts = true
        return page
    }

    /// Takes a form. Its token has been checked.
    static func post(
        _ path: String, for audience: Audience,
        _ answer: @escaping @Sendable (Form, Visit) async throws -> Answer
    ) -> Page {
        Page(method: .post, path: path, audience: audience, menu: nil) { visit, form in
            try await answer(form, visit)
        }
    }

    /// The same for a form that changes what the page with the same path shows (`Turn+merging.swift`). The form is an
    /// `editForm`.
    func changing(_ edited: Edited) -> Page {
        var copy = self
        copy.edits = edited
        return copy
    }

    /// The same for a page to which others may send a form: that form does nothing, and leads to a page to look at.
    func showing(_ page: @escaping @Sendable (Form) -> LocalPath) -> Page {
        var copy = self
        copy.shownToOthers = page
        return copy
    }

    /// Takes a form whose last field is a file, which the page passes on while it arrives.
    static func upload(
        _ path: String, for audience: Audience,
        _ answer: @escaping @Sendable (Form, Visit) async throws -> Answer
    ) -> Page {
        var page = post(path, for: audience, answer)
        page.takesFile = true
        return page
    }
}

/// An entry of the side navigation.
struct MenuEntry: Sendable {
    let icon: Icon
    let text: @Sendable (Texts) -> String
    /// How much there is to look at, which stands beside it unless it is 0.
    let count: @Sendable (Side) -> Int

    init(
        _ icon: Icon, _ key: some TextKey, count: @escaping @Sendable (Side) -> Int = { _ in 0 }
    ) {
        self.icon = icon
        text = { $0(key) }
        self.count = count
    }
}

/// The pages of one screen; one file for each.
protocol Screen: SendableMetatype {
    static var pages: [Page] { get }
}

/// What a page answers.
package enum Answer: Sendable {
    case view(View)
    /// 303, so that reloading does not send a form again. The notice is the first thing the next page says.
    case redirect(LocalPath, notice: Notice? = nil, headers: [ResponseField] = [])
    /// The same for a session that begins.
    case entered(Entry)
    /// A page that stays open until its turn has come.
    case waiting(Waiting)
    /// Anything else, such as a download.
    case response(HTTPResponse)
}

/// A session that begins, and where it leads.
package struct Entry: Sendable {
    let session: Session
    /// How long it lasts without a request.
    let seconds: Int
    let next: LocalPath
    /// Of the answer, beside the cookie of the session.
    let headers: [ResponseField]
}

/// A message that the next page shows once: a text whose key begins with `notice`.
package struct Notice: Sendable {
    let key: String

    init(_ key: some TextKey) {
        precondition(key.rawValue.hasPrefix("notice"), "\(key.key) is not a notice")
        self.key = key.key
    }
}

/// The content of a page.
package struct View: Sendable {
    package enum Layout: Sendable {
        /// With the side navigation.
        case full
        /// A door: sign-in, consent.
        case narrow
    }

    var status = 200
    /// Without the name of the program.
    let title: String
    var layout: Layout
    /// Whether it is printed on paper that lies across.
    private(set) var isAcross = false
    private(set) var main: HTML
    var headers: [ResponseField] = []
    /// Where forms of this page may lead beside this server, for the content security policy.
    var formTargets: [String] = []

    init(_ title: String, _ layout: Layout = .full, @HTMLBuilder main: () -> [HTML]) {
        self.title = title
        self.layout = layout
        self.main = .parts(main())
    }

    /// The same for a wide table.
    func printedAcross() -> View {
        var view = self
        view.isAcross = true
        return view
    }

    /// The same with one more part at its end.
    func followed(by part: HTML) -> View {
        var view = self
        view.main = .parts([main, part])
        return view
    }

    /// The same for a form that the API refused: the status, and how long to wait, say so to programs.
    func refused(_ refusal: Refusal) -> View {
        refused(refusal.status, headers: refusal.waiting)
    }

    /// The same for a form that was refused: the status says so to programs.
    func refused(_ status: Int = 422, headers: [ResponseField] = []) -> View {
        var view = self
        view.status = status
        view.headers += headers
        return view
    }
}
