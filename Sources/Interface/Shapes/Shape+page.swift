/// What the parts of a page of a list are called.
package enum PageMember {
    package static let items = "items"
    package static let nextPageToken = "nextPageToken"
    /// How many all pages have.
    package static let totalCount = "totalCount"

    /// The most items that a page has.
    package static let mostItems = 1000
    /// More than this is not counted.
    package static let mostCounted = 100_000
}

extension Shape {
    /// A page of a list: `items` and the token of the next page.
    package static func page(of item: ObjectShape) -> Shape {
        .fields(
            "\(item.name)Page",
            [
                .required(
                    PageMember.items, .array(.object(item), count: 0...PageMember.mostItems)),
                .optional(
                    PageMember.nextPageToken, .text(1...2000), "Absent on the last page; opaque."),
                .optional(
                    PageMember.totalCount, .integer(0...PageMember.mostCounted),
                    "Only with `count=true`: how many all pages have, counted with the first one. The largest "
                        + "number means that many or more."),
            ])
    }
}
