import JSONBytes
import RandomKit
import Testing
import Values

@Suite struct Compacting {
    @Test(arguments: seeds(0..<200))
    func `a document loses its blanks and nothing else`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let tight = dice.value().bytes
        var writer = JSONWriter()
        writer.document(loosened(tight, &dice))
        #expect(writer.bytes == tight)
    }

    @Test func `texts keep their blanks, quotes and escapes`() {
        let documents: [(String, String)] = [
            (#"{"a b" : "c  d", "e\" f" : [1, 2, null]}"#, #"{"a b":"c  d","e\" f":[1,2,null]}"#),
            (#"[ "\\" , "\\\" x" , "ä  " ]"#, #"["\\","\\\" x","ä  "]"#),
            ("  \n 12.50 ", "12.50"), (#""""#, #""""#), ("", ""),
        ]
        for (loose, tight) in documents {
            var writer = JSONWriter()
            writer.document(Array(loose.utf8))
            #expect(String(decoding: writer.bytes, as: UTF8.self) == tight)
        }
    }

    @Test func `a document follows another value with a comma`() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.document(Array("[1, 2]".utf8))
        writer.document(Array(" true".utf8))
        writer.endArray()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "[[1,2],true]")
    }

    @Test(arguments: seeds(0..<200))
    func `truncated or damaged input never grows`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var bytes = loosened(dice.value().bytes, &dice)
        for _ in 0..<50 where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &dice)
            bytes[index] = dice.byte()
            let part = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &dice)))
            var writer = JSONWriter()
            writer.document(part)
            #expect(writer.bytes.count <= part.count)
        }
    }

    /// The document with blanks where they are allowed.
    private func loosened(_ bytes: [UInt8], _ dice: inout SplitMix64) -> [UInt8] {
        var loose: [UInt8] = []
        var isInText = false
        var isEscaped = false
        for byte in bytes {
            loose.append(byte)
            if isInText {
                isInText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if ",:[]{}".utf8.contains(byte) {
                let blanks = Array(" \n\t\r".utf8)
                for _ in 0..<Int.random(in: 0...3, using: &dice) {
                    loose.append(blanks[Int.random(in: 0..<4, using: &dice)])
                }
            } else {
                isInText = byte == UInt8(ascii: "\"")
            }
        }
        return loose
    }
}
