import TestKit
import Testing

@testable import Grades

/// The files of `SQL/statements`.
@Suite struct StatementTests {
    @Test func `what the service asks of grades and graded items is printed`() throws {
        try StatementFile.check(Grades.grades)
        try StatementFile.check(Grades.items)
    }
}
