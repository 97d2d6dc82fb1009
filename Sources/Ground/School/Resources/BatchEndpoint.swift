import API
import HTTPWire

extension Endpoint {
    /// A `POST …/batch` of items with this shape.
    package static func batch(
        _ path: String, _ summary: String, description: String? = nil, for standings: [Standing],
        of item: ObjectShape, problems: [(status: Int, meaning: String)] = [],
        handler: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            .post, path, summary, description: description, for: standings,
            query: [
                .optional(
                    "atomic", .boolean,
                    "true: if one item is refused, nothing is written, and a 422 names all mistakes."
                )
            ],
            body: .json(Batch.bodyShape(.object(item), "\(item.name)Batch")),
            answers: [
                .json(
                    "What became of each item, in the order of the body; items with a mistake are "
                        + "left out, and the others are written.", Batch.answerShape)
            ],
            problems: problems, handler: handler)
    }
}

extension Batch {
    static let answerShape = Shape.fields(
        "BatchAnswer",
        [
            .required("items", .array(.object(resultShape), count: 1...itemsMax)),
            .required("created", .integer(0...itemsMax)),
            .required("updated", .integer(0...itemsMax)),
            .required("unchanged", .integer(0...itemsMax)),
            .required("problems", .integer(0...itemsMax)),
        ])

    private static let resultShape = ObjectShape(
        "BatchResult",
        [
            .required("outcome", .word(["created", "updated", "unchanged", "problem"])),
            .optional("id", .uuid, "The id of what was written; absent for rosters."),
            .optional("sourceId", .text(1...255), "As it was sent."),
            .optional(
                "errors",
                .array(
                    .fields(
                        "BatchError",
                        [
                            .required("pointer", .text(0...2000), "Such as /items/3/name."),
                            .required("code", .text(1...64)),
                            .required("detail", .text(1...1000)),
                        ]), count: 1...100), "What is wrong; only with the outcome `problem`."),
        ])
}
