import TestKit
import Testing

@testable import Tools

@Suite struct ToolStatements {
    @Test func `what the service asks is what is kept for readers`() throws {
        try StatementFile.check(Tools.tools)
    }
}
