import JSONBytes
import Values

enum SignInChangeText: String, TextKey {
    case title, password, email, managedID, link, badge, byOperator, byFormer, byFormerProvider
    case advice, adviceWithout, changePassword, known, noticeKnown

    static let section = "signInChange"
}

/// Something that another person or system changed of the visitor's way to sign in.
struct SignInChange: Sendable {
    let change: String
    let changedAt: Timestamp
    /// `nil`: the operator of the machine, or somebody who has been erased since.
    let name: String?
    let isByOperator: Bool

    init?(_ item: JSONValue) {
        guard let change = item["change"]?.text,
            let moment = item["changedAt"]?.text.flatMap({ Timestamp($0) })
        else { return nil }
        self.change = change
        changedAt = moment
        name = item["name"]?.text
        isByOperator = item["standing"]?.text == "server"
    }

    func line(_ visit: Visit) -> HTML {
        let key: SignInChangeText =
            switch change {
            case "email": .email
            case "managedId": .managedID
            case "link": .link
            case "badge": .badge
            default: .password
            }
        let nameless: SignInChangeText =
            isByOperator ? .byOperator : change == "link" ? .byFormerProvider : .byFormer
        let by = name.map(written) ?? .text(visit.texts(nameless))
        return visit.texts.html(key, ["when": .text(visit.moment(changedAt)), "name": by])
    }
}

/// The notice on top of every page until the visitor has confirmed it.
enum SignInChanges: Screen {
    static var pages: [Page] {
        [
            .post("/me/sign-in-changes", for: .person) { form, visit in
                try await visit.api.delete("/v1/me/sign-in-changes")
                return .redirect(
                    LocalPath(returning: form["to"]) ?? "/",
                    notice: Notice(SignInChangeText.noticeKnown))
            }
        ]
    }

    static func box(_ visit: Visit) -> HTML {
        let changes = visit.person?.signInChanges ?? []
        guard !changes.isEmpty else { return .nothing }
        let texts = visit.texts
        return notice(.warn, .shield) {
            strong { texts(SignInChangeText.title) }
            ul { for change in changes { li { change.line(visit) } } }
            let uses = visit.person?.usesPassword == true
            p { texts(uses ? SignInChangeText.advice : .adviceWithout) }
            div(.class("row no-print")) {
                postForm(visit, "/me/sign-in-changes") {
                    input(.type("hidden"), .name("to"), .value(visit.wayBack.text))
                    button(.class("button"), .type("submit")) { texts(SignInChangeText.known) }
                }
                if uses {
                    a(.class("button"), .href(NewPassword.address.with("to", "/me/sign-in"))) {
                        texts(SignInChangeText.changePassword)
                    }
                }
            }
        }
    }
}
