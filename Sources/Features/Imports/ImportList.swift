import API
import HTTPWire
import Postgres
import School

/// A list of an import, whose rows stand in the order of a position, from 0 on: page by page, or whole as CSV.
struct ImportList: Sendable {
    /// At most so many rows behind a position, or behind none: the columns of the list, then `position`.
    typealias Rows = @Sendable (_ last: Int?, _ limit: Int) -> Statement

    /// How many columns the list has in JSON.
    let columns: Int
    let rows: Rows
    /// The same as a table; `nil` where it is asked for only as JSON.
    var table: (name: String, columns: [String], rows: Rows)?
}

extension Imports {
    /// A page of a list of the import in the path, or the table of it: empty if the archive has errors, or the plan was old
    /// and has been removed.
    func answer(_ list: ImportList, _ request: Request, _ caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let page = try request.page()
        let last = try page.afterNumber()
        if let table = list.table, request.prefersCSV {
            let found = try await database.query(.importDetails(importID, of: caller), as: caller)
            guard !found.isEmpty else { throw Problem.notFound }
            return try await ImportTable(name: table.name, columns: table.columns) {
                [database] last, limit in
                try await database.query(table.rows(last, limit), as: caller)
            }.response()
        }
        let rows = try await database.read(as: caller) { session in
            let found = try await session.query(.importDetails(importID, of: caller))
            guard !found.isEmpty else { throw Problem.notFound }
            return try await session.query(page.of(list.rows(last, page.limitPlusOne)))
        }
        let response = try page.response(
            rows, columns: list.columns, key: { [String(try $0.int("position"))] },
            request: request)
        return list.table == nil ? response : response.varying(by: "Accept")
    }
}
