import JSONBytes

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
    private static let levels: [String: ImportsText] = [
        "error": .levelError, "warning": .levelWarning, "note": .levelNote,
    ]

    static func section(
        _ details: JSONValue, _ summary: ImportSummary, _ texts: Texts
    ) -> HTML {
        let tallies = details["tallies"]?.array ?? []
        guard !tallies.isEmpty else { return .nothing }
        return Tag("section")(.class("stack")) {
            div(.class("row row-apart")) {
                h2 { texts(ImportsText.kinds) }
                a(.class("button"), .href("/imports/\(summary.id)/findings.csv")) {
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

    private static func row(_ tally: JSONValue, _ texts: Texts) -> HTML {
        let code = tally["code"]?.text ?? ""
        let lines = (tally["lines"]?.array ?? []).compactMap(\.int64)
        return tr {
            th(.scope("row")) { ImportKindText(code: code).map { texts($0) } ?? code }
            td { levels[tally["level"]?.text ?? ""].map { texts($0) } ?? "" }
            td(.class("code")) { tally["file"]?.text ?? texts(ImportsText.wholeArchive) }
            td(.class("code")) { tally["column"]?.text ?? "" }
            td(.class("end number")) { texts.number(Int(tally["count"]?.int64 ?? 0)) }
            td(.class("end number")) {
                lines.map { texts.number(Int($0)) }.joined(separator: " · ")
            }
        }
    }
}
