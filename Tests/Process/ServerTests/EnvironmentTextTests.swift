import Testing

@testable import Server

/// Files of settings are read as systemd reads them.
@Suite struct EnvironmentTexts {
    private func values(_ text: String) throws -> [String: String] {
        try EnvironmentText(text).variables.mapValues(\.value)
    }

    /// What `systemd-run -p EnvironmentFile=` of systemd 252 makes of each.
    @Test(arguments: [
        ("A=b", "b"), ("A = b ", "b"), ("A=b c  \n", "b c"), ("A=", ""), ("A=\n", ""),
        ("A=\"b c\"", "b c"), ("A='b \"c\"'", "b \"c\""), ("A='b\nc'", "b\nc"),
        (#"A="b\"c\\d\$e\`f\x""#, #"b"c\d$e`f\x"#), (#"A=b\ c"#, "b c"), (#"A=b\"c"#, "b\"c"),
        ("A=b \\\n  c", "b   c"), ("A=\"b\\\nc\"", "bc"), ("A=\"b\" 'c'", "bc"),
        ("A=b'c'", "b'c'"), ("A=b # c", "b # c"), ("A=b;c", "b;c"), ("A=b=c", "b=c"),
        ("#A=x\n;A=x\n\n  # x\nA=b", "b"), ("# x \\\nA=x\nA=b", "b"), ("A=x\nA=b", "b"),
        ("  A=b", "b"), ("A=b\r\n", "b"), ("A='b'  \n", "b"), ("A=ü", "ü"),
    ])
    func `a value is what systemd makes of it`(text: String, value: String) throws {
        #expect(try values(text) == ["A": value])
    }

    @Test(arguments: [
        ("A=b\nHOMEROOM_LOG\n", 2, "this is not NAME=value"),
        ("\n\nexport A=b", 3, "export A is not the name of a variable"),
        ("A=\"b\nB=c\n", 1, "a quote is not closed"), ("=b", 1, " is not the name of a variable"),
        ("# \\\n\nA", 3, "this is not NAME=value"),
        ("A-B=c", 1, "A-B is not the name of a variable"),
    ])
    func `a typing error is named with its line`(text: String, line: Int, said: String) {
        let mistake = EnvironmentText.Mistake(line: line, text: said)
        #expect(throws: mistake) { try EnvironmentText(text) }
    }

    @Test func `a variable knows its line`() throws {
        let lines = try EnvironmentText("# x\nA='1\n2'\n\nB=2\n").variables.mapValues(\.line)
        #expect(lines == ["A": 2, "B": 5])
    }
}
