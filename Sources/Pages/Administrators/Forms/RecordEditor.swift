import HTTPWire
import JSONBytes

/// The pages that make, change and remove records of one kind: `PATH/new`, `PATH/{id}/edit` and `PATH/{id}/removal`.
struct RecordEditor: Sendable {
    /// What the pages say.
    struct Words: Sendable {
        let list: String
        let new: String
        let make: String
        let save: String
        let errorTitle: String
        let remove: String
        let removeTitle: String
        let removeDoes: String
        /// Why a record cannot be removed.
        let inUse: String
    }

    /// The list of the records, and what they are called in the API.
    let path: StaticString
    let api: StaticString
    /// What they are called among changes.
    let kind: String
    let audience: Audience
    let words: @Sendable (Texts) -> Words
    let notices: (made: Notice, saved: Notice, removed: Notice)
    let fields: @Sendable (Visit) async throws -> [RecordField]
    /// Codes of problems of which there is more to say.
    var reasons: @Sendable (Texts) -> [String: String] = { _ in [:] }
    /// What the fields show of a record.
    var shown: @Sendable (JSONValue) -> JSONValue = { $0 }
    /// What is sent for what was typed.
    var sent: @Sendable (JSONObject) -> JSONObject = { $0 }
    /// Whether a record has a page of its own, to which one returns.
    var hasPage = false

    private var base: String { "\(path)" }

    private func record(_ id: String, _ part: String = "") -> LocalPath {
        LocalPath(own: base + LocalPath("/\(id)").text + part)
    }

    private func call(_ id: String) -> LocalPath {
        LocalPath(own: "\(api)" + LocalPath("/\(id)").text)
    }

    private func home(_ id: String) -> LocalPath {
        hasPage ? record(id) : LocalPath(own: base)
    }

    var pages: [Page] {
        [
            .get("\(base)/new", for: audience) { visit in
                .view(page(nil, visit).view(RecordForm(try await fields(visit)), .none, visit))
            },
            .post("\(base)/new", for: audience, make),
            .get("\(base)/{id}/edit", for: audience) { visit in
                let found = try await visit.api.getTagged(call(visit["id"]))
                let form = RecordForm(
                    try await fields(visit), of: shown(found.document), tag: found.tag)
                return .view(edited(form, .none, visit))
            },
            .post("\(base)/{id}/edit", for: audience, save).changing(.record(kind)),
            .get("\(base)/{id}/removal", for: audience) { visit in
                let words = words(visit.texts)
                _ = try await visit.api.get(call(visit["id"]))
                return .view(
                    Console.confirmation(
                        visit, title: words.removeTitle, does: words.removeDoes,
                        button: words.remove, to: record(visit["id"], "/removal"),
                        back: home(visit["id"])))
            },
            .post("\(base)/{id}/removal", for: audience, remove),
        ]
    }

    @Sendable private func make(_ form: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(try await fields(visit), form)
        do {
            let made = try await visit.api.post(
                LocalPath(own: "\(api)"), .object(sent(form.body(isNew: true))))
            return .redirect(home(made["id"]?.text ?? ""), notice: notices.made)
        } catch let refusal as Refusal where refusal.status == 409 || refusal.status == 422 {
            let problems = try form.problems(refusal, visit.texts, reasons(visit.texts))
            return .view(page(nil, visit).view(form, problems, visit).refused(refusal))
        }
    }

    @Sendable private func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(try await fields(visit), form)
        do {
            try await visit.api.send(
                .patch, call(visit["id"]), .object(sent(form.body(isNew: false))),
                headers: form.conditions)
        } catch let refusal as Refusal where [409, 422].contains(refusal.status) {
            let problems = try form.problems(refusal, visit.texts, reasons(visit.texts))
            return .view(edited(form, problems, visit).refused(refusal))
        }
        return .redirect(home(visit["id"]), notice: notices.saved)
    }

    @Sendable private func remove(_ form: Form, _ visit: Visit) async throws -> Answer {
        do {
            try await visit.api.delete(call(visit["id"]))
        } catch let refusal as Refusal where refusal.status == 409 {
            let texts = visit.texts
            return .view(
                Console.refused(words(texts).inUse, back: home(visit["id"]), 409, texts))
        }
        return .redirect(LocalPath(own: base), notice: notices.removed)
    }

    private func edited(
        _ form: RecordForm, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        page(visit["id"], visit).view(
            form, problems, visit,
            more: p {
                a(.href(record(visit["id"], "/removal"))) { words(visit.texts).remove }
            })
    }

    /// - Parameter id: `nil` for a new record.
    private func page(_ id: String?, _ visit: Visit) -> RecordPage {
        let words = words(visit.texts)
        let list = LocalPath(own: base)
        return RecordPage(
            title: id == nil ? words.new : visit.texts(PersonText.edit), isNew: id == nil,
            errorTitle: words.errorTitle, buttonText: id == nil ? words.make : words.save,
            action: id.map { record($0, "/edit") } ?? LocalPath(own: "\(base)/new"),
            back: id.map(home) ?? list, crumbs: [(list, .text(words.list))])
    }
}
