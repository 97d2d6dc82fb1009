import HTTPServer
import HTTPWire
import JSONBytes
import Values

enum PersonActionText: String, TextKey {
    case deactivateTitle, deactivateDoes, pauseTitle, pauseDoes
    case exportTitle, exportDoes, eraseTitle, eraseDoes, eraseSure, errorSure
    case passwordTitle, passwordFor, passwordOnce, passwordUntil, back
    case refusedTitle, lastAdministrator, oneself, importsRun, deactivated, held, forbidden
    case withoutPasswords

    static let section = "personAction"
}

/// What one can do with a person, and the pages that ask once more.
enum PersonActions: Screen {
    static var pages: [Page] {
        [
            question(
                "deactivation", .deactivateTitle, .deactivateDoes, .deactivate,
                for: .peopleManager),
            question("pause", .pauseTitle, .pauseDoes, .pause, for: .directoryManager),
            question(
                "data-export", .exportTitle, .exportDoes, .exportData, for: .administrator),
            act("deactivation", PersonText.noticeDeactivated) { visit, id in
                try await visit.api.put("/v1/people/\(id)/deactivation")
            },
            act("reactivation", PersonText.noticeReactivated) { visit, id in
                try await visit.api.delete("/v1/people/\(id)/deactivation")
            },
            act("pause", PersonText.noticePaused) { visit, id in
                try await visit.api.put("/v1/people/\(id)/progress-pause")
            },
            act("resume", PersonText.noticeResumed) { visit, id in
                try await visit.api.delete("/v1/people/\(id)/progress-pause")
            },
            act("unlock", PersonText.noticeUnlocked) { visit, id in
                try await visit.api.delete("/v1/people/\(id)/sign-in-lock")
            },
            act("sessions/{session}/end", PersonText.noticeEnded) { visit, id in
                try await visit.api.delete("/v1/people/\(id)/sessions/\(visit["session"])")
            },
            act("sign-in-links/end", PersonText.noticeForgotten) { visit, id in
                try await visit.api.delete("/v1/people/\(id)/sign-in-links")
            },
            .post("/people/{id}/data-export", for: .administrator, export),
            .post("/people/{id}/temporary-password", for: .peopleManager, givePassword),
        ]
    }

    // MARK: On the person's page

    static func aside(_ person: DirectoryPerson, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let isAdministrator = visit.person?.belongs(to: .administrator) == true
        return Tag("aside")(.class("stack"), .label(texts(PersonText.actions))) {
            let uses = visit.schoolUsesPasswords || person.isAdministrator
            if person.status != .deactivated, uses { password(person, visit) }
            if person.isStudent, visit.person?.belongs(to: .directoryManager) == true {
                progress(person, visit)
            }
            if isAdministrator {
                section(.class("card")) {
                    h2 { texts(PersonText.data) }
                    p(.class("soft")) { texts(PersonText.dataHint) }
                    a(.class("button"), .href("/people/\(person.id)/data-export")) {
                        Icon.csv.html
                        texts(PersonText.exportData)
                    }
                }
            }
            section(.class("card")) {
                h2 { texts(PersonText.leaving) }
                div(.class("stack")) { leaving(person, visit, mayErase: isAdministrator) }
            }
        }
    }

    private static func password(_ person: DirectoryPerson, _ visit: Visit) -> HTML {
        section(.class("card")) {
            h2 { visit.texts(PersonText.password) }
            p(.class("soft")) { visit.texts(PersonText.passwordHint) }
            postForm(visit, "/people/\(person.id)/temporary-password") {
                button(.class("button"), .type("submit")) { visit.texts(PersonText.newPassword) }
            }
        }
    }

