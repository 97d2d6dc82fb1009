import HTTPWire
import JSONBytes
import School
import Values

/// The grades come as from a connected system: with a service account of its own, over OneRoster.
extension Filling {
    /// The system that grades, as teachers and students read it beside each grade.
    static let markbook = "Markbook"
    /// The group whose classes it grades.
    static let markedGroup = "7A"

    private static let gradebook = "/ims/oneroster/gradebook/v1p2"
    private static let rights = ["readonly", "createput", "createpost"]

    /// Connects the markbook, and has it push its categories, its work and the results of all students.
    ///
    /// Its secret is kept nowhere. A run that finishes another one gets a new secret for the same account, and pushes
    /// only the results that are not there.
    func pushGrades() async throws {
        let marked = school.classes.filter { $0.number == Self.markedGroup }
        let markbook = try await connectMarkbook(to: marked)
        for category in MarkedWork.categories {
            try await door.call(
                .put, "\(Self.gradebook)/categories/\(category.id)", token: markbook,
                [
                    "category": [
                        "title": .text(category.title),
                        "weight": .number(JSONNumber(Int64(category.weight))),
                    ]
                ])
        }
        for taught in marked { try await pushGrades(of: taught, token: markbook) }
    }

    /// Makes the service account, grants it the gradebook of the classes, and returns a token of it.
    private func connectMarkbook(to classes: [DemonstrationSchool.TaughtClass]) async throws
        -> String
    {
        let accounts = "/v1/service-accounts"
        let page = try await door.call(.get, "\(accounts)?limit=1000", token: token)
        let known = page["items"]?.array?.first { $0["name"]?.text == Self.markbook }
        let account =
            if let id = known?["id"]?.text {
                try await door.call(.post, "\(accounts)/\(id)/secret", token: token)
            } else {
                try await door.call(
                    .post, accounts, token: token,
                    ["name": .text(Self.markbook), "role": "rosterReader"])
            }
        let id = try account.promised("clientId")
        let secret = try account.promised("clientSecret")
        try await door.call(
            .put, "\(accounts)/\(id)/gradebook-grants", token: token,
            [
                "items": .array(
                    classes.map {
                        ["classId": .text("source:\($0.id)"), "readsResults": false]
                    })
            ])
        let scopes = Self.rights.map {
            "https://purl.imsglobal.org/spec/or/v1p2/scope/gradebook.\($0)"
        }
        let form =
            "grant_type=client_credentials&client_id=\(id)&client_secret=\(secret)"
            + "&scope=\(scopes.joined(separator: "+"))"
        let answer = try await door.send(.post, "/oauth/token", nil, .form(Array(form.utf8)))
        guard answer.status == 200 else {
            throw Refusal(method: "POST", target: "/oauth/token", answer: answer)
        }
        return try JSONValue(parsing: answer.body).promised("access_token")
    }

    private func pushGrades(
        of taught: DemonstrationSchool.TaughtClass, token: String
    ) async throws {
        let today = Day(daysSince1970: Int(now.milliseconds / 86_400_000))
        var markings = taught.students.map { Marking(of: $0, in: taught.course.subject) }
        for work in MarkedWork.all(in: taught.course.subject) {
            let item = "\(taught.id)-\(work.id)"
            try await door.call(
                .put, "\(Self.gradebook)/lineItems/\(item)", token: token,
                ["lineItem": work.document(in: taught.id, today: today)])
            guard work.dueDaysAgo >= 0 else { continue }
            let results = markings.indices.map {
                markings[$0].result(of: work, lineItem: item, today: today)
            }
            let known = try await door.call(
                .get, "\(Self.gradebook)/classes/\(taught.id)/lineItems/\(item)/results?limit=1",
                token: token)
            guard known["results"]?.array?.isEmpty ?? true else { continue }
            try await door.call(
                .post, "\(Self.gradebook)/lineItems/\(item)/results", token: token,
                ["results": .array(results)])
        }
    }
}
