import TestKit
import Testing

@testable import Licences

@Suite("The statements of apps") struct StatementTests {
    @Test func areTheOnesThatReadersSee() throws {
        try StatementFile.check(Licences.apps)
    }
}
