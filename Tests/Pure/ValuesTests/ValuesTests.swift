import Testing
import Values

@Suite struct UUIDText {
    @Test func `text and bytes come back unchanged`() throws {
        let text = "0190a5f3-7c1e-7abc-8def-0123456789ab"
        let id = try #require(UUID(text))
        #expect(id.description == text)
        #expect(id.bytes.withUnsafeBytes { UUID(bytes: $0) } == id)
        #expect(UUID(text.uppercased()) == id)
    }

    @Test(arguments: [
        "", "0190a5f3", "0190a5f3-7c1e-7abc-8def-0123456789a", "0190a5f37c1e7abc8def0123456789ab",
        "0190a5f3-7c1e-7abc-8def-0123456789abc", "g190a5f3-7c1e-7abc-8def-0123456789ab",
        "{190a5f3-7c1e-7abc-8def-0123456789ab", "0190a5f3-7c1e-7abc-8def-0123456789a-",
    ])
    func `anything else is not an identifier`(text: String) {
        #expect(UUID(text) == nil)
    }

    @Test func `version 7 carries its moment, version and variant`() {
        let id = UUID(milliseconds: 0x0123_4567_89AB, random: (.max, .max))
        #expect(id.description == "01234567-89ab-7fff-bfff-ffffffffffff")
    }
}

@Suite struct Days {
    @Test func `every day of 500 years comes back`() throws {
        for number in stride(from: -100_000, to: 100_000, by: 1) {
            let day = Day(daysSince1970: number)
            let date = day.calendar
            #expect(Day(year: date.year, month: date.month, day: date.day) == day)
        }
    }

    @Test(arguments: ["2026-02-29", "2026-13-01", "2026-00-10", "2026-1-01", "2026/01/01", ""])
    func `a day missing from the calendar is refused`(text: String) {
        #expect(Day(text) == nil)
    }
}

@Suite struct Timestamps {
    @Test(arguments: [
        ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000Z"),
        ("2026-11-21t10:00:00.5z", "2026-11-21T10:00:00.500Z"),
        ("2026-11-21T10:00:00.123456+02:00", "2026-11-21T08:00:00.123Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ])
    func `RFC 3339 in, three digits of a second out`(text: String, expected: String) throws {
        #expect(try #require(Timestamp(text)).description == expected)
    }

    @Test(arguments: [
        "2026-11-21", "2026-11-21T10:00:00", "2026-11-21T24:00:00Z", "2026-11-21T10:00:00.Z",
        "2026-11-21T10:00:00+2:00", "2026-02-30T10:00:00Z", "2026-11-21 10:00:00Z",
    ])
    func `anything else is not a moment`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: [
        "9999-12-31T23:59:60Z", "9999-12-31T23:59:60-23:59", "9999-12-31T23:00:00-01:00",
        "0001-01-01T00:59:59.999+01:00",
    ])
    func `a moment without a UTC text is none`(text: String) {
        #expect(Timestamp(text) == nil)
        #expect(Timestamp("9999-12-31T23:59:59.999Z")?.milliseconds == 253_402_300_799_999)
        #expect(Timestamp("0001-01-01T01:00:00+01:00")?.milliseconds == -62_135_596_800_000)
    }
}
