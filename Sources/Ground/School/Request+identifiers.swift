import API
import Values

extension Request {
    /// A UUID in the path; anything else is a 404.
    package func id<Entity>(_ name: String) throws -> ID<Entity> {
        guard let uuid = UUID(path(name)) else { throw Problem.notFound }
        return ID(uuid)
    }

    /// A UUID or `source:ID` in the path; anything else is a 404.
    package func reference<Entity>(_ name: String) throws -> Reference<Entity> {
        guard let reference = Reference<Entity>(path(name)) else { throw Problem.notFound }
        return reference
    }

    package func queryReference<Entity>(_ name: String) -> Reference<Entity>? {
        query(name).flatMap { Reference($0) }
    }

    package func queryID<Entity>(_ name: String) -> ID<Entity>? {
        query(name).flatMap { UUID($0) }.map { ID($0) }
    }
}

extension Fields {
    package func reference<Entity>(_ name: String) -> Reference<Entity>? {
        text(name).flatMap { Reference($0) }
    }
}

extension Problem {
    /// The body and the path name different records.
    package static let sourceIDContradictsPath = invalid(
        "/sourceId", "contradicts_path", "The path names another sourceId.")
}
