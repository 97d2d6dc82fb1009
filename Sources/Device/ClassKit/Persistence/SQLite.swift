import CSQLite
import Foundation

/// An error of SQLite, with its result code.
struct SQLiteError: Error, LocalizedError {
    let code: Int32
    let explanation: String

    /// Whether the file is not a database, or a damaged one.
    var isDamage: Bool { code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB }
    var errorDescription: String? { explanation }
}

/// A connection to a database file. Used by one thread at a time.
final class SQLite {
    private let handle: OpaquePointer
    /// The one used last comes first. Literals compare faster than they hash.
    private var statements: [(sql: String, statement: SQLiteStatement)] = []

    init(file: String) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(file, &handle, flags | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let handle else {
            let explanation = handle.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close_v2(handle)
            throw SQLiteError(code: result, explanation: explanation ?? "no memory")
        }
        self.handle = handle
        // Another process of the same app may be writing.
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters.
    func script(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Runs a statement, which is prepared once.
    func run(_ sql: String, _ values: SQLiteValue...) throws {
        try run(sql, values: values)
    }

    /// Runs a statement, which is prepared once.
    func run(_ sql: String, values: [SQLiteValue]) throws {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
    }

    /// Returns what `read` makes of each row.
    func rows<Row>(
        _ sql: String, _ values: SQLiteValue..., read: (SQLiteStatement) throws -> Row
    ) throws -> [Row] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var rows: [Row] = []
        while try statement.step() { rows.append(try read(statement)) }
        return rows
    }

    /// How many rows the last statement changed.
    var changedCount: Int { Int(sqlite3_changes(handle)) }

    /// Makes all changes of `body`, or none.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try script("begin immediate")
        do {
            let result = try body()
            try script("commit")
            return result
        } catch {
            // The transaction may be over already, as after a full disk.
            if sqlite3_get_autocommit(handle) == 0 { try script("rollback") }
            throw error
        }
    }

    private func prepared(_ sql: String) throws -> SQLiteStatement {
        if let index = statements.firstIndex(where: { $0.sql == sql }) {
            statements.swapAt(index, 0)
            return statements[0].statement
        }
        var pointer: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &pointer, nil))
        guard let pointer else {
            throw SQLiteError(code: SQLITE_MISUSE, explanation: "The statement is empty.")
        }
        let statement = SQLiteStatement(pointer, of: handle)
        statements.append((sql, statement))
        return statement
    }

    private func check(_ result: Int32) throws {
        guard result == SQLITE_OK else {
            throw SQLiteError(code: result, explanation: String(cString: sqlite3_errmsg(handle)))
        }
    }
}

/// A value in a statement.
enum SQLiteValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes(Data)

    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ real: Double?) { self = real.map { .real($0) } ?? .null }
    init(_ bytes: Data?) { self = bytes.map { .bytes($0) } ?? .null }
    init(_ number: Int) { self = .integer(Int64(number)) }
    init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}

/// A prepared statement and its current row.
final class SQLiteStatement {
    private let pointer: OpaquePointer
    private let handle: OpaquePointer
    /// Has SQLite copy texts and bytes.
    private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ pointer: OpaquePointer, of handle: OpaquePointer) {
        self.pointer = pointer
        self.handle = handle
    }

    deinit { sqlite3_finalize(pointer) }

    func bind(_ values: [SQLiteValue]) throws {
        for (index, value) in values.enumerated() {
            let result = bind(value, at: Int32(index + 1))
            guard result == SQLITE_OK else { throw error(result) }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(pointer, index)
        case .integer(let number): sqlite3_bind_int64(pointer, index, number)
        case .real(let number): sqlite3_bind_double(pointer, index, number)
        case .text(let text): sqlite3_bind_text(pointer, index, text, -1, SQLiteStatement.copies)
        // Its address may be null, which SQLite takes for no value.
        case .bytes(let data) where data.isEmpty: sqlite3_bind_zeroblob(pointer, index, 0)
        case .bytes(let data):
            data.withUnsafeBytes {
                sqlite3_bind_blob64(
                    pointer, index, $0.baseAddress, UInt64($0.count), SQLiteStatement.copies)
            }
        }
    }

    /// Goes to the next row; `false` if there is none.
    func step() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw error(result)
        }
    }

    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func optionalText(_ column: Int32) -> String? {
        sqlite3_column_text(pointer, column).map { String(cString: $0) }
    }

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(pointer, column)) }
    func flag(_ column: Int32) -> Bool { integer(column) != 0 }
    func real(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

    func optionalReal(_ column: Int32) -> Double? {
        sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : real(column)
    }

    func data(_ column: Int32) -> Data? {
        guard let bytes = sqlite3_column_blob(pointer, column) else { return nil }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(pointer, column)))
    }

    private func error(_ result: Int32) -> SQLiteError {
        SQLiteError(code: result, explanation: String(cString: sqlite3_errmsg(handle)))
    }
}
