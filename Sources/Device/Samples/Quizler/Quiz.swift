/// Sums to do in one's head.
struct Quiz: Sendable {
    struct Question: Sendable {
        let text: String
        let answer: Int
    }

    /// Of its context.
    let identifier: String
    let title: String
    let questions: [Question]

    static let all = [
        Quiz(
            identifier: "addition-quiz", title: "Addition Quiz",
            questions: [(7, 5), (12, 9), (38, 24)].map {
                Question(text: "\($0) + \($1)", answer: $0 + $1)
            }),
        Quiz(
            identifier: "multiplication-quiz", title: "Multiplication Quiz",
            questions: [(3, 4), (7, 8), (12, 11)].map {
                Question(text: "\($0) × \($1)", answer: $0 * $1)
            }),
    ]
}
