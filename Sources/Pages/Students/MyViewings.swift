import JSONBytes
import Values

enum MyViewingsText: String, TextKey {
    case title, hint, none, someone, ofClass, ofYou

    static let section = "myViewings"
}

/// One teacher who looked at the student's work on a day.
struct MyViewing: Sendable {
    /// `nil` if that person was erased.
    let reader: FullName?
    let className: String
    let isOfClass: Bool
    let day: Day?

    init(_ viewing: JSONValue) {
        reader = FullName(viewing["reader"])
        className = viewing["className"]?.text ?? "–"
        isOfClass = viewing["workOf"]?.text == "class"
        day = viewing["viewedOn"]?.text.flatMap { Day($0) }
    }

    /// The latest ones.
    static func load(_ visit: Visit) async throws -> [MyViewing] {
        (try await visit.api.get("/v1/me/viewings?limit=30")["items"]?.array ?? [])
            .map(MyViewing.init)
    }
}

extension [MyViewing] {
    /// Who looked at the student's work, for the page about what is recorded.
    func card(_ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card reading")) {
            h2(.id("viewings")) { texts(MyViewingsText.title) }
            if isEmpty {
                p(.class("soft")) { texts(MyViewingsText.none) }
            } else {
                p(.class("soft")) { texts(MyViewingsText.hint) }
                ul(.class("list list-wraps"), .labelledBy("viewings")) {
                    for viewing in self { li { viewing.row(visit) } }
                }
            }
        }
    }
}

extension MyViewing {
    @HTMLBuilder
    fileprivate func row(_ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let words: [String: HTML] = [
            "who": reader.map { written($0.text) } ?? .text(texts(MyViewingsText.someone)),
            "class": written(className),
        ]
        div(.class("grow")) {
            p { texts.html(isOfClass ? MyViewingsText.ofClass : .ofYou, words) }
            if let day {
                p(.class("small soft")) { texts.day(day, today: visit.today) }
            }
        }
    }
}
