import HTTPWire
import Testing

@Suite struct QualityLists {
    @Test(arguments: [
        ("en", ["en"]), ("fr;q=0.9, de-AT;q=0.8, EN", ["en", "fr", "de-at"]),
        ("a, b, c;q=1.0, d", ["a", "b", "c", "d"]), ("a;q=0, b;q=0.000, c", ["c"]),
        ("a;Q=0.1,b ; q=0.2,c\t;\tq=0.3", ["c", "b", "a"]), ("", []), (" , ,", []),
        ("text/csv;header=present;q=0.5, text/html", ["text/html", "text/csv"]),
    ])
    func `preferences come in order, and refused values not at all`(
        field: String, names: [String]
    ) {
        #expect(list(field).preferred == names)
    }

    @Test(arguments: ["2", "-1", "nan", "inf", "x", ""])
    func `an invalid weight counts as not sent`(weight: String) {
        #expect(list("a;q=\(weight)")["a"] == 1)
    }

    @Test func `the last of several weights for a name counts`() {
        #expect(list("a, a;q=0.5")["a"] == 0.5)
        #expect(list("a")["b"] == nil)
        #expect(list("").isEmpty)
    }

    @Test func `what lies beyond the limit is not read`() {
        let headers = HeaderFields([(name: "Accept-Language", value: "a;q=0.1, b;q=0.2, c")])
        let list = QualityList(headers, "accept-language", limit: 2)
        #expect(list.preferred == ["b", "a"])
    }

    private func list(_ value: String) -> QualityList {
        QualityList(HeaderFields([(name: "Accept", value: value)]), "accept")
    }
}
