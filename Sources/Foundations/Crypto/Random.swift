import COpenSSL
import Glibc
import Synchronization
import Values

/// Unpredictable bytes, from OpenSSL's generator of the calling thread.
package enum SecureRandom {
    package static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let status = RAND_bytes(buffer.baseAddress, Int32(count))
            precondition(status == 1, "the system gives no random bytes")
            initialized = count
        }
    }

    package static func word() -> UInt64 {
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { buffer in
            let status = RAND_bytes(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), 8)
            precondition(status == 1, "the system gives no random bytes")
            return buffer.load(as: UInt64.self)
        }
    }

    /// 256 bits as 43 characters of base64url: an opaque token; only its digest is stored.
    package static func token() -> String {
        Base64.encodeURL(bytes(32))
    }
}

/// Makes `SecureRandom` usable with the standard library's algorithms, such as `randomElement(using:)`.
package struct SecureGenerator: RandomNumberGenerator, Sendable {
    package init() {}

    package mutating func next() -> UInt64 { SecureRandom.word() }
}

extension UUID {
    /// A new version 7 identifier, greater than all that this process made before.
    ///
    /// RFC 9562 section 6.2, method 3: the 12 bits after the milliseconds hold their fraction, and are
    /// incremented by one if the clock has not moved. 62 bits are random.
    package static func v7() -> UUID {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        let milliseconds = UInt64(clock.tv_sec) * 1000 + UInt64(clock.tv_nsec) / 1_000_000
        let fraction = ((UInt64(clock.tv_nsec) % 1_000_000) << 12) / 1_000_000
        let now = milliseconds << 12 | fraction
        var last = lastMoment.load(ordering: .relaxed)
        while true {
            let next = max(now, last + 1)
            let (exchanged, current) = lastMoment.weakCompareExchange(
                expected: last, desired: next, ordering: .relaxed)
            if exchanged {
                return UUID(
                    high: (next >> 12) << 16 | 0x7000 | next & 0xFFF,
                    low: 0x8000_0000_0000_0000 | SecureRandom.word() >> 2)
            }
            last = current
        }
    }
}

/// Milliseconds since 1970 and 12 bits of their fraction, of the newest identifier.
private let lastMoment = Atomic<UInt64>(0)
