import JSONBytes
import Values

enum ImportPeopleText: String, TextKey {
    case title, csv, byRow, leaves, joins, changes, onlyClasses, nobody
    case leaversCount, joinersCount, changersCount, change, about, seats, grade
    case to, empty, rolesGiven, rolesTaken, joinsClass, leavesClass, changesClass, teaches

    static let section = "importPeople"
}

/// What the fields of a plan are called. The keys are the API's words.
enum ImportFieldText: String, TextKey {
    case givenName, middleName, familyName, personNumber, email, grade, passwordPolicy, status
    case origin, roles, teacherIds, name, number, displayName, room, archivedAt, locationId
    case courseId, termId, parentId, kind, startsOn, endsOn
    // Values that are words.
    case active, inactive, archived, manual, `import`

    static let section = "importFields"

    static func name(_ field: String, _ texts: Texts) -> String {
        ImportFieldText(rawValue: field).map { texts($0) } ?? field
    }

    /// A value in words where it is one of the API's, or as it is.
    static func value(_ value: JSONValue?, of field: String, _ texts: Texts) -> HTML {
        guard let text = value?.text, !text.isEmpty else {
            return .text(texts(ImportPeopleText.empty))
        }
        let isWord = ["status", "origin", "archivedAt"].contains(field)
        if isWord, let word = ImportFieldText(rawValue: text) { return .text(texts(word)) }
        return written(text)
    }
}

/// The plan of an import by people: who leaves, joins and changes, with the classes of each.
enum ImportPeople {
    static let kinds: [(value: String, text: ImportPeopleText)] = [
        ("removed", .leaversCount), ("created", .joinersCount), ("changed", .changersCount),
    ]

    /// How many rows of the files of people are changed in that way.
    static func count(_ details: JSONValue, _ change: String) -> Int {
        let files = ["users.csv", "students.csv", "staff.csv"]
        return (details["files"]?.array ?? []).filter { files.contains($0["name"]?.text ?? "") }
            .reduce(0) { $0 + Int($1[change]?.int64 ?? 0) }
    }

    static func table(_ items: [JSONValue], _ texts: Texts) -> HTML {
        Console.table(
            texts(ImportPeopleText.title),
            head: [
                Console.column(texts(ImportsText.recordColumn)),
                Console.column(texts(ImportPeopleText.change)),
                Console.column(texts(ImportPeopleText.about)),
            ]
        ) { for item in items { row(item, texts) } }
    }

    private static func row(_ item: JSONValue, _ texts: Texts) -> HTML {
        tr {
            th(.scope("row")) {
                name(item)
                p(.class("small soft")) { details(item, texts) }
            }
            td { word(item["change"]?.text, texts) }
            td {
                for value in item["values"]?.array ?? [] { difference(value, texts) }
                roles(item, texts)
                seats(item, texts)
            }
        }
    }

    /// The name of somebody who is here leads to the page of the person.
    private static func name(_ item: JSONValue) -> HTML {
        let name = written(FullName(item)?.text ?? item["sourceId"]?.text ?? "")
        return item["personId"]?.text.map { id in a(.href("/people/\(id)")) { name } } ?? name
    }

    private static func details(_ item: JSONValue, _ texts: Texts) -> HTML {
        dotted([
            item["role"]?.text.flatMap(RoleText.init(rawValue:)).map { .text(texts($0)) }
                ?? .nothing,
            item["grade"]?.text.map {
                .text(texts(ImportPeopleText.grade, ["grade": $0]))
            } ?? .nothing,
            item["location"]?.text.map(written) ?? .nothing,
            item["sourceId"]?.text.map(written) ?? .nothing,
        ])
    }

    static func word(_ change: String?, _ texts: Texts) -> HTML {
        switch change {
        case "removed": tag(texts(ImportPeopleText.leaves), .cross, .bad)
        case "created": tag(texts(ImportPeopleText.joins), .plus, .good)
        case "changed": tag(texts(ImportPeopleText.changes), .draft, .info)
        default: tag(texts(ImportPeopleText.onlyClasses), .draft, .line)
        }
    }

    /// Such as `Family name: Neumann-Buck → Avila`.
    static func difference(_ value: JSONValue, _ texts: Texts) -> HTML {
        let field = value["name"]?.text ?? ""
        return p {
            texts.html(
                ImportPeopleText.to,
                [
                    "field": .text(ImportFieldText.name(field, texts)),
                    "was": ImportFieldText.value(value["was"], of: field, texts),
                    "becomes": strong {
                        ImportFieldText.value(value["becomes"], of: field, texts)
                    },
                ])
        }
    }

    /// Of somebody who changes; those of somebody who joins are said by the place.
    private static func roles(_ item: JSONValue, _ texts: Texts) -> HTML {
        guard item["change"] == "changed" else { return .nothing }
        return parts {
            for role in item["roles"]?.array ?? [] {
                let word = role["role"]?.text ?? ""
                let name = RoleText(rawValue: word).map { texts($0) } ?? word
                p {
                    texts.html(
                        role["change"] == "created"
                            ? ImportPeopleText.rolesGiven : .rolesTaken,
                        ["role": dotted([.text(name), written(role["location"]?.text ?? "")])])
                }
            }
        }
    }

    /// Folded, since a child sits in many classes.
    private static func seats(_ item: JSONValue, _ texts: Texts) -> HTML {
        let seats = item["seats"]?.array ?? []
        let count = Int(item["seatCount"]?.int64 ?? 0)
        guard !seats.isEmpty else { return .nothing }
        return Tag("details")(.class("small")) {
            Tag("summary")() { texts(ImportPeopleText.seats, count: count) }
            ul(.class("plain")) {
                for seat in seats { li { self.seat(seat, texts) } }
                if seats.count < count {
                    li { texts(ImportsText.more, count: seats.count) }
                }
            }
        }
    }

    private static func seat(_ seat: JSONValue, _ texts: Texts) -> HTML {
        let keys: [String: ImportPeopleText] = [
            "removed": .leavesClass, "created": .joinsClass,
        ]
        let key = keys[seat["change"]?.text ?? ""] ?? .changesClass
        let name = written(seat["class"]?.text ?? seat["classSourceId"]?.text ?? "")
        return dotted([
            texts.html(key, ["class": name]),
            seat["role"] == "teacher" ? .text(texts(ImportPeopleText.teaches)) : .nothing,
        ])
    }
}
