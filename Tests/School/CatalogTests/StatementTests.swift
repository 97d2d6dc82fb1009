import TestKit
import Testing

@testable import Catalog

@Suite("The statements of developer teams") struct StatementTests {
    @Test func areTheOnesThatReadersSee() throws {
        try StatementFile.check(Catalog.teams)
    }
}
