import CLinux
import Glibc

/// What to report about a descriptor. Errors and hang-ups are always reported.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let read = Interest(rawValue: EPOLLIN.rawValue)
    package static let write = Interest(rawValue: EPOLLOUT.rawValue)
    /// The peer has closed its sending side.
    package static let hangUp = Interest(rawValue: EPOLLRDHUP.rawValue)
    /// Report changes once instead of reporting the state repeatedly.
    package static let edge = Interest(rawValue: EPOLLET.rawValue)

    var events: UInt32 { rawValue }
}

/// What a descriptor is ready for.
package struct Readiness: Sendable {
    private let events: UInt32

    init(events: UInt32) {
        self.events = events
    }

    package var canRead: Bool { events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 }
    package var canWrite: Bool { events & EPOLLOUT.rawValue != 0 }
    /// Whether the peer has closed its sending side.
    package var peerClosed: Bool { events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 }
    package var hasError: Bool { events & EPOLLERR.rawValue != 0 }
}

/// One descriptor that a loop watches. Confined to its loop.
package final class Registration {
    private unowned let loop: Loop
    let descriptor: Int32
    let slot: Int
    let handler: (Readiness) -> Void
    private let generation: UInt32

    init(
        loop: Loop, descriptor: Int32, slot: Int, generation: UInt32,
        handler: @escaping (Readiness) -> Void
    ) {
        self.loop = loop
        self.descriptor = descriptor
        self.slot = slot
        self.generation = generation
        self.handler = handler
    }

    /// Slot and generation, so that a late event for a reused slot is ignored.
    var tag: UInt64 { UInt64(generation & 0x7FFF_FFFF) << 32 | UInt64(slot) }

    /// Changes what is watched for.
    package func change(_ interest: Interest) {
        loop.change(self, to: interest)
    }

    /// Stops watching. Must be called before the descriptor is closed; a second call does nothing.
    package func cancel() {
        loop.remove(self)
    }
}
