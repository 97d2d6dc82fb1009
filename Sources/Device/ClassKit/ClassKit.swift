// Apps that import ClassKit on Apple's platforms get Foundation with it.
@_exported import Foundation

/// Guards the properties of all contexts, activities and items.
///
/// One lock, because the objects form one tree and a change often concerns several of them. It is held for reads and
/// writes of memory only: never while the database, the network or code of the app is called.
enum ObjectLock {
    private static let lock = NSRecursiveLock()

    static func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}

/// Runs something once, whoever asks first.
final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var body: (@Sendable () -> Void)?

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// - Returns: whether this call ran it.
    @discardableResult func run() -> Bool {
        let body = lock.withLock {
            defer { self.body = nil }
            return self.body
        }
        body?()
        return body != nil
    }
}

/// Carries to another thread what the caller promises to use on one thread at a time.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
