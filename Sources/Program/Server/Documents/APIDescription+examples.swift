import API
import JSONBytes

extension APIDescription {
    /// Values for the examples of the API document. An optional field is shown where it is listed as `Object.field`,
    /// a query parameter as `?name`.
    static let exampleValues = ofFields.merging(ofBodies) { $1 }.merging(ofParameters) { $1 }

    private static let ofFields: [String: JSONValue] = [
        "accessToken": "Rw3…", "adamId": "990011223", "bundleId": "org.example.quizzler",
        "bundleIds": ["org.example.quizzler"], "classId": "source:7a-biology",
        "clientId": "org.example.quizzler",
        "client_id": "provisioner-1", "client_secret": "a secret", "count": 5,
        "displayName": "Biology 7a", "domains": ["hillside.example"], "durationSeconds": 240,
        "endsOn": "2027-08-01", "familyName": "Lovelace", "givenName": "Ada",
        "grant_type": "client_credentials", "identifier": "total",
        "identifierPath": ["unit-2", "check-1"],
        "instructions": "Take the quiz, then read chapter 3.", "keyId": "K3Y1D00001",
        "kind": "appActivity", "locale": "en-US", "locationId": "source:main",
        "managedId": "ada@hillside.example", "maxScore": 10,
        "modifiedAt": "2026-09-14T08:04:00.000Z", "name": "Biology",
        "newPassword": "correct-horse-7", "password": "battery-staple-4",
        "personId": "source:sis-1001", "personIds": ["source:sis-1001", "source:sis-1002"],
        "productType": "App", "progressRanges": [[0, 0.75]],
        "publicKey": "-----BEGIN PUBLIC KEY-----…",
        "redirectUri": "http://127.0.0.1:4711/callback", "refreshToken": "qX8…", "role": "student",
        "score": 8, "sourceId": "7a-biology",
        "startedAt": "2026-09-14T08:00:00.000Z", "startsOn": "2026-08-01", "teamId": "QUIZTEAM01",
        "text": "Well done.", "timeZone": "Europe/Zurich", "title": "Cells", "totalCount": 30,
        "type": "quiz", "universalLinkURL": "https://quizzler.example/cells",
        "url": "https://example.org/cells", "userCode": "WDJB-MJHT",
    ]

    private static let ofBodies: [String: JSONValue] = [
        "ActivityPart.primaryItem": [
            "kind": "score", "identifier": "total", "title": "Score", "score": 8, "maxScore": 10,
        ],
        "ActivityPart.progressRanges": [[0, 0.75]],
        "AuthorizationRequest.codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "AuthorizationRequest.codeChallengeMethod": "S256",
        "AuthorizationRequest.responseType": "code", "AppChange.name": "Quizzler 2",
        "AppReplacement.bundleId": "org.example.quizzler", "AppReplacement.name": "Quizzler",
        "ClassChange.room": "B 12",
        "ContextData.identifierPath": ["org.example.quizzler", "unit-2"],
        "ContextData.title": "Unit 2", "ContextData.type": "chapter",
        "CourseChange.number": "BIO-7",
        "HandoutChange.dueAt": "2026-09-21", "HandoutCopy.classId": "source:7b-biology",
        "LocationChange.timeZone": "Europe/Zurich", "LocationItem.name": "Main building",
        "LocationItem.sourceId": "main", "NewApp.bundleId": "org.example.quizzler",
        "NewApp.name": "Quizzler", "NewDeveloperTeam.name": "Quizzler Inc.",
        "NewHandout.dueAt": "2026-09-21",
        "NewHandout.tasks": [
            [
                "kind": "appActivity", "bundleId": "org.example.quizzler",
                "identifierPath": ["unit-2", "check-1"],
            ]
        ],
        "NewLicenceReturn.personIds": ["source:sis-1001"],
        "NewLicences.personIds": ["source:sis-1001", "source:sis-1002"],
        "MadeClassChange.room": "B 12",
        "NewLocation.name": "Main building", "NewMadeClass.name": "Chess club",
        "NewReturn.note": "Well done.",
        "NewServiceAccount.name": "Records", "NewSeat.joinedOn": "2026-09-14",
        "NewTerm.name": "2026/27",
        "NewTransfer.locationId": "source:north", "OrganizationChange.timeZone": "Europe/Zurich",
        "PersonChange.grade": "8", "PersonItem.sourceId": "sis-1001",
        "NewSignInProvider.clientId": "1234.apps.googleusercontent.com",
        "NewSignInProvider.clientSecret": "the provider's secret",
        "NewRosterSource.url": "https://sis.example/ims/oneroster/rostering/v1p2",
        "NewRosterSource.tokenUrl": "https://sis.example/oauth/token",
        "NewRosterSource.clientId": "homeroom",
        "NewRosterSource.clientSecret": "the provider's secret",
        "NewRosterSource.pullTime": "02:30",
        "NewSignInProvider.kind": "google", "NewSignInProvider.name": "Google",
        "ServiceAccountChange.name": "Records", "SignInProviderChange.name": "Google",
        "SignInSheetOrder.classId": "source:7a-biology", "TermChange.name": "2026/27",
        "XapiAccount.homePage": "https://homeroom.hillside.example",
        "XapiAccount.name": "u9Qm7bS0Zc1hJrT5vXw2yAa3Bd4Ce6Df8Eg0Fh1Gi2k",
        "XapiActivity.id":
            "https://homeroom.hillside.example/xapi/activities/org.example.quizzler/unit-2/check-1",
        "XapiStatement.result": ["score": ["raw": 8, "max": 10], "duration": "PT4M"],
        "XapiVerb.id": "http://adlnet.gov/expapi/verbs/completed",
    ]

    private static let ofParameters: [String: JSONValue] = [
        "?environment": "production", "?identifierPath": "[\"org.example.quizzler\",\"unit-2\"]",
        "?locale": "en-us", "?path": "[\"unit-2\"]", "?q": "cells",
        "?thumbnailId": "unit-2-picture", "?X-Experience-API-Version": "1.0.3",
    ]
}
