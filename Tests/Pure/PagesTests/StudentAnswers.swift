import JSONBytes

@testable import Pages

/// What the API answers to a student in these tests.
enum StudentAnswers {
    static let recording: JSONValue = [
        "since": "2026-11-13T08:00:00.000Z", "bundleId": "com.example.quiz",
    ]

    static func assignment(
        _ id: String, task: JSONValue, done: JSONValue = .null, returned: JSONValue = .null,
        recording: JSONValue = .null, link: JSONValue = .null, late: Bool = false
    ) -> JSONValue {
        [
            "id": .text(id), "task": task, "late": .bool(late), "openedAt": .null, "doneAt": done,
            "returned": returned, "recording": recording,
            "target": [
                "bundleId": task["bundleId"] ?? .null, "identifierPath": [],
                "universalLinkURL": link, "minimumBundleVersion": "2.1",
                "thumbnail": id == "t1" ? "/v1/catalog/contexts/x7/thumbnail" : .null,
            ],
        ]
    }

    static let quiz: JSONValue = [
        "kind": "appActivity", "title": "Fractions <quiz>", "bundleId": "com.example.quiz",
    ]
    static let timed: JSONValue = [
        "kind": "timedApp", "title": "Practice", "bundleId": "com.example.other", "minutes": 10,
    ]
    static let article: JSONValue = [
        "kind": "link", "title": "Article", "url": "https://reader@news.example:8443/a?b",
    ]

    static func handout(
        locked: Bool = false, completed: Bool = false, recording: JSONValue = recording,
        link: JSONValue = "https://quiz.example/fractions"
    ) -> JSONValue {
        [
            "id": "h1", "title": "First steps", "instructions": "Read this.\nThen do it.\n\nWell.",
            "classId": "c1", "className": "Biology & more",
            "teachers": [
                ["givenName": "Tom", "familyName": "Example"],
                ["givenName": "Ann", "familyName": "O'Hara"],
            ],
            "publishAt": "2026-11-13T07:00:00.250Z", "dueAt": "2026-11-20T16:00:00.000Z",
            "locked": .bool(locked), "completed": .bool(completed),
            "assignments": [
                assignment(
                    "t1", task: quiz,
                    returned: [
                        "at": "2026-11-21T08:00:00.000Z", "note": "Look at <two>.",
                        "tryAgain": true,
                    ], recording: recording, link: link, late: true),
                assignment("t2", task: timed, done: "2026-11-19T16:00:00.000Z"),
                assignment("t3", task: article),
            ],
        ]
    }

    static let report: JSONValue = [
        "student": ["personId": "p1", "progressOff": false],
        "handouts": [
            [
                "handoutId": "h1", "title": "First steps", "classId": "c1",
                "className": "Biology & more", "dueAt": "2026-11-20T16:00:00.000Z",
                "lockedAt": .null, "completedAt": .null,
                "tasks": [
                    [
                        "taskId": "t1", "title": "Fractions <quiz>", "attempts": 2,
                        "progress": 1.0, "durationSeconds": 1620, "late": true,
                        "primaryItem": [
                            "kind": "score", "title": "Score", "score": 6.5, "maxScore": 10,
                        ],
                    ],
                    [
                        "taskId": "t2", "title": "Practice", "attempts": 0, "late": false,
                        "doneAt": "2026-11-19T16:00:00.000Z",
                    ],
                    ["taskId": "t3", "title": "Article", "attempts": 0, "late": false],
                ],
            ]
        ], "notes": [["code": "nothing_reported", "text": "In English.", "taskId": "t2"]],
    ]

    static func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        let usual: [String: FakeAPI.Answer] = [
            "GET /v1/me/handouts/h1": (200, handout()),
            "GET /v1/me/report": (200, report),
        ]
        let browser = Browser(FakeAPI(usual.merging(answers) { _, new in new }))
        browser.signIn()
        return browser
    }
}
