import COpenSSL
import Values

/// A SHA-256 digest as a value: comparing, hashing and copying it allocates nothing.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Reads the 32 bytes as they are stored; `nil` for any other length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self = bytes.withUnsafeBytes { SHA256Digest($0) }
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        (first, second, third, fourth) = (word(0), word(8), word(16), word(24))
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for word in [first, second, third, fourth] {
            withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// 64 hexadecimal digits, lower case.
    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in bytes {
            text.append(hexadecimalDigit(byte >> 4))
            text.append(hexadecimalDigit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    package func hash(into hasher: inout Hasher) {
        // A digest is already evenly distributed; a quarter of it is enough.
        hasher.combine(first)
    }
}

/// SHA-256 (FIPS 180-4) of bytes in memory.
package enum SHA256 {
    package static func digest(_ bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { output in
            let status = EVP_Digest(
                bytes.baseAddress, bytes.count,
                output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
                Algorithms.sha256, nil)
            precondition(status == 1, "OpenSSL refused SHA-256")
            return SHA256Digest(UnsafeRawBufferPointer(output))
        }
    }

    package static func digest(_ bytes: [UInt8]) -> SHA256Digest {
        bytes.withUnsafeBytes { digest($0) }
    }

    /// The digest of the text's UTF-8.
    package static func digest(_ text: String) -> SHA256Digest {
        var text = text
        return text.withUTF8 { digest(UnsafeRawBufferPointer($0)) }
    }
}

/// SHA-256 of data that arrives in pieces, such as a file.
///
/// Used by one thread at a time.
package final class RunningSHA256: @unchecked Sendable {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new(),
            EVP_DigestInit_ex(context, Algorithms.sha256, nil) == 1
        else { preconditionFailure("OpenSSL refused SHA-256") }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        let status = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(status == 1, "OpenSSL refused SHA-256")
    }

    package func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of everything so far; more may follow.
    package func digest() -> SHA256Digest {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { output in
            let copy = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(copy) }
            let done =
                EVP_MD_CTX_copy_ex(copy, context) == 1
                && EVP_DigestFinal_ex(
                    copy, output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil) == 1
            precondition(done, "OpenSSL refused SHA-256")
            return SHA256Digest(UnsafeRawBufferPointer(output))
        }
    }
}
