import JSONBytes
import Values

enum GradesText: String, TextKey {
    case tab, title, below, emptyTitle, emptyAdvice, emptyMine, emptyOfStudent, grid, student
    case item, grade, when, by, of, work, allWork, columns, newer, older
    case late, missing, exempt, submitted, notSubmitted, partly, left, tooMany
    case systems, systemsHint, systemsNone, readsResults, elsewhere

    static let section = "grades"
}

/// What a system of the school graded.
struct GradedItem: Sendable {
    let id: String
    let title: String
    let system: String?
    let dueAt: Timestamp?
    let maximum: Double?

    init(_ item: JSONValue) {
        id = item["id"]?.text ?? ""
        title = item["title"]?.text ?? ""
        system = item["systemName"]?.text
        dueAt = item.moment("dueAt")
        maximum = item["valueMax"]?.double
    }
}

/// What a system of the school says of a student's work.
struct Grade: Sendable {
    let itemID: String
    let studentID: String
    let classID: String
    let className: String?
    let status: String
    let score: Double?
    let textScore: String?
    let scoredOn: Day?
    let comment: String?
    let isLate: Bool
    let isMissing: Bool
    let system: String?

    init(_ grade: JSONValue) {
        itemID = grade["itemId"]?.text ?? ""
        studentID = grade["personId"]?.text ?? ""
        classID = grade["classId"]?.text ?? ""
        className = grade["className"]?.text
        status = grade["status"]?.text ?? ""
        score = grade["score"]?.double
        textScore = grade["textScore"]?.text?.nilIfEmpty
        scoredOn = grade["scoredOn"]?.text.flatMap { Day($0) }
        comment = grade["comment"]?.text?.nilIfEmpty
        isLate = grade["isLate"]?.bool ?? false
        isMissing = grade["isMissing"]?.bool ?? false
        system = grade["systemName"]?.text
    }
}

extension Grade {
    /// The grade itself: what the system wrote in words, the score, or how far the work is.
    @HTMLBuilder
    func cell(of item: GradedItem?, _ texts: Texts) -> [HTML] {
        span(.class("strong")) { value(of: item, texts) }
        if let word = word(texts) { span(.class("small soft")) { word } }
        if isLate { tag(texts(GradesText.late), .late, .warn) }
        if isMissing { tag(texts(GradesText.missing), .warn, .bad) }
    }

    private func value(of item: GradedItem?, _ texts: Texts) -> HTML {
        if let textScore { return written(textScore) }
        guard let score else { return .nothing }
        let figure = texts.number(score, decimals: 2)
        guard let maximum = item?.maximum else { return .text(figure) }
        return .text(
            texts(GradesText.of, ["score": figure, "max": texts.number(maximum, decimals: 2)]))
    }

    /// What the status adds; `nil` for work that is graded, and for words of the system's own.
    private func word(_ texts: Texts) -> String? {
        switch status {
        case "exempt": texts(GradesText.exempt)
        case "submitted": texts(GradesText.submitted)
        case "not submitted": texts(GradesText.notSubmitted)
        case "partially graded": texts(GradesText.partly)
        default: nil
        }
    }
}

/// Lists of the gradebook as pages read them.
enum GradeLists {
    /// More grades than these are not shown: a hundred items of a hundred students.
    static let pagesMax = 10

    /// The grades that a call lists, of up to ten pages, and whether there are more.
    static func grades(_ path: LocalPath, _ api: Client) async throws -> ([Grade], isMore: Bool) {
        let (items, isMore) = try await all(path, api)
        return (items.map { Grade($0) }, isMore)
    }

    /// The graded items that a call lists, those due last first.
    static func items(_ path: LocalPath, _ api: Client) async throws -> [GradedItem] {
        try await all(path, api).items.map { GradedItem($0) }.sorted { one, other in
            (one.dueAt?.milliseconds ?? 0, one.id) > (other.dueAt?.milliseconds ?? 0, other.id)
        }
    }

    private static func all(
        _ path: LocalPath, _ api: Client
    ) async throws -> (items: [JSONValue], isMore: Bool) {
        var items: [JSONValue] = []
        var token: String?
        for _ in 0..<pagesMax {
            let page = try await api.get(path.with("limit", "1000").with("pageToken", token))
            items += page["items"]?.array ?? []
            token = page["nextPageToken"]?.text
            if token == nil { break }
        }
        return (items, token != nil)
    }
}

/// A student's grades, one below the other, with what teachers of other systems wrote to them.
func gradeTable(
    _ grades: [Grade], of items: [GradedItem], _ visit: Visit, label: String
) -> HTML {
    let texts = visit.texts
    let known = Dictionary(items.map { ($0.id, $0) }) { first, _ in first }
    let places = Dictionary(items.enumerated().map { ($1.id, $0) }) { first, _ in first }
    let rows = grades.sorted {
        (places[$0.itemID] ?? items.count, $0.itemID) < (
            places[$1.itemID] ?? items.count, $1.itemID
        )
    }
    let columns: [GradesText] = [.item, .grade, .when]
    return div(.class("table-box"), .role("region"), .label(label), .tabindex(0)) {
        table(.class("table table-fixed")) {
            thead { tr { for column in columns { th(.scope("col")) { texts(column) } } } }
            tbody {
                for grade in rows {
                    tr {
                        th(.scope("row")) {
                            written(known[grade.itemID]?.title ?? texts(GradesText.elsewhere))
                            br()
                            span(.class("small soft")) {
                                grade.system.map {
                                    texts.html(GradesText.by, ["system": written($0)])
                                } ?? .nothing
                            }
                        }
                        td(.class("text")) {
                            div(.class("cell")) { grade.cell(of: known[grade.itemID], texts) }
                            if let comment = grade.comment { writtenLines(comment, "small") }
                        }
                        td(.class("number")) {
                            grade.scoredOn.map { texts.day($0, today: visit.today) } ?? ""
                        }
                    }
                }
            }
        }
    }
}
