import API
import HTTPServer
import HTTPWire
import Postgres

/// Texts of a resource's calls in the API document, where they differ from the generated ones.
package struct ResourceTexts: Sendable {
    package typealias Problems = [(status: Int, meaning: String)]

    let summaries: [ResourceCall: String]
    let descriptions: [ResourceCall: String]
    let answers: [ResourceCall: String]
    let creating: Problems
    let changing: Problems
    let removing: Problems
    let batch: Problems

    /// - Parameters:
    ///   - summaries: replace `List courses` and the like.
    ///   - descriptions: what the summaries cannot say, in place of what replacing and batches say anyway.
    ///   - answers: replace `Courses in the order of their ids.` and the like.
    ///   - creating: problems of creating by `POST`.
    ///   - changing: problems of replacing and changing.
    ///   - removing: problems of removing, beside those of rows that are in use.
    ///   - batch: problems of a batch as a whole.
    package init(
        summaries: [ResourceCall: String] = [:], descriptions: [ResourceCall: String] = [:],
        answers: [ResourceCall: String] = [:], creating: Problems = [], changing: Problems = [],
        removing: Problems = [],
        batch: Problems = []
    ) {
        self.summaries = summaries
        self.descriptions = descriptions
        self.answers = answers
        self.creating = creating
        self.changing = changing
        self.removing = removing
        self.batch = batch
    }
}

/// The calls that a resource can have.
package enum ResourceCall: Sendable, CaseIterable {
    case list, create, find, replace, change, remove, batch
}

extension Resource {
    /// Notes that the caller is about to be shown these rows, of a page or alone.
    package typealias Noting = @Sendable ([Row], Caller) async throws -> Void

    /// The calls of the resource, in the order of the API document.
    ///
    /// - Parameters:
    ///   - readers: who may list and find; policies decide what they see.
    ///   - writers: who may make the other calls.
    ///   - noting: runs before rows of the list, in the order of their keys, or the one that was found are shown.
    package func endpoints(
        _ database: Database, readers: [Standing], writers: [Standing],
        _ texts: ResourceTexts = ResourceTexts(), noting: Noting? = nil
    ) -> [Endpoint] {
        let calls = ResourceCalls(resource: self, database: database, noting: noting)
        return ResourceCall.allCases.filter(self.calls.contains).map { call in
            let summary = texts.summaries[call] ?? summary(of: call)
            switch call {
            case .list: return list(calls, summary, readers, texts)
            case .create: return create(calls, summary, writers, texts)
            case .find:
                return Endpoint(
                    .get, rowPath, summary, description: texts.descriptions[.find], for: readers,
                    answers: [
                        answer(texts.answers[.find] ?? "The \(names.one).").tagged, .unchanged,
                    ], handler: calls.find)
            case .replace: return replace(calls, summary, writers, texts)
            case .change:
                return Endpoint(
                    .patch, rowPath, summary, description: texts.descriptions[.change],
                    for: writers,
                    body: .json(.object(changeShape)),
                    answers: [answer("As it is now.").tagged],
                    problems: texts.changing + [Self.changed], handler: calls.change)
            case .remove: return remove(calls, summary, writers, texts)
            case .batch: return calls.batchEndpoint(summary, writers, texts)
            }
        }
    }

    private func summary(of call: ResourceCall) -> String {
        let a = "aeiou".contains(names.one.prefix(1)) ? "an" : "a"
        return switch call {
        case .list: "List \(names.many)"
        case .create: "Create \(a) \(names.one)"
        case .find: "Find \(a) \(names.one)"
        case .replace: "Replace \(a) \(names.one), or create it by source:ID"
        case .change: "Change fields of \(a) \(names.one)"
        case .remove: "Remove \(a) \(names.one)"
        case .batch: "Create or replace up to 1,000 \(names.many) by sourceId"
        }
    }

    /// What becomes of the fields that a body does not have.
    private var replacing: String {
        "Fields that the body leaves out go back to their defaults."
            + (isReferable
                ? " A new `source:ID` creates the record; an unknown id is 404." : "")
    }

    /// The parameter of the path that names a row.
    var pathParameter: String { key?.field.name ?? "id" }

    private var rowPath: String { "\(names.path)/{\(pathParameter)}" }

    private func answer(_ meaning: String, status: Int = 200) -> Endpoint.Answer {
        .json(meaning, .object(shape), status: status)
    }

    package static var changed: (status: Int, meaning: String) {
        (412, "It changed since you read it.")
    }

    private func list(
        _ calls: ResourceCalls<Entity>, _ summary: String, _ readers: [Standing],
        _ texts: ResourceTexts
    ) -> Endpoint {
        let many = names.many.prefix(1).uppercased() + names.many.dropFirst()
        let meaning = texts.answers[.list] ?? "\(many) in the order of their ids."
        return Endpoint(
            .get, names.path, summary, description: texts.descriptions[.list], for: readers,
            query: filters.map(\.parameter) + (hasNames ? [Self.orderParameter] : [])
                + Endpoint.Parameter.page,
            answers: [.page(meaning, of: shape)],
            reads: .replica, handler: calls.list)
    }

    /// Whether every row has a name by which lists can be ordered.
    private var hasNames: Bool {
        columns.contains { $0.field.name == "name" && $0.field.isRequired }
    }

    static var orderParameter: Endpoint.Parameter {
        .optional(
            "order", .word(["id", "name"]),
            "By id, or by name as in a dictionary and then by id; `id` when absent.")
    }

    private func create(
        _ calls: ResourceCalls<Entity>, _ summary: String, _ writers: [Standing],
        _ texts: ResourceTexts
    ) -> Endpoint {
        let taken = [(status: 409, meaning: "Another record has this sourceId.")]
        return Endpoint(
            .post, names.path, summary, description: texts.descriptions[.create], for: writers,
            body: .json(.object(newShape)),
            answers: [
                answer(texts.answers[.create] ?? "The new \(names.one).", status: 201).tagged
                    .located
            ],
            problems: texts.creating.isEmpty && isReferable ? taken : texts.creating,
            handler: calls.create)
    }

    private func replace(
        _ calls: ResourceCalls<Entity>, _ summary: String, _ writers: [Standing],
        _ texts: ResourceTexts
    ) -> Endpoint {
        Endpoint(
            .put, rowPath, summary, description: texts.descriptions[.replace] ?? replacing,
            for: writers, body: .json(.object(replacementShape)),
            answers: [answer(texts.answers[.replace] ?? "Replaced.").tagged]
                + (isReferable || key?.repeated != nil
                    ? [answer("Created.", status: 201).tagged] : []),
            problems: texts.changing + [Self.changed], handler: calls.replace)
    }

    private func remove(
        _ calls: ResourceCalls<Entity>, _ summary: String, _ writers: [Standing],
        _ texts: ResourceTexts
    ) -> Endpoint {
        let used = (
            status: 409, meaning: "It is still in use; the detail says by what, and how much."
        )
        return Endpoint(
            .delete, rowPath, summary, description: texts.descriptions[.remove], for: writers,
            answers: [.empty(204, texts.answers[.remove] ?? "Removed.")],
            problems: (rules.dependents == nil ? [] : [used]) + texts.removing + [Self.changed],
            handler: calls.remove)
    }
}
