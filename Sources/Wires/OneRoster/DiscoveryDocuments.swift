import JSONBytes
import Synchronization

/// The API documents of the parts, each made at its first request and then kept: making one takes a thread several
/// milliseconds, and nobody has to sign in to ask for it.
final class DiscoveryDocuments: Sendable {
    private let made = Mutex<[Part: [UInt8]]>([:])

    /// The document of a part in JSON; `make` is called once.
    func document(of part: Part, make: () -> JSONValue) -> [UInt8] {
        made.withLock { made in
            if let known = made[part] { return known }
            let bytes = make().bytes
            made[part] = bytes
            return bytes
        }
    }
}