    private static func progress(_ person: DirectoryPerson, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card")) {
            h2 { texts(PersonText.progress) }
            if person.isProgressPaused {
                p { texts(PersonText.progressOff) }
                postForm(visit, "/people/\(person.id)/resume") {
                    button(.class("button"), .type("submit")) { texts(PersonText.resume) }
                }
            } else {
                p { texts(PersonText.progressOn) }
                a(.class("button"), .href("/people/\(person.id)/pause")) {
                    Icon.off.html
                    texts(PersonText.pause)
                }
            }
        }
    }

    @HTMLBuilder
    private static func leaving(
        _ person: DirectoryPerson, _ visit: Visit, mayErase: Bool
    ) -> [HTML] {
        let texts = visit.texts
        if person.status == .deactivated {
            postForm(visit, "/people/\(person.id)/reactivation") {
                button(.class("button button-wide"), .type("submit")) {
                    texts(PersonText.reactivate)
                }
            }
        } else {
            a(
                .class("button button-risk button-wide"),
                .href("/people/\(person.id)/deactivation")
            ) { texts(PersonText.deactivate) }
        }
        if mayErase {
            a(.class("button button-risk button-wide"), .href("/people/\(person.id)/erasure")) {
                texts(PersonText.erase)
            }
        }
    }

    // MARK: Asking once more

    private static func question(
        _ name: String, _ title: PersonActionText, _ does: PersonActionText,
        _ button: PersonText, for audience: Audience
    ) -> Page {
        .show("/people/{id}/\(name)", for: audience) { visit in
            try await person(visit)
        } render: { person, visit in
            let texts = visit.texts
            let values = ["name": person.name]
            return Console.confirmation(
                visit, title: texts(title, values), does: texts(does),
                button: texts(button),
                to: LocalPath(own: LocalPath("/people/\(person.id)").text + "/" + name),
                back: "/people/\(person.id)")
        }
    }

    static func person(_ visit: Visit) async throws -> DirectoryPerson {
        let item = try await visit.api.get("/v1/people/\(visit["id"])")
        guard let person = DirectoryPerson(item) else { throw UnexpectedDocument() }
        return person
    }

    // MARK: Doing it

    private static func act(
        _ name: String, _ notice: PersonText,
        _ call: @escaping @Sendable (Visit, String) async throws -> Void
    ) -> Page {
        .post("/people/{id}/\(name)", for: .peopleManager) { _, visit in
            do {
                try await call(visit, visit["id"])
            } catch let refusal as Refusal {
                return .view(try refused(refusal, visit))
            }
            return .redirect("/people/\(visit["id"])", notice: Notice(notice))
        }
    }

    /// Says why a person cannot be changed, where there is a reason to say.
    static func refused(_ refusal: Refusal, _ visit: Visit) throws -> View {
        let reason: PersonActionText
        switch (refusal.status, refusal.code) {
        case (_, "last_administrator"): reason = .lastAdministrator
        case (_, "may_not_erase_oneself"): reason = .oneself
        case (_, "imports_under_way"): reason = .importsRun
        case (_, "person_deactivated"): reason = .deactivated
        case (_, "held"): reason = .held
        case (_, "without_passwords"): reason = .withoutPasswords
        case (403, _): reason = .forbidden
        default: throw refusal
        }
        let texts = visit.texts
        return View(texts(PersonActionText.refusedTitle)) {
            h1 { texts(PersonActionText.refusedTitle) }
            p(.class("reading")) { texts(reason) }
            p {
                a(.class("button"), .href("/people/\(visit["id"])")) {
                    texts(PersonActionText.back)
                }
            }
        }.refused(refusal)
    }

    /// Passes the archive on as a download.
    private static func export(_ form: Form, _ visit: Visit) async throws -> Answer {
        let answer = try await visit.api.ask(.post, "/v1/people/\(visit["id"])/data-export")
        guard (200..<300).contains(answer.status) else {
            let bytes = try await answer.wholeBody()
            let document = (try? JSONValue(parsing: bytes)) ?? .null
            throw Refusal(answer, document, requestID: visit.request.requestID)
        }
        return .response(answer)
    }

    /// Shows a new password, this once.
    private static func givePassword(_ form: Form, _ visit: Visit) async throws -> Answer {
        let id = visit["id"]
        async let found = Self.person(visit)
        let given: JSONValue
        do {
            visit.waitForHashing()
            given = try await visit.api.post("/v1/people/\(id)/temporary-password")
        } catch let refusal as Refusal {
            return .view(try refused(refusal, visit))
        }
        let someone = try await found
        let texts = visit.texts
        let until = given["expiresAt"]?.text.flatMap { Timestamp($0) } ?? visit.now
        return .view(
            View(texts(PersonActionText.passwordTitle)) {
                heading(
                    texts(PersonActionText.passwordTitle),
                    below: texts.html(
                        PersonActionText.passwordFor, ["name": written(someone.name)]))
                section(.class("card reading slip")) {
                    p(.class("soft")) { written(someone.managedID) }
                    p(.class("secret"), .dirAuto) { given["temporaryPassword"]?.text ?? "" }
                    p { texts(PersonActionText.passwordUntil, ["when": visit.moment(until)]) }
                }
                p(.class("reading")) { texts(PersonActionText.passwordOnce) }
                p(.class("no-print")) {
                    a(.class("button"), .href("/people/\(id)")) {
                        texts(PersonActionText.back)
                    }
                }
            })
    }
}
