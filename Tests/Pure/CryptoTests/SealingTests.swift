import Testing

@testable import Crypto

/// Secrets that are kept where others may read them.
@Suite struct Sealing {
    private static let secret = Array("opensesame".utf8)
    private static let context = Array("of Hillside".utf8)

    private func key(_ byte: UInt8 = 7) throws -> SealingKey {
        try #require(SealingKey([UInt8](repeating: byte, count: 32)))
    }

    @Test(arguments: [0, 1, 16, 1000])
    func `what is sealed opens again`(length: Int) throws {
        let secret = [UInt8](repeating: 0x41, count: length)
        let sealed = try key().seal(secret, for: Self.context)
        #expect(sealed.count == length + 28)
        #expect(try key().open(sealed, for: Self.context) == secret)
        #expect(length < 16 || sealed.firstRange(of: secret) == nil)
    }

    @Test func `nothing else opens it`() throws {
        let sealed = try key().seal(Self.secret, for: Self.context)
        #expect(try key(8).open(sealed, for: Self.context) == nil)
        #expect(try key().open(sealed, for: Array("of Elsewhere".utf8)) == nil)
        #expect(try key().open(sealed, for: []) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try key().open(changed, for: Self.context) == nil, "byte \(index)")
        }
        for length in [0, 1, 27, sealed.count - 1] {
            let cut = Array(sealed.prefix(length))
            #expect(try key().open(cut, for: Self.context) == nil)
        }
    }

    @Test func `sealing twice gives different bytes`() throws {
        let sealed = try (0..<2).map { _ in try key().seal(Self.secret, for: Self.context) }
        #expect(sealed[0] != sealed[1])
    }

    /// Test case 14 of *The Galois/Counter Mode of Operation* (McGrew and Viega): a key, a nonce and 16 bytes of zeros.
    @Test func `it is AES-256-GCM`() throws {
        let sealed: [UInt8] =
            [UInt8](repeating: 0, count: 12) + [
                0xce, 0xa7, 0x40, 0x3d, 0x4d, 0x60, 0x6b, 0x6e, 0x07, 0x4e, 0xc5, 0xd3, 0xba, 0xf3,
                0x9d, 0x18, 0xd0, 0xd1, 0xc8, 0xa7, 0x99, 0x99, 0x6b, 0xf0, 0x26, 0x5b, 0x98, 0xb5,
                0xd4, 0x8a, 0xb9, 0x19,
            ]
        #expect(try key(0).open(sealed, for: []) == [UInt8](repeating: 0, count: 16))
    }

    @Test func `a key has 32 bytes, and an id that is not the key`() throws {
        #expect(SealingKey([1, 2, 3])?.id == nil)
        #expect(SealingKey(SealingKey.random())?.id.isEmpty == false)
        #expect(try key().id.count == 32 && key().id == key().id && key().id != key(8).id)
        #expect(try !key().id.contains("0707"))
    }
}
