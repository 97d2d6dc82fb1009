import Testing
import Values

@Suite struct FullNames {
    @Test(arguments: [
        ("Mira", "Castell", false, "Mira Castell"), ("Anna", "Nagy", true, "Nagy Anna"),
        ("陽菜", "田中", true, "田中陽菜"), ("陽菜", "田中", false, "陽菜 田中"),
        ("さくら", "佐々木", true, "佐々木さくら"), ("リサ", "Smith", true, "Smith リサ"),
        ("明", "欧阳", true, "欧阳明"), ("민수", "김", true, "김민수"),
    ])
    func `a name is in the order of its person`(
        given: String, family: String, isFamilyFirst: Bool, text: String
    ) {
        #expect(FullName(given: given, family: family, isFamilyFirst: isFamilyFirst).text == text)
    }
}
