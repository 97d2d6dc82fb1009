import API

extension ObjectShape {
    /// An activity item, as documents show it.
    static let item = Shape.variant(
        name: "ActivityItem", discriminator: "kind",
        [
            (word: "score", shape: score), (word: "quantity", shape: quantity),
            (word: "binary", shape: binary),
        ])

    private static let score = ObjectShape(
        "ScoreItem",
        named("score") + [.required("score", anyFigure), .required("maxScore", anyFigure)])

    private static let quantity = ObjectShape(
        "QuantityItem", named("quantity") + [.required("quantity", anyFigure)])

    private static let binary = ObjectShape(
        "BinaryItem",
        named("binary") + [
            .required("value", .boolean),
            .required(
                "valueType", .word(["trueFalse", "passFail", "yesNo", "correctIncorrect"])),
        ])

    private static let anyFigure = Shape.number(-1e300...1e300)

    private static func named(_ kind: String) -> [Field] {
        [
            .required("kind", .word([kind])), .required("identifier", .line(256)),
            .required("title", .line(256)),
        ]
    }
}
