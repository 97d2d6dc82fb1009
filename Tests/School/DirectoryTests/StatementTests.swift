import TestKit
import Testing

@testable import Directory

@Suite("The statements of the directory's resources") struct StatementTests {
    @Test func areTheOnesThatReadersSee() throws {
        try StatementFile.check(Directory.locations)
        try StatementFile.check(Directory.courses)
        try StatementFile.check(Directory.terms)
        try StatementFile.check(Directory.classes)
        try StatementFile.check(Directory.people)
    }
}
