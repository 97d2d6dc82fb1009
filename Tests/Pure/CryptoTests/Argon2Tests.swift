import Testing

@testable import Crypto

@Suite struct PasswordsByArgon2 {
    private let low = PasswordCost("m=64,t=1,p=1")

    /// Made by the command `argon2` of the reference implementation, and by Python's `argon2-cffi`.
    @Test func `a derived key follows the reference`() throws {
        let cost = try #require(Argon2.Cost("m=65536,t=2,p=1"))
        let key = Argon2.derive(Array("password".utf8), salt: Array("somesalt".utf8), cost)
        #expect(
            key == hexadecimal("09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"))
    }

    @Test func `a record distinguishes its password from others`() throws {
        let low = try #require(low)
        let record = low.record(of: "pässword")
        #expect(record.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
        #expect(record != low.record(of: "pässword"), "salted")
        #expect(low.matches("pässword", record))
        #expect(!low.matches("passwort", record) && !low.matches("", record))
        #expect(low.matches("", low.record(of: "")), "even an empty one")
    }

    @Test func `records of both algorithms are understood at either setting`() throws {
        let scrypt = try #require(PasswordCost("ln=4,r=8,p=1"))
        let low = try #require(low)
        for (maker, reader) in [(scrypt, low), (low, scrypt), (low, .standard)] {
            let record = maker.record(of: "Autumn-2026")
            #expect(reader.matches("Autumn-2026", record))
            #expect(!reader.matches("Autumn-2027", record))
        }
        #expect(low.isForeign(scrypt.record(of: "a")) && scrypt.isForeign(low.record(of: "a")))
        #expect(!low.isForeign(low.record(of: "a")) && !scrypt.isForeign(scrypt.record(of: "a")))
        #expect(!low.isForeign("") && !scrypt.isForeign(""))
    }

    @Test(arguments: [
        nil, "", "$argon2id$v=19$m=64,t=1,p=1$$",
        "$argon2i$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$argon2id$v=16$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$argon2id$v=19$m=64,t=1,p=2$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `a record that nobody created signs nobody in, and is not renewed`(record: String?) throws
    {
        let low = try #require(low)
        #expect(!low.matches("", record))
        #expect(record.map { low.isAbove($0) } != true)
        #expect(record.flatMap { PasswordCost.standard.renewed($0, of: "") } == nil)
    }

    @Test(arguments: ["ln=4,r=8,p=1", "m=32,t=1,p=1", "m=64,t=1,p=1"])
    func `a renewed record has the new cost, the same password and the same salt`(text: String)
        throws
    {
        let higher = try #require(PasswordCost("m=64,t=2,p=1"))
        let record = try #require(PasswordCost(text)).record(of: "pässword")
        #expect(higher.isAbove(record))
        let renewed = try #require(higher.renewed(record, of: "pässword"))
        #expect(renewed.hasPrefix("$argon2id$v=19$m=64,t=2,p=1$"))
        #expect(
            renewed.split(separator: "$").suffix(2).first
                == record.split(separator: "$").suffix(2).first)
        #expect(renewed.split(separator: "$").last != record.split(separator: "$").last)
        #expect(higher.matches("pässword", renewed) && !higher.matches("passwort", renewed))
        #expect(!higher.isAbove(renewed) && higher.renewed(renewed, of: "pässword") == nil)
    }

    @Test func `a record that would lose by it stays`() throws {
        let higher = try #require(PasswordCost("m=128,t=1,p=1")).record(of: "a")
        #expect(try !#require(PasswordCost("m=64,t=3,p=1")).isAbove(higher), "less memory")
        #expect(try !#require(low).isAbove(higher))
        #expect(try !#require(PasswordCost("ln=15,r=8,p=3")).isAbove(higher), "the other algorithm")
        let strong =
            "$scrypt$ln=17,r=8,p=2$AAAAAAAAAAAAAAAAAAAAAA$\(String(repeating: "A", count: 43))"
        #expect(!PasswordCost.standard.isAbove(strong), "more than OWASP asks for")
    }

    @Test(arguments: [
        "m=8,t=1,p=1", "m=19456,t=2,p=1", "m=47104,t=1,p=1", "m=7168,t=5,p=1", "ln=15,r=8,p=3",
    ])
    func `a cost is read as it is written`(text: String) throws {
        #expect(try #require(PasswordCost(text)).description == text)
    }

    @Test(arguments: [
        "", "m=19456", "m=19456,t=2", "t=2,m=19456,p=1", "m=019456,t=2,p=1", "m=+8,t=2,p=1",
        "m=7,t=1,p=1", "m=262145,t=1,p=1", "m=19456,t=0,p=1", "m=19456,t=33,p=1",
        "m=19456,t=2,p=2", "m=19456,t=2,p=1,", "M=19456,t=2,p=1",
    ])
    func `nothing else is one`(text: String) {
        #expect(PasswordCost(text) == nil)
    }

    @Test func `the standard one is what the guides say`() {
        #expect(PasswordCost.standard.description == "m=19456,t=2,p=1")
        #expect(PasswordCost.standard.once.description == "m=19456,t=1,p=1")
    }

    /// Otherwise the time of a wrong password would say that someone has the managed ID, with an old record.
    @Test(arguments: ["m=19456,t=1,p=1", "m=9216,t=2,p=1", "m=8,t=1,p=1", "m=19455,t=2,p=1"])
    func `a weaker record is compared with as much work as an unknown one`(text: String) throws {
        let own = try #require(Argon2.Cost(text))
        let padding = try #require(own.padding(to: .standard))
        #expect(own.work + padding.work >= Argon2.Cost.standard.work)
        #expect(own.work + padding.work < Argon2.Cost.standard.work + Argon2.Cost.standard.memory)
        #expect(Argon2.Cost.standard.padding(to: .standard) == nil)
    }
}
