import COpenSSL

// What keys of all kinds have in common.

/// Supplies no passphrase; without this OpenSSL would ask on the terminal.
func refusePassphrase(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 {
    -1
}

/// A key of any kind in PEM.
func parseKey(
    _ pem: String, _ read: (OpaquePointer) -> OpaquePointer?
) throws(KeyError) -> OpaquePointer {
    let bytes = Array(pem.utf8)
    guard bytes.count <= 8192 else { throw .tooLong }
    defer { ERR_clear_error() }
    let key = bytes.withUnsafeBytes { buffer -> OpaquePointer? in
        guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
        defer { BIO_free(bio) }
        return read(bio)
    }
    guard let key else { throw .notPEM }
    return key
}

/// The text that the closure writes, with a newline at the end; a key of 8,192 bits takes 6,400 bytes.
func writePEM(_ write: (OpaquePointer) -> Int32) -> String {
    guard let bio = BIO_new(BIO_s_mem()), write(bio) == 1 else {
        preconditionFailure("OpenSSL has no memory for a key")
    }
    defer { BIO_free(bio) }
    var text = [UInt8](repeating: 0, count: 16_384)
    let length = BIO_read(bio, &text, Int32(text.count))
    return String(decoding: text.prefix(Int(length)), as: UTF8.self)
}

/// A private key as an unencrypted `PRIVATE KEY` (PKCS #8), with a newline at the end.
func privatePEM(_ key: OpaquePointer) -> String {
    writePEM { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
}

/// The signature of a message's SHA-256, as OpenSSL encodes it.
func signed(_ message: [UInt8], by key: OpaquePointer, atMost limit: Int) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: limit)
    var length = limit
    guard EVP_DigestSignInit(context, nil, Algorithms.sha256, nil, key) == 1,
        EVP_DigestSign(context, &signature, &length, message, message.count) == 1
    else { preconditionFailure("OpenSSL refused to sign") }
    return Array(signature.prefix(length))
}

/// Whether a signature is the key's, of the message's SHA-256.
func isSigned(_ message: [UInt8], _ signature: [UInt8], by key: OpaquePointer) -> Bool {
    let context = EVP_MD_CTX_new()
    defer {
        EVP_MD_CTX_free(context)
        ERR_clear_error()
    }
    return EVP_DigestVerifyInit(context, nil, Algorithms.sha256, nil, key) == 1
        && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
}
