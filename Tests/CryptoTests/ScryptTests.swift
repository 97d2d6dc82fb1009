import Testing

@testable import Crypto

@Suite struct PasswordHashing {
    /// From RFC 7914 section 12.
    @Test func `a derived key follows the standard`() {
        let key = Scrypt.derive(
            Array("pleaseletmein".utf8), salt: Array("SodiumChloride".utf8), logN: 14, length: 64)
        #expect(
            key
                == hexadecimal(
                    "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                        + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"))
    }

    @Test func `a record distinguishes its password from others`() {
        let record = Scrypt.hash("pässword")
        #expect(record.hasPrefix("$scrypt$ln=15,r=8,p=1$"))
        #expect(record != Scrypt.hash("pässword"), "salted")
        #expect(Scrypt.verify("pässword", against: record))
        #expect(!Scrypt.verify("passwort", against: record))
        #expect(!Scrypt.verify("", against: record))
        #expect(Scrypt.verify("", against: Scrypt.hash("")), "even an empty one")
    }

    @Test(arguments: [
        nil, "", "$scrypt$ln=15,r=8,p=1$", "$scrypt$ln=15,r=8,p=1$$",
        "$scrypt$ln=1,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `a record that nobody created signs nobody in`(record: String?) {
        #expect(!Scrypt.verify("", against: record))
    }
}
