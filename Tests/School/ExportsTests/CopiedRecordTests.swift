import Testing

@testable import Exports

@Suite struct CopiedRecords {
    private func read(_ text: String) throws -> (json: String, fields: String) {
        var record = CopiedRecord()
        return try Array(text.utf8).withUnsafeBytes { bytes in
            let fields = String(decoding: try record.read(bytes), as: UTF8.self)
            return (String(decoding: record.json, as: UTF8.self), fields)
        }
    }

    @Test func `JSON comes without CSV quoting, and its fields are unchanged`() throws {
        let row = try read(##""{""a"":""x, \""y\"""",""b"":null}","x, ""y""",\##n"##)
        #expect(row.json == ##"{"a":"x, \"y\"","b":null}\##n"##)
        #expect(row.fields == ##""x, ""y""",\##n"##)
    }

    @Test func `the header loses its first name`() throws {
        let header = try read("json,a,b\n")
        #expect(header.json == "")
        #expect(header.fields == "a,b\n")
    }

    @Test(arguments: ["", "json\n", "\"{}", "\"{}\"\n", "\"{\"\"a", "\"{}\"x,a\n"])
    func `anything but such a record is refused`(text: String) {
        #expect(throws: ExportError.self) { try read(text) }
    }
}
