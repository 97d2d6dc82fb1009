import Testing

/// An archive as other systems write it, and what becomes of it.
struct UsualArchive: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let archive: TestArchive
    /// What is put right, as `file code`.
    var notes: [String] = []
    /// What is left out, as `file:line:column code`.
    var warnings: [String] = []
    /// How many people it brings: all of the sound archive, usually.
    var people = 13

    init(
        _ name: String, _ archive: TestArchive, notes: [String] = [], warnings: [String] = [],
        people: Int = 13
    ) {
        testDescription = name
        self.archive = archive
        self.notes = notes
        self.warnings = warnings
        self.people = people
    }
}

extension TestArchive {
    /// The same with the values of each line of a file changed; none of them may hold a comma.
    func mapping(_ file: String, _ change: ([String]) -> [String]) -> TestArchive {
        var archive = self
        let lines = (files[file] ?? "").split(separator: "\n")
        archive.files[file] = lines.map { line in
            change(
                line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            ).joined(separator: ",") + "\n"
        }.joined()
        return archive
    }

    /// The same with a file's text changed as a whole.
    func rewriting(_ file: String, _ change: (String) -> String) -> TestArchive {
        var archive = self
        archive.files[file] = change(files[file] ?? "")
        return archive
    }

    /// The same with other names of its files.
    func renaming(_ change: (String) -> String) -> TestArchive {
        var archive = TestArchive()
        for (name, text) in files { archive.files[change(name)] = text }
        return archive
    }

    /// The same with a file in another encoding.
    func encoding(_ file: String, _ encode: (String) -> [UInt8]) -> TestArchive {
        var archive = self
        archive.rawFiles[file] = encode(files[file] ?? "")
        archive.files[file] = nil
        return archive
    }
}

/// As Excel writes "Unicode text".
func littleEndian(_ text: String) -> [UInt8] {
    [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
}

func bigEndian(_ text: String) -> [UInt8] {
    [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
}
