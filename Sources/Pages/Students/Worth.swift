import Contract
import HTTPWire
import JSONBytes
import Values

enum MarkText: String, TextKey {
    case of, own, whole, title, task, hint, draftHint, save
    case errorNumber, errorMost, errorKept, errorsTitle, noticeSaved, withReturn

    static let section = "marks"
}

/// How a student's handout is marked, as the pages of the student and of teachers show it.
struct Worth: Sendable {
    /// The handout as a whole, then the tasks in their order.
    let works: [Document<MarkedWork>]

    /// Nothing where the student does not have the handout.
    static func load(_ handout: String, of student: String, _ visit: Visit) async throws -> Worth {
        do {
            let call = MarkCalls.ofStudent.of(handout, student).with(.limit, 100)
            return Worth(works: try await visit.api.answer(to: call).items)
        } catch let refusal as Refusal where refusal.status == 404 {
            return Worth(works: [])
        }
    }

    /// What the student was given.
    ///
    /// - Parameter task: `nil` for the handout as a whole.
    func given(_ task: String?) -> Document<GivenMark>? {
        works.first { $0.taskId == task }.flatMap { $0.mark }
    }

    /// What can be marked now.
    var marked: [Document<MarkedWork>] { works.filter { $0.maximum != nil } }
}

extension Texts {
    /// `13.5 of 15 points`.
    func worth(_ mark: Document<GivenMark>) -> String { worth(mark.points, of: mark.maximum) }

    func worth(_ points: Double, of maximum: Double) -> String {
        self(
            MarkText.of,
            [
                "points": number(points, decimals: 2), "maximum": number(maximum, decimals: 2),
            ])
    }

    /// Points as they were typed, with a point or a comma; `nil` if it is no number of points.
    static func points(typed text: String) -> Double? {
        let parts = text.replacing(",", with: ".").split(
            separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !parts[0].isEmpty,
            parts.allSatisfy({ $0.count <= 4 && $0.allSatisfy { ("0"..."9").contains($0) } }),
            parts.count == 1 || (1...2).contains(parts[1].count)
        else { return nil }
        return Double(parts.joined(separator: "."))
    }
}
