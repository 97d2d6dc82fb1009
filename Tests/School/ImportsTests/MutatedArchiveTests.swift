import Foundation
import JSONBytes
import RandomKit
import TestKit
import Testing
import Values

/// Sound archives with one change at random, from seeds, so that a failure can be repeated.
@Suite struct MutatedArchives {
    private static let perFormat: UInt64 = 67

    @Test(arguments: [TestArchive.small, .oneRoster1, .oneRoster2])
    func
        `a changed archive is planned or refused with what to do, and removes nobody whose row was changed`(
            sound: TestArchive
        ) async throws
    {
        try await withSchool { school in
            #expect(try await school.importArchive(sound).status == "succeeded")
            for seed in seeds(1..<(1 + Self.perFormat)) {
                var dice = SplitMix64(seed: seed)
                let mutated = dice.mutated(sound)
                let answer = try await school.handIn(
                    mutated.archive.bytes(), mode: "preview", as: .ada)
                let location = try #require(answer.header("location"))
                let outcome = try await school.ended(location)
                let name = "seed \(seed): \(mutated.name)"
                if outcome.status == "failed" {
                    let first = outcome["errors"]?.array?.first
                    #expect(first?["code"] != "internal_error", "\(name)")
                    #expect(first?["file"]?.text != nil, "\(name): \(outcome.errorLines)")
                    #expect((first?["text"]?.text ?? "").count > 20, "\(name)")
                } else {
                    #expect(outcome.status == "planned", "\(name)")
                    let gone = try await school.removedPeople(location)
                    // What waits for a person's look removes nobody by itself.
                    let waits = outcome.lines(of: "warnings").contains {
                        $0.hasSuffix(" unknown_row") || $0.hasSuffix(" moved_id")
                    }
                    #expect(waits || gone.isDisjoint(with: mutated.people), "\(name): \(gone)")
                }
            }
        }
    }
}

extension TestSchool {
    /// The ids of the people whom a plan removes.
    fileprivate func removedPeople(_ location: String) async throws -> Set<String> {
        let page = try await get("\(location)/changes?change=removed&limit=500", as: .ada)
        let items = (page.json["items"]?.array ?? []).filter { item in
            ["users.csv", "students.csv", "staff.csv"].contains(item["file"]?.text ?? "")
        }
        return Set(items.compactMap { $0["sourceId"]?.text })
    }
}

/// An archive with one change.
private struct MutatedArchive {
    var archive: TestArchive
    let name: String
    /// The ids of the people whose rows differ.
    var people: Set<String> = []
}

extension SplitMix64 {
    private static let junk = [
        "", "n/a", "NULL", "TRUE", "x y", "\u{FEFF}", "“a”", "ext:thing", "31.02.2026", "1/2/2026",
        "\"",
        "\"a,b\"", "-", "0x", "🎒", String(repeating: "l", count: 300),
    ]

    fileprivate mutating func mutated(_ sound: TestArchive) -> MutatedArchive {
        let file = sound.files.keys.sorted().randomElement(using: &self)!
        switch number(1...5) {
        case 1: return byte(sound, file)
        case 2: return cell(sound, file)
        case 3: return row(sound, file)
        case 4: return column(sound, file)
        default: return whole(sound, file)
        }
    }

    private mutating func byte(_ sound: TestArchive, _ file: String) -> MutatedArchive {
        var bytes = Array(sound.files[file]!.utf8)
        let place = Int.random(in: bytes.indices, using: &self)
        bytes[place] = byte()
        var archive = sound
        archive.files[file] = nil
        archive.rawFiles[file] = bytes
        let line = sound.files[file]!.utf8.prefix(place).count { $0 == 0x0A }
        return MutatedArchive(
            archive: archive, name: "byte \(place) of \(file)", people: sound.people(file, [line]))
    }

    private mutating func cell(_ sound: TestArchive, _ file: String) -> MutatedArchive {
        var lines = sound.lines(file)
        let line = Int.random(in: lines.indices, using: &self)
        var values = lines[line].split(separator: ",", omittingEmptySubsequences: false).map(
            String.init)
        let column = Int.random(in: values.indices, using: &self)
        values[column] = Self.junk.randomElement(using: &self)!
        lines[line] = values.joined(separator: ",")
        return MutatedArchive(
            archive: sound.with(lines, file), name: "value \(line):\(column) of \(file)",
            people: sound.people(file, [line]))
    }

    private mutating func row(_ sound: TestArchive, _ file: String) -> MutatedArchive {
        var lines = sound.lines(file)
        let line = Int.random(in: lines.indices.dropFirst(), using: &self)
        var changed = [line]
        switch number(1...4) {
        case 1: lines.insert(lines[line], at: line)
        case 2: lines[line] = String(lines[line].prefix(Int.random(in: 1...8, using: &self)))
        case 3: lines[line] += ",x,y"
        default:
            let other = Int.random(in: lines.indices.dropFirst(), using: &self)
            lines.swapAt(line, other)
            changed.append(other)
        }
        return MutatedArchive(
            archive: sound.with(lines, file), name: "row \(line) of \(file)",
            people: sound.people(file, changed))
    }

    private mutating func column(_ sound: TestArchive, _ file: String) -> MutatedArchive {
        let lines = sound.lines(file)
        let count = lines[0].split(separator: ",", omittingEmptySubsequences: false).count
        let column = Int.random(in: 0..<count, using: &self)
        let kind = number(1...3)
        let changed = lines.enumerated().map { index, line -> String in
            var values = line.split(separator: ",", omittingEmptySubsequences: false).map(
                String.init)
            guard values.indices.contains(column) else { return line }
            switch kind {
            case 1: values.remove(at: column)
            case 2: if index == 0 { values[column] = "own" }
            default: values.insert(values.remove(at: column), at: 0)
            }
            return values.joined(separator: ",")
        }
        return MutatedArchive(
            archive: sound.with(changed, file), name: "column \(column) of \(file)",
            people: sound.people(file, Array(lines.indices)))
    }

    private mutating func whole(_ sound: TestArchive, _ file: String) -> MutatedArchive {
        var archive = sound
        let text = archive.files.removeValue(forKey: file)!
        let kind = number(1...5)
        switch kind {
        case 1: break
        case 2: archive.files["export/" + file] = text
        case 3: archive.files[file.uppercased()] = text
        case 4: archive.rawFiles[file] = littleEndian(text)
        default: archive.files[file] = ""
        }
        return MutatedArchive(
            archive: archive, name: "file \(file), \(kind)",
            people: sound.people(file, Array(sound.lines(file).indices)))
    }
}

extension TestArchive {
    fileprivate func lines(_ file: String) -> [String] {
        files[file]!.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }

    fileprivate func with(_ lines: [String], _ file: String) -> TestArchive {
        var archive = self
        archive.files[file] = lines.joined(separator: "\n") + "\n"
        return archive
    }

    /// The ids of the people whom lines of a file are about.
    fileprivate func people(_ file: String, _ numbers: [Int]) -> Set<String> {
        guard ["users.csv", "students.csv", "staff.csv", "roles.csv"].contains(file) else {
            return []
        }
        let lines = lines(file)
        let ids = numbers.filter { $0 > 0 && lines.indices.contains($0) }.compactMap { number in
            let values = lines[number].split(separator: ",", omittingEmptySubsequences: false)
            return file == "roles.csv" ? values[3] : values[0]
        }
        return Set(ids.map(String.init))
    }
}
