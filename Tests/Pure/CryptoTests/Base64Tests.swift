import Crypto
import Testing

@Suite struct Base64Text {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `encoding and decoding follow the standard`(text: String, encoded: String) {
        let bytes = Array(text.utf8)
        let bare = encoded.filter { $0 != "=" }
        #expect(Base64.encode(bytes) == encoded)
        #expect(Base64.decode(encoded) == bytes)
        #expect(Base64.encodeURL(bytes) == bare)
        #expect(Base64.decodeURL(bare) == bytes)
        #expect(Base64.encodeUnpadded(bytes) == bare)
        #expect(Base64.decodeUnpadded(bare.utf8) == bytes)
    }

    @Test func `each alphabet has its own two last characters`() {
        #expect(Base64.encode([0xFB, 0xEF, 0xFF]) == "++//")
        #expect(Base64.encodeURL([0xFB, 0xEF, 0xFF]) == "--__")
        #expect(Base64.decodeURL("++//") == nil)
        #expect(Base64.decode("--__") == nil)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zg==Zg==", "Z===", "====", "=", "Zm 9v", "Zm9v\n",
        "Z",
    ])
    func `refuses text that no encoder would write`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Z", "Zh", "Zm9", "Zg==", "Zm9v=", "Zm\n9v", "Zm9vZ"])
    func `refuses padding and stray bits in URLs`(text: String) {
        #expect(Base64.decodeURL(text) == nil)
    }

    @Test func `any bytes survive`() {
        for length in 0..<200 {
            let bytes = SecureRandom.bytes(length)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes)
        }
    }
}
