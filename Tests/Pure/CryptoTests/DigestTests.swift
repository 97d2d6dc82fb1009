import Crypto
import Synchronization
import Testing
import Values

func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap(hexadecimalValue)
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

@Suite struct Digests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 follows the standard`(text: String, digest: String) {
        #expect(SHA256.digest(text).description == digest)
        #expect(SHA256.digest(Array(text.utf8)).bytes == hexadecimal(digest))
        #expect(SHA256Digest(bytes: hexadecimal(digest)) == SHA256.digest(text))
    }

    @Test func `a digest in pieces is the digest of the whole`() {
        let whole = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let running = RunningSHA256()
        #expect(running.digest() == SHA256.digest([]))
        for start in stride(from: 0, to: whole.count, by: 7_777) {
            running.update(Array(whole[start..<min(start + 7_777, whole.count)]))
        }
        #expect(running.digest() == SHA256.digest(whole))
        #expect(running.digest() == SHA256.digest(whole), "reading a digest does not end it")
    }

    @Test func `only 32 bytes are a digest`() {
        #expect(SHA256Digest(bytes: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(SHA256Digest(bytes: [UInt8](repeating: 1, count: 33)) == nil)
    }

    /// The cases 1, 2 and 6 of RFC 4231.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `HMAC follows the standard`(key: [UInt8], message: String, code: String) {
        let key = HMACKey(key)
        let message = Array(message.utf8)
        #expect(key.code(for: message) == hexadecimal(code))
        #expect(key.code(for: message) == hexadecimal(code), "a key serves many times")
        #expect(key.isValid(hexadecimal(code), for: message))
        #expect(!key.isValid(hexadecimal(code), for: message + [0]))
        #expect(!key.isValid([], for: message))
    }

    @Test func `secrets are equal only byte by byte`() {
        #expect(equalInConstantTime([], []))
        #expect(equalInConstantTime([1, 2], [1, 2]))
        #expect(!equalInConstantTime([1, 2], [1, 3]))
        #expect(!equalInConstantTime([1, 2], [1, 2, 3]))
    }
}

@Suite struct Randomness {
    @Test func `random bytes have the requested length and do not repeat`() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(1000).count == 1000)
        #expect(SecureRandom.bytes(16) != SecureRandom.bytes(16))
        #expect(SecureRandom.token().utf8.count == 43)
    }

    @Test func `identifiers are of version 7 and increase`() {
        let made = (0..<10_000).map { _ in UUID.v7() }
        #expect(zip(made, made.dropFirst()).allSatisfy { $0 < $1 })
        #expect(made.allSatisfy { $0.high >> 12 & 0xF == 7 && $0.low >> 62 == 2 })
    }

    @Test func `threads never create the same identifier`() async {
        let made = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { (0..<2_000).map { _ in UUID.v7() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(made.map(\.high)).count == 16_000)
    }
}
