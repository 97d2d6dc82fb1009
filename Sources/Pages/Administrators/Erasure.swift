/// `/people/{id}/erasure`: removes everything about a person, after a box was ticked.
enum Erasure: Screen {
    static var pages: [Page] {
        [
            .show("/people/{id}/erasure", for: .administrator) { visit in
                try await PersonActions.person(visit)
            } render: { person, visit in
                view(person, isUnsure: false, visit)
            },
            .post("/people/{id}/erasure", for: .administrator, erase),
        ]
    }

    private static func view(
        _ person: DirectoryPerson, isUnsure: Bool, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let name = ["name": person.name]
        let box = parts {
            if isUnsure {
                p(.class("problem"), .role("alert")) {
                    Icon.warn.html
                    texts(PersonActionText.errorSure)
                }
            }
            label(.class("choice")) {
                input(.type("checkbox"), .name("sure"), .value("yes"))
                span { texts(PersonActionText.eraseSure, name) }
            }
        }
        return Console.confirmation(
            visit, title: texts(PersonActionText.eraseTitle, name),
            does: texts(PersonActionText.eraseDoes), button: texts(PersonText.erase),
            to: "/people/\(person.id)/erasure", back: "/people/\(person.id)", more: box)
    }

    private static func erase(_ form: Form, _ visit: Visit) async throws -> Answer {
        guard form.has("sure") else {
            let person = try await PersonActions.person(visit)
            return .view(view(person, isUnsure: true, visit).refused())
        }
        do {
            try await visit.api.post("/v1/people/\(visit["id"])/erasure")
        } catch let refusal as Refusal {
            return .view(try PersonActions.refused(refusal, visit))
        }
        return .redirect("/people", notice: Notice(PersonText.noticeErased))
    }
}
