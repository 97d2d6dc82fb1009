import API
import Contract
import School

/// How a handout as a whole, or one of its tasks, is marked.
enum Marking {
    static let shape = Shape.variant(
        name: "Marking", discriminator: "kind",
        [
            ("points", PointsMarking.declaration.object)
        ])

    /// The most points that one can get; `nil` if it is not marked.
    ///
    /// - Parameter pointer: where the body of the handout has the object.
    static func maximum(_ body: Fields, at pointer: String = "") throws -> Points? {
        guard let number = body.fields("marking")?.number("maximum") else { return nil }
        return try Points(number, at: pointer + "/marking/maximum")
    }
}

/// A number of points, of which hundredths count.
struct Points: Sendable, Equatable {
    /// As PostgreSQL reads a number.
    let text: String
    private let hundredths: Int

    /// - Parameter number: of a body whose shape was checked, so that it is neither negative nor large.
    init(_ number: Double, at pointer: String) throws {
        hundredths = Int((number * 100).rounded())
        guard Double(hundredths) / 100 == number else {
            throw Problem.invalid(
                pointer, "too_precise", "Points have at most two decimal places.")
        }
        let cents = hundredths % 100
        text = "\(hundredths / 100).\(cents < 10 ? "0" : "")\(cents)"
    }

    /// - Parameter text: as PostgreSQL writes it, with two decimal places.
    init?(stored text: String) {
        guard let hundredths = Int(text.filter { $0 != "." }) else { return nil }
        self.text = text
        self.hundredths = hundredths
    }

    static func > (first: Points, second: Points) -> Bool { first.hundredths > second.hundredths }
}
