import API

extension Shape {
    /// Which name of a person comes first.
    package static let nameOrder = Shape.word(["givenFirst", "familyFirst"])
}

extension Field {
    /// Beside a given and a family name in answers.
    package static let nameOrder = Field.required(
        "nameOrder", .nameOrder, "Which of the two names comes first in the full name.")
}
