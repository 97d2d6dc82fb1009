import Foundation
import Glibc
import Log
import Synchronization
import Testing
import Values

/// Keeps the lines that a log writes.
private final class Lines: Sendable {
    private let kept = Mutex<[String]>([])

    var all: [String] { kept.withLock { $0 } }

    func log(_ format: Log.Format, minimum: Log.Level = .info) -> Log {
        Log(format: format, minimum: minimum) { line in
            self.kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
    }
}

@Suite struct LogLines {
    @Test func `a line of text begins with the moment and ends with the fields`() throws {
        let lines = Lines()
        lines.log(.text).info(
            "request done",
            [
                "method": "GET", "status": .int(204), "duration_ms": .milliseconds(1.23456),
                "request": .uuid(UUID(high: 1, low: 2)), "cached": true,
            ])
        let line = try #require(lines.all.first)
        let moment = try #require(Timestamp(line.prefix(24)))
        #expect(moment > Timestamp(milliseconds: 0))
        #expect(
            line.dropFirst(24)
                == " info request done method=GET status=204 duration_ms=1.235"
                + " request=00000000-0000-0001-0000-000000000002 cached=true\n")
    }

    @Test func `lines for the journal begin with their priority`() throws {
        let kept = Mutex<[String]>([])
        let log = Log(minimum: .debug, hasPriorities: true) { line in
            kept.withLock { $0.append(String(decoding: line.prefix(4), as: UTF8.self)) }
        }
        log.error("e")
        log.warning("w")
        log.info("i")
        log.debug("d")
        #expect(kept.withLock { $0.map { $0.prefix(3) } } == ["<3>", "<4>", "<6>", "<7>"])
        #expect(kept.withLock { $0.allSatisfy { $0.last == "2" } }, "the moment follows")
    }

    @Test func `a stream belongs to the journal if the journal says so`() throws {
        var status = stat()
        try #require(fstat(2, &status) == 0)
        #expect(Log.isJournal(2, "\(status.st_dev):\(status.st_ino)"))
        for other in [nil, "", "1:2", "\(status.st_dev)", "\(status.st_dev):\(status.st_ino)0"] {
            #expect(!Log.isJournal(2, other))
        }
    }

    @Test(arguments: [
        ("two words", #""two words""#), ("", #""""#), ("a=b", #""a=b""#),
        ("line\nbreak", #""line\nbreak""#), ("\u{1B}[31m", #""\u001b[31m""#),
        (#"say "no""#, #""say \"no\"""#), ("\u{85}\u{2028}\u{202E}", #""\u0085\u2028\u202e""#),
        ("Zoë", "\"Zoë\""),
    ])
    func `a text can neither end its line nor control a terminal`(text: String, written: String) {
        let lines = Lines()
        lines.log(.text).info("x", ["value": .text(text)])
        #expect(lines.all.first?.hasSuffix(" info x value=\(written)\n") == true)
    }

    @Test func `a JSON line parses, whatever the text`() throws {
        let lines = Lines()
        let text = "\"\\\n\t\u{0}\u{7F}\u{9F}é😀"
        lines.log(.json).error("failed", ["cause": .text(text), "count": 3, "retry": false])
        let line = try #require(lines.all.first)
        #expect(line.filter { $0 == "\n" }.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["cause"] as? String == text)
        #expect(object?["level"] as? String == "error")
        #expect(object?["message"] as? String == "failed")
        #expect(object?["count"] as? Int == 3)
        #expect(object?["retry"] as? Bool == false)
    }

    @Test func `a very long text is cut`() throws {
        let lines = Lines()
        lines.log(.text).info("x", ["value": .text(String(repeating: "é", count: 5000))])
        let line = try #require(lines.all.first)
        #expect(line.utf8.count < 2100)
        #expect(line.hasSuffix("é…\"\n"))
    }

    @Test func `messages below the minimum are neither written nor computed`() {
        let lines = Lines()
        let log = lines.log(.text, minimum: .warning)
        func fields() -> LogFields {
            Issue.record("the fields of an unwritten line were computed")
            return [:]
        }
        log.debug("no", fields())
        log.info("no", fields())
        log.warning("yes")
        log.error("yes")
        #expect(lines.all.count == 2)
    }

    @Test func `a level has the name of its setting`() {
        #expect(Log.Level("warning") == .warning)
        #expect(Log.Level("loud") == nil)
    }
}
