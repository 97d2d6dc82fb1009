import School
import Testing

@Suite struct References {
    @Test func `an id and a source id are distinguished`() {
        let id = Reference<PersonEntity>("0190a5f3-7c1e-7abc-8def-0123456789ab")
        #expect(id?.id != nil && id?.source == nil)
        #expect(Reference<PersonEntity>("source:a/b ü")?.source == "a/b ü")
    }

    @Test(arguments: [
        "", "source:", "source:a\nb", "source:" + String(repeating: "x", count: 256), "7",
    ])
    func `anything else is no reference`(text: String) {
        #expect(Reference<PersonEntity>(text) == nil)
    }
}
