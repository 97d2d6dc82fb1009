import JSONBytes
import Values

enum MyViewingsText: String, TextKey {
    case title, hint, none, someone, ofClass, ofYou

    static let section = "myViewings"
}

/// A teacher, or another system of the school, that looked at the student's work on a day.
struct MyViewing: Sendable {
    /// `nil` for a system, and if that person was erased.
    let reader: FullName?
    let system: String?
    let className: String
    let isOfClass: Bool
    let day: Day?

    init(_ viewing: JSONValue) {
        reader = FullName(viewing["reader"])
        system = viewing["system"]?["name"]?.text
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
            "who": (reader?.text ?? system).map { written($0) }
                ?? .text(texts(MyViewingsText.someone)),
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
