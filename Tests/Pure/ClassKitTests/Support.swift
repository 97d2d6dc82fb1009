import ClassKitUplink
import Foundation

@testable import ClassKit

/// Clocks that a test moves.
final class TestClocks: DeviceClocks, @unchecked Sendable {
    private let lock = NSLock()
    private var wall = Date(timeIntervalSince1970: 1_800_000_000)
    private var uptimeSeconds = 1000.0
    private var awakeSeconds = 500.0

    var now: Moment {
        lock.withLock { Moment(wall: wall, uptime: uptimeSeconds, bootID: "boot") }
    }
    var awake: Double { lock.withLock { awakeSeconds } }

    /// Lets time pass while the device is awake.
    func advance(_ seconds: Double) {
        lock.withLock {
            wall += seconds
            uptimeSeconds += seconds
            awakeSeconds += seconds
        }
    }

    /// Lets the device sleep.
    func sleep(_ seconds: Double) {
        lock.withLock {
            wall += seconds
            uptimeSeconds += seconds
        }
    }
}

/// A folder that goes with the test, and its data stores.
final class TestFolder {
    let url: URL
    private var stores: [CLSDataStore] = []

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "classkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func settings(_ subject: String? = "sam") -> StoreSettings {
        StoreSettings(
            bundleID: "org.example.app", title: "App",
            folder: url.appendingPathComponent("store"), subject: subject)
    }

    /// A data store as a process that has just been started has it.
    func store(
        _ subject: String? = "sam", clocks: any DeviceClocks = TestClocks()
    ) -> CLSDataStore {
        let store = CLSDataStore(settings: settings(subject), clocks: clocks)
        stores.append(store)
        return store
    }
}

extension CLSContext {
    /// Adds a new child.
    @discardableResult
    func add(_ identifier: String, _ title: String? = nil) -> CLSContext {
        let child = CLSContext(type: .lesson, identifier: identifier, title: title ?? identifier)
        addChildContext(child)
        return child
    }

    func find(_ path: String...) async throws -> CLSContext {
        try await descendant(matchingIdentifierPath: path)
    }

    func lacks(_ path: String...) async -> Bool {
        (try? await descendant(matchingIdentifierPath: path)) == nil
    }
}

extension CLSDataStore {
    /// The error of a save; `nil` if everything was saved.
    func errorOfSave() async -> CLSError? {
        do {
            try await save()
            return nil
        } catch { return error as? CLSError }
    }

    /// What an uplink for the person has: the queue, and a way to take in what changed on the server.
    func outbox() throws -> StoreOutbox {
        StoreOutbox(subject: "sam", database: try executor.sync { try opened() }, of: self)
    }

    /// What waits for sending, as "kind ref".
    func queue() throws -> [String] {
        try executor.sync {
            try opened().sql.rows("select kind, ref from outbox order by number") {
                "\($0.text(0)) \($0.text(1))"
            }
        }
    }
}

extension CLSError {
    var object: CLSObject? { userInfo[CLSErrorUserInfoKey.objectKey.rawValue] as? CLSObject }
    var underlying: [CLSError] {
        userInfo[CLSErrorUserInfoKey.underlyingErrorsKey.rawValue] as? [CLSError] ?? []
    }
    var successes: [CLSObject] {
        userInfo[CLSErrorUserInfoKey.successfulObjectsKey.rawValue] as? [CLSObject] ?? []
    }
}
