import JSONBytes
import Values

enum RosterText: String, TextKey {
    case title, students, emptyTitle, emptyAdvice, emptyAddThem, columnName, managedID, status,
        password
    case statusNew, statusActive, statusLocked, statusDeactivated
    case newPassword, newPasswordFor, sheet
    case questionTitle, question, makePassword
    case shownTitle, shownOnce, forFirst, validUntil, toRoster
    case refusedOther

    static let section = "roster"
}

/// `/classes/{id}/roster`: the students of a class, and a new password for one of them.
enum Roster: Screen {
    static var pages: [Page] {
        [
            .show("/classes/{id}/roster", for: .teacher) { visit in
                async let members = Members.load(visit["id"], visit.api)
                async let privileges = OwnPrivileges.inClass(visit["id"], visit.api)
                var may = try await privileges
                may.resetPasswords = may.resetPasswords && visit.schoolUsesPasswords
                return try await (members: members, may: may)
            } render: { found, visit in
                view(found.members, found.may, visit)
            },
            .get("/classes/{id}/roster/{person}/password", for: .teacher) { visit in
                let (schoolClass, student) = try await find(visit)
                guard let student else { return .view(ErrorPage.absent(visit)) }
                return .view(question(schoolClass, student, visit))
            },
            .post("/classes/{id}/roster/{person}/password", for: .teacher, makePassword),
        ]
    }

    private static func find(
        _ visit: Visit
    ) async throws -> (TaughtClass, RosterEntry?) {
        let members = try await Members.load(visit["id"], visit.api)
        return (members.schoolClass, members.students.first { $0.id == visit["person"] })
    }

    // MARK: The list

    private static func view(
        _ members: Members, _ may: (change: Bool, resetPasswords: Bool), _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let (schoolClass, students) = (members.schoolClass, members.students)
        return View(texts(RosterText.title)) {
            div {
                crumbs([("/classes/\(schoolClass.id)", schoolClass.name)], texts)
                heading(
                    texts(RosterText.title),
                    below: .text(texts(RosterText.students, count: students.count))
                ) {
                    if may.change {
                        a(.class("button"), .href("/classes/\(schoolClass.id)/members")) {
                            Icon.people.html
                            texts(MembersText.title)
                        }
                        a(.class("button"), .href("/classes/\(schoolClass.id)/edit")) {
                            Icon.draft.html
                            texts(MadeClassText.edit)
                        }
                    }
                    if !students.isEmpty, may.resetPasswords {
                        a(.class("button"), .href("/classes/\(schoolClass.id)/sign-in-sheet")) {
                            Icon.print.html
                            texts(RosterText.sheet)
                        }
                        a(.class("button"), .href("/classes/\(schoolClass.id)/badges")) {
                            Icon.ticket.html
                            texts(BadgesText.title)
                        }
                    }
                }
            }
            classTabs(schoolClass.id, schoolClass.name, .students, texts)
            if students.isEmpty {
                emptyBox(
                    texts(RosterText.emptyTitle),
                    texts(may.change ? RosterText.emptyAddThem : .emptyAdvice))
            } else {
                table(of: students, schoolClass, isReset: may.resetPasswords, texts)
            }
        }
    }

    private static func table(
        of students: [RosterEntry], _ schoolClass: TaughtClass, isReset: Bool, _ texts: Texts
    ) -> HTML {
        let columns: [RosterText] =
            [.columnName, .managedID, .status] + (isReset ? [.password] : [])
        return div(
            .class("table-box"), .role("region"), .label(texts(RosterText.title)), .tabindex(0)
        ) {
            Tag("table")(.class("table")) {
                thead {
                    tr {
                        for key in columns { th(.scope("col")) { texts(key) } }
                    }
                }
                tbody {
                    for student in students {
                        tr {
                            th(.scope("row"), .dirAuto) { student.name }
                            td(.class("code")) { student.managedID }
                            td { statusTag(student.status, texts) }
                            if isReset { td { passwordLink(student, schoolClass, texts) } }
                        }
                    }
                }
            }
        }
    }

    private static func passwordLink(
        _ student: RosterEntry, _ schoolClass: TaughtClass, _ texts: Texts
    ) -> HTML {
        guard student.status != .deactivated else { return .nothing }
        return a(.href("/classes/\(schoolClass.id)/roster/\(student.id)/password")) {
            texts(RosterText.newPassword)
            span(.class("unseen")) {
                " "
                texts.html(RosterText.newPasswordFor, ["name": written(student.name)])
            }
        }
    }

    private static func statusTag(_ status: RosterEntry.Status, _ texts: Texts) -> HTML {
        switch status {
        case .new: tag(texts(RosterText.statusNew), .unopened)
        case .active: tag(texts(RosterText.statusActive), .done, .good)
        case .locked: tag(texts(RosterText.statusLocked), .locked, .warn)
        case .deactivated: tag(texts(RosterText.statusDeactivated), .off, .line)
        }
    }

    // MARK: A new password

    private static func question(
        _ schoolClass: TaughtClass, _ student: RosterEntry, problem: String? = nil, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(RosterText.questionTitle)
        return View(title) {
            div {
                crumbs(steps(schoolClass, texts), texts)
                heading(title, below: written(student.name))
            }
            if let problem { notice(.bad, .warn) { p { problem } } }
            postForm(visit, visit.address.withoutQuery, .class("card reading")) {
                p { texts(RosterText.question) }
                div(.class("row")) {
                    button(.class("button button-main"), .type("submit")) {
                        texts(RosterText.makePassword)
                    }
                    a(.class("button button-plain"), .href("/classes/\(schoolClass.id)/roster")) {
                        texts(TeachingText.cancel)
                    }
                }
            }
        }
    }

    private static func makePassword(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let (schoolClass, student) = try await find(visit)
        guard let student else { return .view(ErrorPage.absent(visit)) }
        do {
            visit.waitForHashing()
            let made = try await visit.api.post("/v1/people/\(student.id)/temporary-password")
            return .view(shown(made, schoolClass, student, visit))
        } catch let refusal as Refusal where refusal.isForForm || refusal.status == 403 {
            let problem =
                refusal.status == 403
                ? texts(RosterText.refusedOther) : TeachingText.sentence(refusal, texts)
            return .view(
                question(schoolClass, student, problem: problem, visit).refused(refusal))
        }
    }

    /// Not a redirect: no other page could ask for the password again.
    private static func shown(
        _ made: JSONValue, _ schoolClass: TaughtClass, _ student: RosterEntry, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return View(texts(RosterText.shownTitle)) {
            div {
                crumbs(steps(schoolClass, texts), texts)
                heading(texts(RosterText.shownTitle), below: written(student.name))
            }
            notice(.warn, .warn) { p { texts(RosterText.shownOnce) } }
            div(.class("slips reading")) {
                slip(
                    Slip(
                        name: student.name, classes: schoolClass.name,
                        managedID: student.managedID,
                        password: made["temporaryPassword"]?.text ?? "",
                        expiresAt: made.moment("expiresAt")), visit)
            }
            p(.class("no-print")) {
                a(.class("button"), .href("/classes/\(schoolClass.id)/roster")) {
                    texts(RosterText.toRoster)
                }
            }
        }
    }

    static func steps(
        _ schoolClass: TaughtClass, _ texts: Texts
    ) -> [(path: LocalPath, name: String)] {
        [
            ("/classes/\(schoolClass.id)", schoolClass.name),
            ("/classes/\(schoolClass.id)/roster", texts(RosterText.title)),
        ]
    }
}
