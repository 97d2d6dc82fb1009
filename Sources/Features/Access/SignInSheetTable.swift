import API
import CSV
import HTTPServer
import HTTPWire
import School
import Values

/// A sheet as CSV for a spreadsheet or a form letter.
enum SignInSheetTable {
    private static let header = [
        "personId", "givenName", "familyName", "classes", "managedId", "temporaryPassword",
        "expiresAt", "nameOrder",
    ]

    static func response(_ sheet: SignInSheet) -> Response {
        // Escapes texts that a spreadsheet would run as formulas.
        var writer = CSVWriter(style: .spreadsheet)
        writer.record(header)
        for slip in sheet.slips {
            writer.record([
                slip.personID.uuid.description, slip.name.given, slip.name.family, slip.classes,
                slip.managedID, slip.password, sheet.expiresAt.description,
                slip.name.isFamilyFirst ? "familyFirst" : "givenFirst",
            ])
        }
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "text/csv; charset=utf-8; header=present"),
                ResponseField("Cache-Control", "no-store"),
                ResponseField(
                    "Content-Disposition", "attachment; filename=\"sign-in-sheet.csv\""),
            ],
            body: .bytes(writer.take()))
    }
}
