import TestKit
import Testing

@testable import Access

@Suite("The statements of the resources of access") struct StatementTests {
    @Test func areTheOnesThatReadersSee() throws {
        try StatementFile.check(Access.serviceAccounts)
        try StatementFile.check(Access.signInProviders)
        try StatementFile.check(Access.connectedSystems)
    }
}
