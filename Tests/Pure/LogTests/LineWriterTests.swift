import Foundation
import Glibc
import Testing

@testable import Log

/// Nobody who logs waits for who reads.
@Suite struct LineWriting {
    @Test func `lines arrive whole and in order`() throws {
        let pipe = Pipe()
        let writer = LineWriter(to: pipe.fileHandleForWriting.fileDescriptor)
        for number in 1...100 { writer.write(Array("line \(number)\n\n".utf8)) }
        let expected = (1...100).map { "line \($0)\n\n" }.joined()
        #expect(read(pipe, expected.utf8.count) == expected)
        #expect(writer.linesLost == 0)
    }

    /// Without the limit and the thread, the test would stand still here as the service did.
    @Test(arguments: [Log.Format.text, .json])
    func `a reader that stops loses lines, which are counted and said where they are missing`(
        _ format: Log.Format
    ) throws {
        let pipe = Pipe()
        let writer = LineWriter(
            to: pipe.fileHandleForWriting.fileDescriptor, limit: 256 << 10)
        // The thread is in the middle of a line that does not fit into the pipe.
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 128 << 10) + [10]
        writer.write(long)
        var begun = pollfd(
            fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&begun, 1, -1) == 1)
        let log = Log(format: format, hasPriorities: true) { writer.write($0) }
        for number in 0..<20_000 { log.info("asked", ["number": .int(number)]) }
        let lost = writer.linesLost
        #expect(lost > 0 && lost < 20_000)
        // What was kept, then how much is missing, then what comes once somebody reads.
        var lines: [Substring] = []
        var text = read(pipe, long.count)
        text.removeFirst(long.count)
        while lines.last?.contains("log lines were lost") != true {
            text += read(pipe, 1)
            let whole = text.split(separator: "\n", omittingEmptySubsequences: false)
            lines += whole.dropLast()
            text = String(whole.last ?? "")
        }
        #expect(lines.count == 20_000 - lost + 1)
        for (number, line) in lines.dropLast().enumerated() {
            let field = format == .json ? "\"number\":\(number)}" : "number=\(number)"
            #expect(line.hasPrefix("<6>") && line.hasSuffix(field))
        }
        let notice = try #require(lines.last)
        #expect(notice.hasPrefix("<4>"))
        #expect(notice.hasSuffix(format == .json ? "\"lines\":\(lost)}" : "lines=\(lost)"))
        writer.write(Array("again\n".utf8))
        #expect(read(pipe, 6) == "again\n")
        #expect(writer.linesLost == lost)
    }

    @Test func `what cannot be written is counted, and the program goes on`() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        let writer = LineWriter(to: full)
        for _ in 0..<10 { writer.write(Array("line\n".utf8)) }
        writer.flush(milliseconds: 60_000)
        #expect(writer.linesLost == 10)
    }

    @Test func `a file that somebody else set not to wait is waited for`() throws {
        let pipe = Pipe()
        let file = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(file, F_SETFL, O_NONBLOCK) == 0)
        let writer = LineWriter(to: file)
        let line = String(repeating: "x", count: 999) + "\n"
        for _ in 0..<200 { writer.write(Array(line.utf8)) }
        #expect(read(pipe, 200_000) == String(repeating: line, count: 200))
        #expect(writer.linesLost == 0)
    }

    /// Reads at least so many bytes.
    private func read(_ pipe: Pipe, _ count: Int) -> String {
        var bytes = Data()
        while bytes.count < count {
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
