import JSONBytes

@testable import Pages

/// A browser in which a teacher is signed in.
func teacherBrowser(_ answers: [String: FakeAPI.Answer]) -> Browser {
    let me: [String: FakeAPI.Answer] = [
        "GET /v1/me": (200, FakeAPI.me(standings: ["teacher"])),
        "GET /v1/classes": (200, ["items": []]),
        "GET /v1/classes/c1": (200, ["id": "c1", "name": "Mathematics", "number": "7A"]),
    ]
    let browser = Browser(FakeAPI(me.merging(answers) { _, new in new }))
    browser.signIn()
    return browser
}

/// What the API says about a handout with three tasks and four students.
enum MadeUpReport {
    static let answers: [String: FakeAPI.Answer] = [
        "GET /v1/handouts/h1": (
            200,
            [
                "id": "h1", "classId": "c1", "title": "Fractions <first>", "state": "published",
                "publishAt": "2026-11-13T08:00:00.000Z", "recipients": "class",
                "tasks": [
                    ["id": "t1", "kind": "appActivity"], ["id": "t2", "kind": "appActivity"],
                    ["id": "t3", "kind": "link"],
                ],
            ]
        ),
        "GET /v1/handouts/h1/report": (200, .object(report)),
    ]

    static let report = JSONObject([
        (
            "handout",
            ["id": "h1", "title": "Fractions <first>", "dueAt": "2026-11-20T16:00:00.000Z"]
        ), ("generatedAt", "2026-11-22T09:41:07.000Z"),
        (
            "tasks",
            [
                task(
                    "t1", "Quiz", "score",
                    [
                        "progress": 0.75, "durationSeconds": 960, "score": 0.75,
                        "studentsWithData": 2,
                    ],
                    [
                        done + figures(2, 0.9, 1620, score(9)),
                        opened + figures(1, 0.6, 300, score(6)),
                        [("late", true)], [("progressOff", true)],
                    ]),
                task(
                    "t2", "Check", "binary",
                    ["progress": 1, "positiveShare": 0.5, "studentsWithData": 2],
                    [
                        done + figures(1, 1, 60, passed(true)),
                        opened + figures(1, 1, 60, passed(false)) + [
                            ("late", true),
                            (
                                "returned",
                                [
                                    "at": "2026-11-21T09:12:00.000Z", "note": "Look <again>",
                                    "tryAgain": true,
                                ]
                            ),
                        ], [], [("progressOff", true)],
                    ]),
                task("t3", "Video", .null, ["studentsWithData": 0], [done, done, [], []]),
            ]
        ),
        (
            "notes",
            [
                ["code": "progress_off", "text": "English of the API"],
                ["code": "no_licence", "text": "English of the API", "taskId": "t1"],
            ]
        ),
    ])

    static func score(_ points: Int64) -> JSONValue {
        [
            "kind": "score", "identifier": "s", "title": "Points",
            "score": .number(JSONNumber(points)), "maxScore": 10,
        ]
    }

    static func passed(_ value: Bool) -> JSONValue {
        [
            "kind": "binary", "identifier": "p", "title": "Ready", "value": .bool(value),
            "valueType": "passFail",
        ]
    }

    private typealias Members = [(String, JSONValue)]

    private static let opened: Members = [("openedAt", "2026-11-17T15:02:00.000Z")]
    private static let done: Members = opened + [("doneAt", "2026-11-19T16:40:00.000Z")]

    private static func figures(
        _ attempts: Int64, _ progress: Double, _ seconds: Int64, _ item: JSONValue
    ) -> Members {
        [
            ("attempts", .number(JSONNumber(attempts))),
            ("progress", .number(JSONNumber(progress)!)),
            ("durationSeconds", .number(JSONNumber(seconds))), ("primaryItem", item),
        ]
    }

    private static let students = [
        ("ada", "Ada", "Abel"), ("ben", "Ben", "Ito"), ("cleo", "Cleo", "Jung"),
        ("dan", "Dan", "Kern"),
    ]

    private static func task(
        _ id: String, _ title: String, _ kind: JSONValue, _ average: JSONValue, _ cells: [Members]
    ) -> JSONValue {
        let rows = zip(students, cells).map { student, cell -> JSONValue in
            .object(
                JSONObject(
                    [
                        ("personId", .text(student.0)), ("givenName", .text(student.1)),
                        ("familyName", .text(student.2)),
                    ] + cell))
        }
        return [
            "taskId": .text(id), "title": .text(title), "primaryKind": kind,
            "mixedPrimaryKinds": false, "classAverage": average, "students": .array(rows),
        ]
    }

    /// The report of a whole year's handout: as many students as a class has, as many tasks as a handout may have, and
    /// something to say in every cell.
    static func large(students: Int, tasks: Int) -> JSONValue {
        let rows = (0..<tasks).map { task -> JSONValue in
            let cells = (0..<students).map { student -> JSONValue in
                let number = task * students + student
                let members =
                    (number % 3 == 0 ? done : opened)
                    + figures(
                        Int64(number % 4 + 1), Double(number * 37 % 101) / 100,
                        Int64(number * 61 % 4000), score(Int64(number * 7 % 11)))
                    + [
                        ("personId", .text("0198f1c2-7a3b-7000-8000-\(100_000_000_000 + student)")),
                        ("givenName", .text("Maximiliane \(student)")),
                        ("familyName", .text("Domínguez Peñalver \(student * 7919)")),
                        ("late", .bool(number % 5 == 0)),
                    ]
                return .object(JSONObject(members))
            }
            return [
                "taskId": .text("0198f1c2-7a3b-7000-8000-\(200_000_000_000 + task)"),
                "title": .text("Fractions in the kitchen, part \(task)"), "primaryKind": "score",
                "classAverage": ["progress": 0.5, "score": 0.5, "studentsWithData": 35],
                "students": .array(cells),
            ]
        }
        return ["handout": ["title": "Fractions"], "tasks": .array(rows), "notes": []]
    }
}
