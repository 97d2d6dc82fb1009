import CLinux
import Glibc

/// What to be told about a descriptor. Errors and hang-ups are always told.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let read = Interest(rawValue: EPOLLIN.rawValue)
    package static let write = Interest(rawValue: EPOLLOUT.rawValue)
    /// That the peer has closed its sending side.
    package static let hangUp = Interest(rawValue: EPOLLRDHUP.rawValue)
    /// Tell changes once instead of states again and again.
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
    /// The peer sends no more.
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

    /// Slot and generation, so that a late event of a reused slot finds nobody.
    var tag: UInt64 { UInt64(generation & 0x7FFF_FFFF) << 32 | UInt64(slot) }

    /// Watches for something else from now on.
    package func change(_ interest: Interest) {
        loop.change(self, to: interest)
    }

    /// Watches no more. To be called before the descriptor is closed; a second call does nothing.
    package func cancel() {
        loop.remove(self)
    }
}
