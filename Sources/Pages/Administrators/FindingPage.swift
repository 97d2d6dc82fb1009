import JSONBytes

/// `/school/findings/{code}`: whom or what the checks mean.
enum FindingPage: Screen {
    static var pages: [Page] {
        [.show("/school/findings/{code}", for: .directoryManager, load: load, render: view)]
    }

    struct Content: Sendable {
        let finding: Finding?
        let subjects: [Subject]
    }

    /// A person or a class.
    struct Subject: Sendable {
        let path: LocalPath
        let name: String
        let more: String
    }

    /// How many are shown: each is a call.
    private static let most = 24

    private static func load(_ visit: Visit) async throws -> Content {
        let found = Finding.list(try await visit.api.get("/v1/checks"))
        guard let finding = found.first(where: { $0.code == visit["code"] }) else {
            return Content(finding: nil, subjects: [])
        }
        let subjects = try await withThrowingTaskGroup(of: (Int, Subject?).self) { group in
            for (index, id) in finding.subjectIDs.prefix(most).enumerated() {
                group.addTask { (index, try await subject(id, finding.subjectKind, visit)) }
            }
            var found: [(index: Int, subject: Subject)] = []
            while let (index, subject) = try await group.next() {
                if let subject { found.append((index, subject)) }
            }
            return found.sorted { $0.index < $1.index }.map { $0.subject }
        }
        return Content(finding: finding, subjects: subjects)
    }

    /// `nil` for what was removed meanwhile.
    private static func subject(
        _ id: String, _ kind: String, _ visit: Visit
    ) async throws -> Subject? {
        do {
            if kind == "person" {
                let item = try await visit.api.get("/v1/people/\(id)")
                guard let person = DirectoryPerson(item) else { return nil }
                return Subject(
                    path: "/people/\(id)", name: person.name, more: person.managedID)
            }
            guard kind == "class" else { return nil }
            let item = try await visit.api.get("/v1/classes/\(id)")
            return Subject(
                path: "/school/classes/\(id)",
                name: item["displayName"]?.text ?? item["name"]?.text ?? "",
                more: item["number"]?.text ?? "")
        } catch let refusal as Refusal where refusal.status == 404 {
            return nil
        }
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let way = Console.crumbs(texts, [("/school", .text(texts(SchoolText.title)))])
        guard let finding = content.finding else {
            return View(texts(SchoolText.gone)) {
                way
                emptyBox(texts(SchoolText.gone), texts(SchoolText.goneAdvice))
            }
        }
        return View(texts(SchoolText.findings)) {
            div {
                way
                heading(
                    finding.title(texts), below: finding.advice(texts),
                    tags: tag(
                        texts(finding.severity.word), finding.severity.icon, finding.severity.tone))
            }
            ul(.class("list list-boxed")) {
                for subject in content.subjects { li { row(subject) } }
            }
            if content.subjects.count < finding.count {
                p(.class("soft")) {
                    texts(
                        SchoolText.subjects, count: finding.count,
                        ["shown": texts.number(content.subjects.count)])
                }
            }
        }
    }

    private static func row(_ subject: Subject) -> HTML {
        div(.class("grow")) {
            p { a(.href(subject.path), .dirAuto) { subject.name } }
            if !subject.more.isEmpty { p(.class("small soft")) { written(subject.more) } }
        }
    }
}
