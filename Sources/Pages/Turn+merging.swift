import HTTPWire
import JSONBytes
import Values

/// What the form of a page changes, to find out who else did.
enum Edited: Sendable {
    /// Something of which `/v1/changes/latest` says who changed it: its kind there.
    case record(String)
    /// Something of the school: the kind of its audit events.
    ///
    /// - byID: whether they name it by the `{id}` of the path.
    /// - comparesFirst: whether it has no version by which the API would refuse an outdated change.
    case setting(String, byID: Bool, comparesFirst: Bool = false)

    var comparesFirst: Bool {
        if case .setting(_, _, comparesFirst: true) = self { true } else { false }
    }
}

/// Saving a form changes what that form changed, and nothing else.
///
/// A form says what it was filled with. If somebody else changed the same thing meanwhile, the page is asked once more
/// what its form holds now, and the three are compared: what only one of the two changed is kept from both, and what
/// both changed is asked field by field. No page does anything for that but declare it, and let the refusal of an
/// outdated version (412) pass.
extension Turn {
    /// How often a version may change again while it is looked at.
    private static let attempts = 3

    mutating func answer(_ page: Page, to sent: Form) async throws -> Answer {
        guard let edited = page.edits, let reading = Screens.shown[page.path] else {
            return try await page.answer(visit, sent)
        }
        var form = ConflictPage.decided(sent)
        guard var filled = typed?.filled, var filledAt = typed?.filledAt else {
            return try await page.answer(visit, form)
        }
        var isOutdated = edited.comparesFirst
        var attempt = 1
        while true {
            if isOutdated, let now = try await contentNow(of: reading) {
                let merge = FormMerge(filled, form.items, onto: now)
                guard merge.clashes.isEmpty else {
                    return .view(await conflict(merge, now, edited, filled))
                }
                form = Form(items: merge.items)
                (filled, filledAt) = (now.filled, visit.now)
            }
            do {
                (visit.filled, visit.filledAt) = (filled, filledAt)
                return try await page.answer(visit, form)
            } catch let refusal as Refusal where refusal.status == 412 && attempt < Self.attempts {
                isOutdated = true
                attempt += 1
            }
        }
    }

    /// What the form holds now; `nil` where the page shows it no more.
    private func contentNow(of reading: Page) async throws -> FormContent? {
        var visit = visit
        (visit.filled, visit.filledAt) = (nil, nil)
        guard case .view(let view) = try await reading.answer(visit, .none) else { return nil }
        let target = visit.address.withoutQuery.text
        return view.main.elements(named: "form").first { form in
            form["method"] == "post" && form["action"] == target
        }.map { FormContent(of: $0.content ?? []) }
    }

    private func conflict(
        _ merge: FormMerge, _ now: FormContent, _ edited: Edited, _ filled: [FormContent.Filled]
    ) async -> View {
        let change = await LastChange(of: edited, since: typed?.filledAt, visit)
        let record = Self.name(in: filled)
        return ConflictPage(merge: merge, now: now, change: change, record: record).view(visit)
    }

    /// By what the visitor knows what the form is about: a title, a name, or how a text begins.
    private static func name(in filled: [FormContent.Filled]) -> String? {
        func value(_ name: String) -> String? {
            filled.first { $0.name == name }?.value.trimmedSpace.nilIfEmpty
        }
        if let given = value("givenName"), let family = value("familyName") {
            let isFamilyFirst = value("nameOrder") == "familyFirst"
            return FullName(given: given, family: family, isFamilyFirst: isFamilyFirst).text
        }
        return value("title") ?? value("name") ?? value("text").map(beginning)
    }

    private static let beginningMax = 40

    private static func beginning(of text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard line.count > beginningMax else { return line }
        let cut = line.prefix(beginningMax)
        return String(cut[..<(cut.lastIndex(of: " ") ?? cut.endIndex)]) + "…"
    }
}

/// Who changed something last, as far as the visitor may know.
struct LastChange: Sendable {
    private(set) var at: Timestamp?
    /// `nil` where it is not known, or not for the visitor to see.
    private(set) var name: String?
    /// Whether it was the visitor, in another window.
    private(set) var isOwn = false

    /// A page says less where the API does not answer: nothing depends on it.
    ///
    /// - Parameter since: when the form was filled; what was changed before is in it.
    init(of edited: Edited, since: Timestamp?, _ visit: Visit) async {
        let found: JSONValue?
        switch edited {
        case .record(let kind):
            let path = LocalPath("/v1/changes/latest").with("kind", kind).with("id", visit["id"])
            found = try? await visit.api.get(path)
        case .setting(let kind, let byID, _):
            let path = LocalPath("/v1/audit-events?limit=1").with("kind", kind)
                .with("subjectId", byID ? visit["id"] : nil)
                .with("since", since?.description)
            found = try? await visit.api.get(path)["items"]?[0]
        }
        guard let moment = found?["at"]?.text.flatMap({ Timestamp($0) }), moment >= since ?? moment
        else { return }
        at = moment
        if let person = found?["changedBy"] {
            isOwn = person["id"]?.text == visit.person?.id
            name = FullName(person)?.text
        } else if let id = found?["personId"]?.text {
            isOwn = id == visit.person?.id
            // Whoever may not see the person gets no name.
            let person = try? await visit.api.get("/v1/people/\(id)")
            name = person.flatMap { FullName($0)?.text }
        }
    }
}
