import JSONBytes
import School

extension APIDescription {
    /// Values for the examples of the API document; an optional field is shown where it stands as `Object.field`.
    static let exampleValues: [String: JSONValue] = [
        "accessToken": "Rw3…", "adamId": "990011223", "bundleId": "org.example.quizzler",
        "bundleIds": ["org.example.quizzler"], "client_id": "provisioner-1",
        "client_secret": "a secret", "displayName": "Biology 7a", "domains": ["hillside.example"],
        "durationSeconds": 240, "familyName": "Lovelace", "givenName": "Ada",
        "grant_type": "client_credentials", "identifier": "total",
        "identifierPath": ["unit-2", "check-1"],
        "instructions": "Take the quiz, then read chapter 3.", "keyId": "K3Y1D00001",
        "kind": "appActivity", "managedId": "ada@hillside.example", "maxScore": 10,
        "modifiedAt": "2026-09-14T08:04:00.000Z", "name": "Biology",
        "newPassword": "correct-horse-7",
        "password": "battery-staple-4", "personIds": ["source:sis-1001", "source:sis-1002"],
        "productType": "App", "progressRanges": [[0, 0.75]],
        "publicKey": "-----BEGIN PUBLIC KEY-----…",
        "refreshToken": "qX8…", "role": "teacher", "score": 8, "sourceId": "7a-biology",
        "startedAt": "2026-09-14T08:00:00.000Z", "teamId": "QUIZTEAM01", "text": "Well done.",
        "timeZone": "Europe/Zurich", "title": "Cells", "totalCount": 30, "type": "quiz",
        "universalLinkURL": "https://quizzler.example/cells", "url": "https://example.org/cells",
        "ActivityPart.primaryItem": [
            "kind": "score", "identifier": "total", "title": "Score", "score": 8, "maxScore": 10,
        ],
        "ActivityPart.progressRanges": [[0, 0.75]],
    ]
}
