import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The people that a sheet is ordered for.
enum SheetOrder: Sendable {
    case classOf(Reference<ClassEntity>)
    case location(Reference<LocationEntity>)
    case people([Reference<PersonEntity>])

    init(_ body: Fields) throws {
        let given = ["classId", "locationId", "personIds"].filter { body[$0] != nil }
        guard given.count == 1 else {
            throw Problem.invalid(
                "", "one_of", "Send exactly one of classId, locationId and personIds.")
        }
        if let reference: Reference<ClassEntity> = body.reference("classId") {
            self = .classOf(reference)
        } else if let reference: Reference<LocationEntity> = body.reference("locationId") {
            self = .location(reference)
        } else {
            self = .people((body.texts("personIds") ?? []).compactMap { Reference($0) })
        }
    }

    /// The pointer to its field.
    var pointer: String {
        switch self {
        case .classOf: "/classId"
        case .location: "/locationId"
        case .people: "/personIds"
        }
    }

    /// Refuses a list with someone who cannot be on the sheet, with a pointer to each: no one in the list is left out
    /// silently.
    ///
    /// - Parameter people: a row for each reference, in order.
    func check(_ people: Rows, _ standing: Standing) throws {
        var invalid: [Problem.Invalid] = []
        var forbidden: [Problem.Invalid] = []
        var without: [Problem.Invalid] = []
        for (position, row) in people.enumerated() {
            let itemPointer = "\(pointer)/\(position)"
            switch try row.optionalText("outcome") {
            case nil: invalid += Problem.unknownReference(itemPointer).errors
            case "deactivated":
                invalid.append(
                    .init(
                        pointer: itemPointer, code: "person_deactivated",
                        detail: "This person is deactivated and could not sign in."))
            case "forbidden":
                let why = Problem.forbiddenTemporaryPassword(as: standing).detail ?? ""
                forbidden.append(.init(pointer: itemPointer, code: "forbidden", detail: why))
            case "withoutPassword":
                let why = Problem.withoutPasswords.title
                without.append(.init(pointer: itemPointer, code: "without_passwords", detail: why))
            default: break
            }
        }
        if !invalid.isEmpty { throw Problem.invalid(Array(invalid.prefix(100))) }
        guard forbidden.isEmpty else {
            var problem = Problem.forbiddenTemporaryPassword(as: standing)
            problem.errors = Array(forbidden.prefix(100))
            throw problem
        }
        guard without.isEmpty else {
            var problem = Problem.withoutPasswords
            problem.errors = Array(without.prefix(100))
            throw problem
        }
    }
}

/// What a sheet is for, found in the directory.
enum SheetSubject: Sendable {
    case classOf(ClassID, name: String)
    case location(LocationID, name: String)
    case people([Reference<PersonEntity>])

    var isList: Bool { if case .people = self { true } else { false } }

    /// `nil` for a list.
    var name: String? {
        switch self {
        case .classOf(_, let name), .location(_, let name): name
        case .people: nil
        }
    }

    /// The word for it in audit events.
    var kind: String {
        switch self {
        case .classOf: "class"
        case .location: "location"
        case .people: "people"
        }
    }

    /// `nil` for a list.
    var id: UUID? {
        switch self {
        case .classOf(let id, _): id.uuid
        case .location(let id, _): id.uuid
        case .people: nil
        }
    }
}

/// The format of a sheet.
enum SheetForm: Sendable {
    case table
    case page

    /// The one that the client prefers, by default the table; `nil` if the client accepts neither (RFC 9110 section
    /// 12.5.1).
    init?(accept headers: HeaderFields) {
        let wanted = QualityList(headers, "accept")
        let rest = wanted["text/*"] ?? wanted["*/*"] ?? (wanted.isEmpty ? 1 : 0)
        let table = wanted["text/csv"] ?? rest
        let page = wanted["text/html"] ?? rest
        guard max(table, page) > 0 else { return nil }
        self = page > table ? .page : .table
    }

    func response(to sheet: SignInSheet) -> Response {
        switch self {
        case .table: SignInSheetTable.response(sheet)
        case .page: SignInSheetPage.response(sheet)
        }
    }
}
