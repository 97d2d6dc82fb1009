import Testing

@testable import Crypto

@Suite struct PasswordHashing {
    private let low = Scrypt.Cost("ln=4,r=8,p=1")

    /// From RFC 7914 section 12.
    @Test(arguments: [
        (
            "", "", "ln=4,r=1,p=1",
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        (
            "password", "NaCl", "ln=10,r=8,p=16",
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
        (
            "pleaseletmein", "SodiumChloride", "ln=14,r=8,p=1",
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        ),
    ])
    func `a derived key follows the standard`(
        password: String, salt: String, cost: String, key: String
    ) throws {
        let derived = Scrypt.derive(
            Array(password.utf8), salt: Array(salt.utf8), try #require(Scrypt.Cost(cost)),
            length: 64)
        #expect(derived == hexadecimal(key))
    }

    @Test func `a record distinguishes its password from others`() throws {
        let low = try #require(low)
        let record = Scrypt.hash("pässword", at: low)
        #expect(record.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
        #expect(record != Scrypt.hash("pässword", at: low), "salted")
        #expect(Scrypt.verify("pässword", against: record, at: low))
        #expect(!Scrypt.verify("passwort", against: record, at: low))
        #expect(!Scrypt.verify("", against: record, at: low))
        let empty = Scrypt.hash("", at: low)
        #expect(Scrypt.verify("", against: empty, at: low), "even an empty one")
    }

    /// Made by Python's `hashlib.scrypt`, at what was the only cost.
    private let earlier =
        "$scrypt$ln=15,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$+UwRl9WyRYKziquA5CuvNAKHVDvHGPIfmRV4EeFOKHo"

    @Test func `records of earlier versions are understood at every cost`() throws {
        for cost in [try #require(low), .standard] {
            #expect(Scrypt.verify("Autumn-2026", against: earlier, at: cost))
            #expect(!Scrypt.verify("Autumn-2027", against: earlier, at: cost))
        }
    }

    @Test(arguments: [
        nil, "", "$scrypt$ln=15,r=8,p=1$", "$scrypt$ln=15,r=8,p=1$$",
        "$scrypt$ln=1,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=20,r=32,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$argon$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `a record that nobody created signs nobody in, at the usual cost`(record: String?) throws {
        let low = try #require(low)
        #expect(!Scrypt.verify("", against: record, at: low))
        #expect(Scrypt.costs(toVerify: record, at: low) == [low])
        #expect(record.map { Scrypt.isWeaker($0, than: .standard) } != true)
        #expect(record.flatMap { Scrypt.renewed($0, of: "", at: low) } == nil)
    }

    @Test func `a renewed record has the new cost, the same password and the same salt`() throws {
        let low = try #require(low)
        let higher = try #require(Scrypt.Cost("ln=5,r=8,p=2"))
        let record = Scrypt.hash("pässword", at: low)
        let renewed = try #require(Scrypt.renewed(record, of: "pässword", at: higher))
        #expect(renewed.hasPrefix("$scrypt$ln=5,r=8,p=2$"))
        #expect(renewed.split(separator: "$")[2] == record.split(separator: "$")[2])
        #expect(renewed.split(separator: "$")[3] != record.split(separator: "$")[3])
        #expect(Scrypt.verify("pässword", against: renewed, at: higher))
        #expect(!Scrypt.verify("passwort", against: renewed, at: higher))
        #expect(Scrypt.renewed(renewed, of: "pässword", at: higher) == nil)
        #expect(Scrypt.renewed(renewed, of: "pässword", at: low) == nil, "never lowered")
    }
}

@Suite struct PasswordCosts {
    @Test(arguments: [
        "ln=4,r=1,p=1", "ln=15,r=8,p=3", "ln=17,r=8,p=1", "ln=13,r=8,p=10", "ln=16,r=32,p=1",
        "ln=15,r=8,p=16", "ln=15,r=1,p=16",
    ])
    func `a cost is read as it is written`(text: String) throws {
        #expect(try #require(Scrypt.Cost(text)).description == text)
    }

    @Test(arguments: [
        "", "15", "ln=15,r=8", "ln=15,r=8,p=1,", "r=8,ln=15,p=1", "ln=15, r=8, p=1",
        "LN=15,r=8,p=1",
        "ln=015,r=8,p=1", "ln=+15,r=8,p=1", "ln=-15,r=8,p=1", "ln=15,r=8,p=", "ln=15,r=8,p=1.0",
        "ln=3,r=8,p=1", "ln=21,r=1,p=1", "ln=15,r=0,p=1", "ln=15,r=33,p=1", "ln=15,r=8,p=0",
        "ln=15,r=8,p=17", "ln=99999999999999999999,r=8,p=1",
        // N is to be below 2^(16 r); more than 256 MiB; more work than some seconds.
        "ln=16,r=1,p=1", "ln=19,r=8,p=1", "ln=17,r=32,p=1", "ln=17,r=8,p=5",
    ])
    func `nothing else is one`(text: String) {
        #expect(Scrypt.Cost(text) == nil)
    }

    @Test func `the standard one is what the guides say`() {
        #expect(Scrypt.Cost.standard.description == "ln=15,r=8,p=3")
        #expect(Scrypt.Cost.standard.memory == 32 << 20)
        #expect(Scrypt.Cost.standard.once.description == "ln=15,r=8,p=1")
    }

    /// Otherwise the time of a wrong password would say that someone has the managed ID, with an old record.
    @Test(arguments: [
        "ln=15,r=8,p=1", "ln=14,r=8,p=1", "ln=14,r=8,p=5", "ln=4,r=1,p=1", "ln=13,r=8,p=11",
        "ln=14,r=16,p=1",
    ])
    func `a weaker record is compared with as much work as an unknown one`(text: String) throws {
        let own = try #require(Scrypt.Cost(text))
        let record = "$scrypt$\(own)$AAAAAAAAAAAAAAAAAAAAAA$\(String(repeating: "A", count: 43))"
        let costs = Scrypt.costs(toVerify: record, at: .standard)
        #expect(costs.first == own)
        #expect(costs.count > 1)
        let missing = Scrypt.Cost.standard.work - costs.reduce(0) { $0 + $1.work }
        #expect((0..<32).contains(missing), "at most two blocks")
        #expect(costs.allSatisfy { $0.memory <= Scrypt.Cost.standard.memory })
    }

    @Test func `an equal or stronger record is compared alone`() throws {
        for text in ["ln=15,r=8,p=3", "ln=17,r=8,p=1", "ln=15,r=8,p=4"] {
            let own = try #require(Scrypt.Cost(text))
            #expect(own.padding(to: .standard).isEmpty)
        }
    }

    @Test(arguments: [
        ("ln=15,r=8,p=1", "ln=15,r=8,p=3", true), ("ln=14,r=8,p=5", "ln=15,r=8,p=3", true),
        ("ln=15,r=8,p=3", "ln=15,r=8,p=3", false), ("ln=15,r=8,p=3", "ln=15,r=8,p=1", false),
        ("ln=15,r=8,p=3", "ln=17,r=8,p=1", true), ("ln=17,r=8,p=1", "ln=15,r=8,p=3", false),
        // More work in less memory, and the other way round.
        ("ln=15,r=8,p=3", "ln=14,r=8,p=16", false), ("ln=14,r=8,p=16", "ln=15,r=8,p=3", false),
        // The same in blocks of another size.
        ("ln=14,r=16,p=3", "ln=15,r=8,p=3", false),
    ])
    func `weaker is what has less of memory or work and more of neither`(
        own: String, setting: String, isWeaker: Bool
    ) throws {
        let cost = try #require(Scrypt.Cost(setting))
        let record = "$scrypt$\(own)$AAAAAAAAAAAAAAAAAAAAAA$\(String(repeating: "A", count: 43))"
        #expect(Scrypt.isWeaker(record, than: cost) == isWeaker)
    }
}
