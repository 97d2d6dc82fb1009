/// The strip on the pages of the demonstration school: who one is, what to try, and how to become another.
enum DemonstrationStrip: Screen {
    static let report: LocalPath = "/demonstration/report"

    static var pages: [Page] {
        [
            // Where a teacher watches the work arrive that the app reports.
            .get(report.text, for: .anyone) { visit in
                guard let app = visit.offered.app else { return .view(ErrorPage.absent(visit)) }
                guard let person = visit.person, person.belongs(to: .teacher) else {
                    return .redirect("/")
                }
                let today = try await Today.load(visit)
                let handout = today.handouts.first { $0.title == app.handout }
                return .redirect(handout.map { "/handouts/\($0.id)" } ?? "/today")
            }
        ]
    }

    /// Nothing for anybody else than the people whom the sign-in page offers.
    static func aside(_ visit: Visit) -> HTML {
        let accounts = visit.offered.accounts
        guard let managedID = visit.person?.managedID,
            let own = accounts.first(where: { $0.managedID == managedID })
        else { return .nothing }
        let texts = visit.texts
        return Tag("aside")(
            .class("strip no-print"), .label(texts(DemonstrationText.strip))
        ) {
            Icon.info.html
            strong { texts(DemonstrationText.you, ["name": own.givenName]) }
            if let app = visit.offered.app {
                ol(.class("plain")) {
                    for step in steps(of: own.role, app, visit) { li { step } }
                }
            }
            div(.class("row apart")) {
                for account in accounts where account.managedID != managedID {
                    DemonstrationDoor.signIn(visit, as: account, to: start(of: account.role)) {
                        button(.class("button button-small"), .type("submit")) {
                            texts(
                                DemonstrationText.be,
                                ["name": account.givenName, "role": texts(word(account.role))])
                        }
                    }
                }
            }
        }
    }

    private static func start(of role: RoleText) -> LocalPath { role == .teacher ? report : "/" }

    private static func word(_ role: RoleText) -> CommonText {
        switch role {
        case .teacher: .roleTeacher
        case .student: .roleStudent
        default: .roleAdministrator
        }
    }

    private static func steps(of role: RoleText, _ app: OfferedApp, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        switch role {
        case .teacher:
            return [
                a(.href(report)) { texts(DemonstrationText.report) },
                window(
                    app.addressOfSecondWindow(from: visit), texts(DemonstrationText.secondWindow)),
                .text(texts(DemonstrationText.watch)),
            ]
        case .student:
            return [
                window(app.address(from: visit), texts(DemonstrationText.sums)),
                .text(texts(DemonstrationText.beTeacher)),
            ]
        default: return [.text(texts(DemonstrationText.adminBeTeacher))]
        }
    }

    private static func window(_ address: String, _ text: String) -> HTML {
        a(
            .href(elsewhere: address), .rel("noopener noreferrer"), Attribute("target", "_blank")
        ) {
            text
            Icon.out.html
        }
    }
}
