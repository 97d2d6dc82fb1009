import Contract

/// What is found in archives, by kind: named as the codes of the API.
enum ImportKindText: String, TextKey {
    // Put right.
    case folderRemoved, otherFile, fileRenamed, manifestMended, utf16, technicalLine,
        otherSeparator, emptyRow, ownColumn, columnOrder, absentColumn, trimmed, respelled,
        dateRewritten, listMended, shortened, unquoted, emptyWord, nearestWord, repeatedRow,
        repeatedSeat
    // Left out, or refused.
    case notAnArchive, unsafeArchive, fileInFolder, unknownFile, duplicateFile, missingFile,
        unexpectedFile, invalidManifest, emptyFile, malformedCSV, invalidUTF8,
        wrongNumberOfValues, missingColumn, unknownColumn, duplicateColumn, wrongColumnOrder,
        missingValue, leadingSpace, curlyQuotes, controlCharacter, tooLong, invalidIdentifier,
        invalidEmail, invalidPasswordPolicy, invalidBoolean, invalidDate, invalidTime,
        invalidWord, mustBeEmpty, duplicateID, duplicateSeat, unknownReference, noManagedID,
        wrongPeriod, circularReference, classTooLarge, higherRole, guardedEmail, roleConflict,
        directoryChanged, rolesEnded, tooManyLeftOut, unknownRow, noPeople, movedID

    static let section = "importKinds"

    /// - Parameter code: such as `wrong_number_of_values`.
    init?(code: String) {
        let special = [
            "malformed_csv": "malformedCSV", "invalid_utf8": "invalidUTF8",
            "duplicate_id": "duplicateID", "no_managed_id": "noManagedID", "moved_id": "movedID",
        ]
        let words = code.split(separator: "_")
        let camel =
            words.prefix(1)
            + words.dropFirst().map { word in
                Substring(word.prefix(1).uppercased() + word.dropFirst())
            }
        self.init(rawValue: special[code] ?? camel.joined())
    }
}

/// How often something of each kind was found in an archive, in the reader's language.
enum ImportKinds {
    /// Warnings about rows that are used as they are: somebody has to look whether they are right.
    private static let odd: Set<String> = [
        ImportFindingCode.movedID.rawValue, ImportFindingCode.roleConflict.rawValue,
        ImportFindingCode.directoryChanged.rawValue, ImportFindingCode.rolesEnded.rawValue,
    ]

    /// What came of it; `nil` for a level of another version.
    private static func outcome(_ tally: Document<ImportTally>) -> ImportsText? {
        switch tally.level.known {
        case .error: .levelError
        case .warning: odd.contains(tally.code) ? .levelOdd : .levelWarning
        case .note: .levelNote
        case nil: nil
        }
    }

    static func section(_ details: Document<ImportDetails>, _ texts: Texts) -> HTML {
        let tallies = details.tallies
        guard !tallies.isEmpty else { return .nothing }
        return Tag("section")(.class("stack")) {
            div(.class("row row-apart")) {
                h2 { texts(ImportsText.kinds) }
                a(.class("button"), .href("/imports/\(details.summary.id)/findings.csv")) {
                    Icon.csv.html
                    texts(ImportsText.findingsCSV)
                }
            }
            p(.class("soft")) { texts(ImportsText.kindsAdvice) }
            Console.table(
                texts(ImportsText.kinds),
                head: [
                    Console.column(texts(ImportsText.findingColumn)),
                    Console.column(texts(ImportsText.status)),
                    Console.column(texts(ImportsText.fileColumn)),
                    Console.column(texts(ImportsText.columnColumn)),
                    Console.column(texts(ImportsText.countColumn), "end"),
                    Console.column(texts(ImportsText.linesColumn), "end"),
                ], isTall: true
            ) { for tally in tallies { row(tally, texts) } }
        }
    }

    private static func row(_ tally: Document<ImportTally>, _ texts: Texts) -> HTML {
        tr {
            th(.scope("row")) { ImportKindText(code: tally.code).map { texts($0) } ?? tally.code }
            td { outcome(tally).map { texts($0) } ?? "" }
            td(.class("code")) { tally.file ?? texts(ImportsText.wholeArchive) }
            td(.class("code")) { tally.column ?? "" }
            td(.class("end number")) { texts.number(tally.count) }
            td(.class("end number")) {
                tally.lines.map { texts.number($0) }.joined(separator: " · ")
            }
        }
    }
}
