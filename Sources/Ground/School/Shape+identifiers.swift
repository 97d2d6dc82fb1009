import API
import JSONBytes

extension Shape {
    /// An id or `source:ID`.
    package static let reference = Shape.form(
        TextForm(
            "an id or source:ID",
            schema: [
                "type": "string", "description": "An id or source:ID.",
                "pattern": "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|source:.+)$",
            ],
            example: "source:7a-biology", accepts: { Reference<Never>($0) != nil }))

    /// The id of an app in the App Store.
    fileprivate static let adamID = Shape.form(
        TextForm(
            "1 to 20 digits", schema: ["type": "string", "pattern": "^[0-9]{1,20}$"],
            example: "1234567890",
            accepts: {
                (1...20).contains($0.utf8.count) && $0.utf8.allSatisfy { (48...57).contains($0) }
            }))
}

extension APIDescription {
    /// What names a record in a path, where that is no plain id (`APIDescription.pathShapes`).
    package static let pathShapesOfRecords: [String: Shape] = {
        let referable = [
            "locations", "people", "courses", "classes", "terms", "students", "teachers", "pools",
        ]
        var shapes: [String: Shape] = ["adamId": .adamID]
        for collection in referable { shapes[collection] = .reference }
        for name in ["bundleId", "name", "privilege", "statusId"] {
            shapes[name] = .text(1...255)
        }
        return shapes
    }()
}
