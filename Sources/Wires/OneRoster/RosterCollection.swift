import API
import Postgres
import Values

/// A collection of the standard: the objects of one kind, or some of them.
struct RosterCollection: Sendable {
    /// Of which scopes a limited token needs one.
    enum Reach: Sendable {
        /// Read as a whole or by id.
        case core
        /// Read by way of another object.
        case nested
        case demographics
        /// The same of the gradebook.
        case grades, nestedGrades
        case resources, nestedResources

        var scopes: [String] {
            switch self {
            case .core: ["roster", "roster-core"]
            case .nested: ["roster"]
            case .demographics: ["roster-demographics"]
            case .grades: ["gradebook", "gradebook-core"]
            case .nestedGrades: ["gradebook"]
            case .resources: ["resource", "resource-core"]
            case .nestedResources: ["resource"]
            }
        }
    }

    /// In paths.
    let name: String
    /// The member of an answer with one object, and with several.
    let keys: (one: String, several: String)
    /// The name of its objects in the API document.
    let object: String
    /// The table as it is now, called `x` in all conditions.
    let source: Statement
    /// Which rows of the table belong to it; `nil` for all.
    var condition: Statement?
    let fields: [RosterField]
    var reach = Reach.core
    var part = Part.rostering
    /// The row that a sourcedId names.
    var named: @Sendable (String) -> Statement = RosterCollection.bySourceOrID
    /// Whether it shows what came of students' work, so that who reads it is noted. Its table has `class_id`,
    /// `person_id`, and whether the caller wrote the row itself: `is_own`.
    var isOfStudentsWork = false
    /// How pages of the whole collection are found; `nil` if they are sorted.
    var pages: PagesByID?
    /// The same where nothing says that the number of objects has changed.
    var keyed: PagesByKey?

    /// Those of its objects that satisfy a condition, under another name.
    func those(_ name: String, where condition: Statement) -> RosterCollection {
        RosterCollection(
            name: name, keys: keys, object: object, source: source, condition: condition,
            fields: fields, reach: reach, part: part, named: named)
    }

    /// Some of its objects, which a table of the same columns has, under another name.
    func those(_ name: String, from source: Statement) -> RosterCollection {
        RosterCollection(
            name: name, keys: keys, object: object, source: source, fields: fields, reach: reach,
            part: part, named: named)
    }

    /// Of which scopes a limited token needs one to read it.
    func scopes(in edition: Edition, isNested: Bool) -> [String] {
        let reach: Reach =
            switch part {
            case .rostering: isNested ? .nested : reach
            case .gradebook: isNested ? .nestedGrades : .grades
            case .resources: isNested ? .nestedResources : .resources
            }
        return reach.scopes.map(edition.scope)
    }

    static func bySourceOrID(_ sourcedID: String) -> Statement {
        guard let id = UUID(sourcedID) else { return "x.source_id = \(sourcedID)" }
        return "(x.source_id = \(sourcedID) or x.source_id is null and x.id = \(id))"
    }

    // MARK: Answers

    func shape(in edition: Edition) -> ObjectShape {
        ObjectShape(edition.prefix + object, fields.map(\.documented))
    }

    func answer(in edition: Edition, isSingle: Bool) -> Operation.Answer {
        let shape = Shape.object(shape(in: edition))
        return isSingle
            ? .json(
                "The object.",
                .fields("\(edition.prefix)Single\(object)", [.required(keys.one, shape)])
            ).tagged
            : .json(
                "A page. X-Count says how many objects it has, X-Total-Count how many there are in all.",
                .fields(
                    "\(edition.prefix)\(object)List",
                    [.required(keys.several, .array(shape, count: 0...10_000))])
            ).tagged.pagedBothWays
    }
}
