import Foundation
import Synchronization

/// The system calls on files below a folder, in order.
enum WrittenThrough {
    enum Event: Equatable {
        /// Of so many bytes, or of a folder.
        case sync(String, bytes: Int?)
        case rename(String, to: String)
    }

    private struct Watch: Sendable {
        let folder: String
        var events: [Event] = []
    }

    private static let watches = Mutex<[Int: Watch]>([:])

    /// Records what happens below a folder while the body runs.
    static func events<Value>(below folder: String, _ body: () throws -> Value) throws -> (
        Value, [Event]
    ) {
        let folder = URL(filePath: folder).resolvingSymlinksInPath().path
        let number = watches.withLock { watches in
            let number = (watches.keys.max() ?? 0) + 1
            watches[number] = Watch(folder: folder)
            return number
        }
        let value: Value
        do { value = try body() } catch {
            watches.withLock { $0[number] = nil }
            throw error
        }
        return (value, watches.withLock { $0.removeValue(forKey: number)?.events ?? [] })
    }

    fileprivate static func note(_ path: String, _ event: Event) {
        watches.withLock { watches in
            for (number, watch) in watches
            where path.hasPrefix(watch.folder + "/") || path == watch.folder {
                watches[number]?.events.append(event)
            }
        }
    }

    fileprivate static var isWatching: Bool { watches.withLock { !$0.isEmpty } }

    /// The C library's own function, which the ones below call.
    fileprivate static func next<Function>(_ name: String, as type: Function.Type) -> Function {
        unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: -1), name), to: type)
    }

    fileprivate static let fsync = next("fsync", as: (@convention(c) (Int32) -> Int32).self)
    fileprivate static let rename = next(
        "rename",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32).self)
}

/// Interposes the C library's function of that name in the test program.
@_cdecl("fsync") public func watchedSync(_ descriptor: Int32) -> Int32 {
    let status = WrittenThrough.fsync(descriptor)
    guard status == 0, WrittenThrough.isWatching else { return status }
    var path = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
    var facts = stat()
    guard length > 0, fstat(descriptor, &facts) == 0 else { return status }
    let name = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let isFolder = facts.st_mode & S_IFMT == S_IFDIR
    WrittenThrough.note(name, .sync(name, bytes: isFolder ? nil : Int(facts.st_size)))
    return status
}

/// Interposes the C library's function of that name in the test program.
@_cdecl("rename") public func watchedRename(
    _ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>
) -> Int32 {
    let status = WrittenThrough.rename(old, new)
    if status == 0, WrittenThrough.isWatching {
        WrittenThrough.note(
            String(cString: new), .rename(String(cString: old), to: String(cString: new)))
    }
    return status
}
