import Postgres
import School
import Values

/// What kind of term it is, the larger before the smaller.
enum TermKind: String, CaseIterable {
    case schoolYear
    case semester
    case term
    case gradingPeriod

    static let words = allCases.map(\.rawValue)

    /// 0 for the largest.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A term as it is sent.
struct NewTerm {
    let name: String
    let kind: TermKind
    let startsOn: Day
    /// The first day after it.
    let endsOn: Day
    let sourceID: String?
    let parent: Reference<TermEntity>?

    init(_ sent: Sent) throws {
        let body = sent.body
        name = body.text("name")!
        kind = TermKind(rawValue: body.text("kind")!)!
        startsOn = body.day("startsOn")!
        endsOn = body.day("endsOn")!
        sourceID = try sent.sourceID()
        parent = body.reference("parentId")
        guard startsOn < endsOn else {
            throw Problem.invalid(
                "/endsOn", "ends_before_it_starts",
                "endsOn is the first day after the term, so it is later than startsOn.")
        }
    }

    /// Refuses a larger term that is none, does not cover this one, or is closed.
    func checkParent(_ parent: Row) throws {
        guard try parent.optionalTimestamp("closed_at") == nil else { throw Problem.termClosed }
        guard let kind = TermKind(rawValue: try parent.text("kind")), kind.rank < self.kind.rank
        else {
            throw Problem.invalid(
                "/parentId", "not_larger",
                "A \(self.kind.rawValue) is part of a larger kind of term: "
                    + (TermKind.words.prefix(self.kind.rank).joined(separator: ", ") + "."))
        }
        let begins = try parent.day("starts_on")
        let ends = try parent.day("ends_on")
        guard startsOn >= begins, endsOn <= ends else {
            throw Problem.invalid(
                startsOn < begins ? "/startsOn" : "/endsOn", "outside_parent",
                "The larger term runs from \(begins) to the day before \(ends).")
        }
    }

    /// Refuses days and a kind which would no longer hold the parts that this term has.
    func checkParts(_ parts: Row) throws {
        guard try parts.int("outside") == 0 else {
            throw Problem.invalid(
                "/endsOn", "parts_outside",
                "\(try parts.int("outside")) parts of this term would lie outside it.")
        }
        if let largest = try parts.textArray("kinds").compactMap(TermKind.init).map(\.rank).min(),
            largest <= kind.rank
        {
            throw Problem.invalid(
                "/kind", "not_larger",
                "It has parts of kind \(TermKind.words[largest]), which must be smaller than the term."
            )
        }
    }
}

/// Which terms a list holds.
struct TermFilter {
    let kind: String?
    let isClosed: Bool?
    let day: Day?
    let parent: Reference<TermEntity>?
    let name: String?
    let sourceID: String?
    let updatedSince: Timestamp?

    init(_ request: Request) {
        kind = request.query("kind")
        isClosed = request.query("status").map { $0 == "closed" }
        day = request.queryDay("on")
        parent = request.queryReference("parentId")
        name = request.query("q")
        sourceID = request.query("sourceId")
        updatedSince = request.queryTimestamp("updatedSince")
    }
}

extension Problem {
    static let termClosed = Problem(
        409, "term_closed", "The term is closed.",
        detail: "If it was closed by mistake, open it again with DELETE /v1/terms/{id}/closing.")

    static let termsOverlap = Problem(
        409, "terms_overlap", "It overlaps another term of the same kind.",
        errors: [
            Invalid(
                pointer: "/startsOn", code: "terms_overlap",
                detail: "These days overlap another term of the same kind.")
        ])
}
