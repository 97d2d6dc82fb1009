import HTTPWire
import JSONBytes

/// What the demonstration school bought in volume.
struct DemonstrationPurchase: Sendable {
    let adamID: String
    let name: String
    /// `nil` for a book.
    let bundleID: String?
    /// The classes of this subject have it.
    let subject: DemonstrationSchool.Subject

    static let all = [
        DemonstrationPurchase(app: .quizzler, "1590000001", for: .mathematics),
        DemonstrationPurchase(app: .coding, "1590000002", for: .computing),
        DemonstrationPurchase(app: .reader, "1590000003", for: .science),
        DemonstrationPurchase(
            adamID: "1590000004", name: "Fun with Science", bundleID: nil, subject: .science),
        DemonstrationPurchase(app: .browserQuizzler, "1590000005", for: .science),
    ]

    private init(app: DemonstrationApp, _ adamID: String, for subject: DemonstrationSchool.Subject)
    {
        self.init(
            adamID: adamID, name: app.contexts[0].title, bundleID: app.bundleID, subject: subject)
    }

    init(
        adamID: String, name: String, bundleID: String?, subject: DemonstrationSchool.Subject
    ) {
        self.adamID = adamID
        self.name = name
        self.bundleID = bundleID
        self.subject = subject
    }

    /// The body of `PUT /v1/apps/{adamId}`.
    var document: JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .text(name)), ("productType", bundleID == nil ? "Book" : "App"),
        ]
        if let bundleID { members.append(("bundleId", .text(bundleID))) }
        return .object(JSONObject(members))
    }
}

extension Filling {
    /// Buys a licence for every student at each location, and ten to spare; assigns them to groups with homework.
    func buyApps() async throws {
        for purchase in DemonstrationPurchase.all {
            let app = "/v1/apps/\(purchase.adamID)"
            try await door.call(.put, app, token: token, purchase.document)
            for location in school.locations {
                let seats = school.students.count { $0.locationID == location.id } + 10
                try await door.call(
                    .put, "\(app)/pools/source:\(location.id)", token: token,
                    ["totalCount": .number(JSONNumber(Int64(seats)))])
            }
            for taught in school.classes
            where taught.course.subject == purchase.subject
                && Homework.groups.contains(taught.number)
            {
                try await door.call(
                    .post, "\(app)/licences", token: token,
                    ["classId": .text("source:\(taught.id)")])
            }
        }
    }
}
