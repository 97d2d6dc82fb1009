import School
import TestKit
import Testing

@testable import Access

@Suite("The statements of the resources of access") struct StatementTests {
    @Test func areTheOnesThatReadersSee() throws {
        try StatementFile.check(Access.serviceAccounts)
        try StatementFile.check(Access.signInProviders(sealedWith: CredentialKey(at: "unused")))
        try StatementFile.check(Access.connectedSystems)
    }
}
