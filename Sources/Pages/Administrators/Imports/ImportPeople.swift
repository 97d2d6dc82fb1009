import Contract
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
    static func value(_ text: String?, of field: String, _ texts: Texts) -> HTML {
        guard let text, !text.isEmpty else {
            return .text(texts(ImportPeopleText.empty))
        }
        let isWord = ["status", "origin", "archivedAt"].contains(field)
        if isWord, let word = ImportFieldText(rawValue: text) { return .text(texts(word)) }
        return written(text)
    }
}

/// The plan of an import by people: who leaves, joins and changes, with the classes of each.
enum ImportPeople {
    static let kinds: [(value: RowChange, text: ImportPeopleText)] = [
        (.removed, .leaversCount), (.created, .joinersCount), (.changed, .changersCount),
    ]

    /// How many rows of the files of people are changed in that way.
    static func count(_ details: Document<ImportDetails>, _ change: RowChange) -> Int {
        let ofPeople: Set<ImportFileName> = [.users, .students, .staff]
        return details.files.filter { $0.name.known.map(ofPeople.contains) ?? false }
            .reduce(0) { $0 + $1.count(change) }
    }

    static func table(_ items: [Document<ImportedPerson>], _ texts: Texts) -> HTML {
        Console.table(
            texts(ImportPeopleText.title),
            head: [
                Console.column(texts(ImportsText.recordColumn)),
                Console.column(texts(ImportPeopleText.change)),
                Console.column(texts(ImportPeopleText.about)),
            ]
        ) { for item in items { row(item, texts) } }
    }

    private static func row(_ item: Document<ImportedPerson>, _ texts: Texts) -> HTML {
        tr {
            th(.scope("row")) {
                name(item)
                p(.class("small soft")) { details(item, texts) }
            }
            td { word(item.change.known, texts) }
            td {
                for value in item.values { difference(value, texts) }
                roles(item, texts)
                seats(item, texts)
            }
        }
    }

    /// The name of somebody who is here leads to the page of the person.
    private static func name(_ item: Document<ImportedPerson>) -> HTML {
        let name = FullName(item.givenName, item.familyName, item.nameOrder)
        let shown = written(name?.text ?? item.sourceId ?? "")
        return item.personId.map { id in a(.href("/people/\(id)")) { shown } } ?? shown
    }

    private static func details(_ item: Document<ImportedPerson>, _ texts: Texts) -> HTML {
        dotted([
            (item.role?.text).flatMap(RoleText.init(rawValue:)).map { .text(texts($0)) }
                ?? .nothing,
            item.grade.map { .text(texts(ImportPeopleText.grade, ["grade": $0])) } ?? .nothing,
            item.location.map(written) ?? .nothing,
            item.sourceId.map(written) ?? .nothing,
        ])
    }

    static func word(_ change: PersonChange?, _ texts: Texts) -> HTML {
        switch change {
        case .removed: tag(texts(ImportPeopleText.leaves), .cross, .bad)
        case .created: tag(texts(ImportPeopleText.joins), .plus, .good)
        case .changed: tag(texts(ImportPeopleText.changes), .draft, .info)
        case .seats, nil: tag(texts(ImportPeopleText.onlyClasses), .draft, .line)
        }
    }

    /// Such as `Family name: Neumann-Buck → Avila`.
    static func difference(_ value: Document<ImportValue>, _ texts: Texts) -> HTML {
        let field = value.name
        return p {
            texts.html(
                ImportPeopleText.to,
                [
                    "field": .text(ImportFieldText.name(field, texts)),
                    "was": ImportFieldText.value(value.was, of: field, texts),
                    "becomes": strong {
                        ImportFieldText.value(value.becomes, of: field, texts)
                    },
                ])
        }
    }

    /// Of somebody who changes; those of somebody who joins are said by the place.
    private static func roles(_ item: Document<ImportedPerson>, _ texts: Texts) -> HTML {
        guard item.change == .changed else { return .nothing }
        return parts {
            for role in item.roles {
                let name = RoleText(rawValue: role.role).map { texts($0) } ?? role.role
                p {
                    texts.html(
                        role.change == .created
                            ? ImportPeopleText.rolesGiven : .rolesTaken,
                        ["role": dotted([.text(name), written(role.location ?? "")])])
                }
            }
        }
    }

    /// Folded, since a child sits in many classes.
    private static func seats(_ item: Document<ImportedPerson>, _ texts: Texts) -> HTML {
        let (seats, count) = (item.seats, item.seatCount)
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

    private static func seat(_ seat: Document<ImportedSeat>, _ texts: Texts) -> HTML {
        let key: ImportPeopleText =
            switch seat.change.known {
            case .removed: .leavesClass
            case .created: .joinsClass
            case .changed, nil: .changesClass
            }
        let name = written(seat.class ?? seat.classSourceId ?? "")
        return dotted([
            texts.html(key, ["class": name]),
            seat.role == .teacher ? .text(texts(ImportPeopleText.teaches)) : .nothing,
        ])
    }
}
