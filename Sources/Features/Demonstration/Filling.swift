import Crypto
import HTTPWire
import JSONBytes
import School
import Values

/// Fills the demonstration's organization through the service's own calls.
///
/// Every step finds what already exists, so that the next run finishes one that was killed. Until the last step the
/// organization is called `unfinishedName`.
package struct Filling: Sendable {
    /// How much was created.
    package struct Counts: Sendable {
        package var handouts = 0
        package var activities = 0
    }

    let door: Door
    /// The administrator's token.
    let token: String
    let organizationID: OrganizationID
    let now: Timestamp
    let school = DemonstrationSchool()

    package init(
        door: Door, token: String, organizationID: OrganizationID, now: Timestamp
    ) {
        self.door = door
        self.token = token
        self.organizationID = organizationID
        self.now = now
    }

    /// - Parameters:
    ///   - archive: the directory as `DemonstrationSchool.writeArchive` wrote it.
    ///   - report: called with what is being done, in a few words.
    package func run(archive: [UInt8], report: (String) -> Void) async throws -> Counts {
        report("importing \(school.peopleCount) people and \(school.classCount) classes")
        try await door.call(
            .patch, "/v1/organization", token: token, ["studentProgress": ["enabled": true]])
        try await importDirectory(archive)
        report("publishing contexts")
        for app in DemonstrationApp.all { try await publish(app) }
        report("buying apps")
        try await buyApps()
        report("giving handouts")
        let people = try await peopleBySource()
        let given = try await giveHandouts(people)
        try await age(given)
        report("doing homework")
        let activities = try await doHomework(given, people)
        report("pushing grades")
        try await pushGrades()
        report("setting passwords")
        try await setPassword(of: .student, people)
        try await setPassword(of: .teacher, people)
        let fresh = try await setPassword(of: .administrator, people)
        try await door.call(
            .patch, "/v1/organization", token: fresh,
            ["name": .text(DemonstrationAccount.organizationName)])
        return Counts(handouts: given.count, activities: activities)
    }

    // MARK: Directory

    private func importDirectory(_ archive: [UInt8]) async throws {
        let answer = try await door.send(.post, "/v1/imports?mode=apply", token, .archive(archive))
        guard answer.status == 202 else {
            throw Refusal(method: "POST", target: "/v1/imports", answer: answer)
        }
        let id = try JSONValue(parsing: answer.body).promised("id")
        while true {
            let found = try await door.call(.get, "/v1/imports/\(id)", token: token)
            switch found["status"]?.text {
            case "succeeded": return
            case "queued", "running": try await Task.sleep(for: .milliseconds(50))
            default:
                throw Refusal(
                    method: "POST", target: "/v1/imports", answer: (status: 202, body: found.bytes))
            }
        }
    }

    /// Everyone's id, by the id in the archive.
    private func peopleBySource() async throws -> [String: PersonID] {
        let page = try await door.call(.get, "/v1/people?limit=1000", token: token)
        var people: [String: PersonID] = [:]
        for person in page["items"]?.array ?? [] {
            guard let source = person["sourceId"]?.text else { continue }
            people[source] = PersonID(try person.promisedUUID("id"))
        }
        return people
    }

    // MARK: Contexts

    /// Registers the app's developer with a new key that is not kept, and publishes.
    private func publish(_ app: DemonstrationApp) async throws {
        let name = String(app.bundleID.split(separator: ".").last ?? "")
        let key = ES256PrivateKey()
        let teamID = "DEMO\(name.uppercased().prefix(6))"
        let team: JSONValue = [
            "teamId": .text(teamID), "name": .text("Makers of \(name)"),
            "bundleIds": [.text(app.bundleID)],
            "keys": [["keyId": "DEMOKEY001", "publicKey": .text(key.publicKey.pem)]],
        ]
        let added = try await door.send(.post, "/v1/developer-teams", token, .json(team.bytes))
        if added.status != 201 {
            try await door.call(.put, "/v1/developer-teams/\(teamID)", token: token, team)
        }
        let seconds = now.milliseconds / 1000
        let claims = JSONObject([
            ("iss", .text(teamID)), ("iat", JSONValue(integerLiteral: seconds)),
            ("exp", JSONValue(integerLiteral: seconds + 600)),
        ])
        let signed = JWT.sign(claims, keyID: "DEMOKEY001", with: key)
        try await door.call(
            .post, "/v1/contexts?environment=production", token: signed, app.publication)
    }

    // MARK: Passwords

    /// Sets the password as the person would, and returns the token that did it. This ends every other token of the
    /// person, so the administrator comes last.
    @discardableResult
    private func setPassword(
        of account: DemonstrationAccount, _ people: [String: PersonID]
    ) async throws -> String {
        let id = account.sourceID.flatMap { people[$0] } ?? DemonstrationAccount.administratorID
        let made = try await door.call(
            .post, "/v1/people/\(id.uuid)/temporary-password", token: token)
        let temporary = try made.promised("temporaryPassword")
        let session = try await door.call(
            .post, "/v1/sign-in", token: nil,
            ["managedId": .text(account.managedID), "password": .text(temporary)])
        let signedIn = try session.promised("accessToken")
        try await door.call(
            .put, "/v1/me/password", token: signedIn,
            ["password": .text(temporary), "newPassword": .text(account.password)])
        return signedIn
    }
}
