import HTTPServer
import HTTPWire
import JSONBytes
import Values

// The parts that the pages of reports have in common.

/// The way to a page, from the class down.
func crumbs(_ steps: [(path: LocalPath, name: String)], _ texts: Texts) -> HTML {
    guard !steps.isEmpty else { return .nothing }
    return nav(.label(texts(ReportText.crumbs))) {
        ol(.class("crumbs")) {
            for step in steps { li { a(.href(step.path), .dirAuto) { step.name } } }
        }
    }
}

/// The way to a page of a handout.
///
/// - Parameter schoolClass: `nil` where the API does not show it.
func crumbs(
    _ schoolClass: Side.SchoolClass?, handout: (id: String, title: String)?, _ texts: Texts
) -> HTML {
    var steps: [(path: LocalPath, name: String)] = []
    if let schoolClass { steps.append(("/classes/\(schoolClass.id)", schoolClass.name)) }
    if let handout { steps.append(("/handouts/\(handout.id)", handout.title)) }
    return crumbs(steps, texts)
}

/// Opens the print dialog; without a script, the browser's own menu does.
func printButton(_ texts: Texts) -> HTML {
    a(.class("button"), .href(part: "main"), Attribute("data-print")) {
        Icon.print.html
        texts(ReportText.print)
    }
}

/// How old the figures are, and a link that asks for new ones.
func asOf(_ moment: Timestamp?, _ visit: Visit) -> HTML {
    p(.class("small soft")) {
        if let moment {
            visit.texts(ReportText.updatedAt, ["time": visit.texts.time(visit.local(moment))])
            " · "
        }
        a(.class("no-print"), .href(visit.address)) { visit.texts(ReportText.reload) }
    }
}

extension Visit {
    /// A report of the API as a table, with the name of its file.
    func table(_ path: LocalPath) async throws -> HTTPResponse {
        try await file(path, as: "text/csv")
    }

    /// A file of the API, passed on with its name.
    func file(_ path: LocalPath, as type: String) async throws -> HTTPResponse {
        let answer = try await api.ask(.get, path, headers: [(name: "Accept", value: type)])
        guard answer.status == 200 else {
            let document = try? JSONValue(parsing: await answer.wholeBody())
            throw Refusal(answer, document ?? .null, requestID: request.requestID)
        }
        var file = answer
        file.headers = answer.headers.filter {
            ["content-type", "content-disposition", "cache-control"].contains($0.name.lowercased())
        }
        return file
    }

    /// Events of the API, passed on as they come.
    func events(_ path: LocalPath) async throws -> HTTPResponse {
        let known = request.headers["last-event-id"].map { (name: "Last-Event-ID", value: $0) }
        let answer = try await api.ask(.get, path, headers: known.map { [$0] } ?? [])
        guard answer.status == 200 else {
            let document = try? JSONValue(parsing: await answer.wholeBody())
            throw Refusal(answer, document ?? .null, requestID: request.requestID)
        }
        return answer
    }

    /// The class of a handout; `nil` where the API does not show it.
    func schoolClass(of handout: JSONValue) async -> Side.SchoolClass? {
        guard let id = handout["classId"]?.text else { return nil }
        return (try? await api.get("/v1/classes/\(id)")).flatMap(Side.SchoolClass.init)
    }
}
