enum TypedText: String, TextKey {
    case title, ended, outdated, unsaved, perhaps, left, file, again, save, discard
    case only, promise, elsewhere, show, failed, noticeOther, otherTitle, other
    case restored, forget

    static let section = "typed"
}

/// `/typed`: what was typed into a form that could not be taken, once the person is signed in again.
///
/// `Turn` shows it wherever it can; this is the way for those who signed in in another tab, or with another system.
enum TypedPage: Screen {
    static let path = "/typed"

    static var pages: [Page] {
        [
            .get(path, for: .person) { _ in .redirect("/") },
            .post(path, for: .person) { _, visit in .view(ErrorPage.outdatedForm(visit)) },
        ]
    }
}
