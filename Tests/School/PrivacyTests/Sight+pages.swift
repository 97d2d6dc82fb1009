import School
import TestKit

/// What the pages show of attempts.
extension RandomSchool {
    /// Looks at every page as everyone: at those that links lead to, and at those about handouts and students whose
    /// addresses a person could guess or was sent.
    func lookThroughPages() async throws {
        for (name, viewer) in Onlooker.viewers {
            let look = look(name, as: viewer)
            if try await isErased(look) { continue }
            try await walk(name, look.token, showing: look.marks)
        }
        for (name, token) in others { try await walk(name, token, showing: []) }
    }

    /// Pages that differ only in what is filtered or sorted are looked at once.
    private func walk(_ who: String, _ token: String, showing allowed: Set<Int>) async throws {
        let browser = SchoolBrowser(service, token: token)
        var found: Set<Int> = []
        try await browser.walk(from: ["/"] + guesses) { target, shown in
            look(through: shown.body, for: allowed, who, "the page \(target)")
            found.formUnion(mark.all(in: shown.body))
            if shown.status >= 500 {
                findings.append("\(who) gets \(shown.status): the page \(target)")
            }
        }
        markCountOnPages += found.count
    }

    /// Pages about every handout and class, whoever may see them.
    private var guesses: [String] {
        let student = text(of: Cast.students[0])
        return handouts.values.flatMap { id in
            ["/handouts/\(id.uuid)", "/my-work/\(id.uuid)", "/progress/\(id.uuid)"]
                + ["/handouts/\(id.uuid)/students/\(student)"]
        }
            + classes.values.flatMap { id in
                ["/classes/\(id.uuid)/progress", "/classes/\(id.uuid)/students/\(student)"]
                    + ["/classes/\(id.uuid)/apps", "/classes/\(id.uuid)/insights"]
                    + Cast.apps.map { "/classes/\(id.uuid)/apps/\($0)" }
            }
    }
}
