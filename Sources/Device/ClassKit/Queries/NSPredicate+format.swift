import Foundation

extension NSPredicate {
    /// Creates a predicate for contexts from a format, as on Apple's platforms.
    ///
    /// It compares the properties of `CLSPredicateKeyPath` by =, ==, !=, <>, <, <=, >, >=, BETWEEN, IN, BEGINSWITH,
    /// ENDSWITH, CONTAINS, LIKE and MATCHES, with [c] and [d] for texts, and combines comparisons by AND, OR and NOT.
    /// Arguments stand for %@, %K and numbers. If a format uses anything else, `CLSDataStore.contexts(matching:)`
    /// fails with `CLSError.invalidArgument`, which says what and where.
    public convenience init(format: String, _ arguments: any CVarArg...) {
        self.init(format: format, argumentArray: arguments)
    }

    /// Creates a predicate for contexts from a format, as on Apple's platforms.
    public convenience init(format: String, argumentArray arguments: [Any]?) {
        let parsed = Result { try PredicateParser.parse(format, arguments ?? []) }
        self.init { object, _ in
            do {
                guard let context = object as? CLSContext else {
                    throw PredicateError("This predicate is for contexts.", in: format)
                }
                return try parsed.get().matches(context)
            } catch {
                PredicateFailure.note(error)
                return false
            }
        }
    }
}

/// What is wrong with a predicate.
struct PredicateError: Error, LocalizedError {
    let errorDescription: String?

    init(_ problem: String, in format: String, at position: Int? = nil) {
        let place = position.map { " at character \($0 + 1)" } ?? ""
        errorDescription = "The predicate \"\(format)\" is not supported\(place): \(problem)"
    }
}

/// Carries an error out of the evaluation of a predicate, which can only answer yes or no.
enum PredicateFailure {
    private static let key = "classkit.predicate-failure"

    static func note(_ error: any Error) {
        Thread.current.threadDictionary[key] = error
    }

    /// Returns what `body` returns, unless a predicate failed in it.
    static func reported<Value>(_ body: () -> Value) throws -> Value {
        Thread.current.threadDictionary.removeObject(forKey: key)
        let value = body()
        guard let error = Thread.current.threadDictionary[key] as? any Error else { return value }
        throw CLSError(.invalidArgument, error.localizedDescription)
    }
}
