import JSONBytes

/// `schema.json`: the meaning of every column, for programs and people.
enum SchemaDocument {
    static let name = "schema.json"

    static var bytes: [UInt8] {
        let document: JSONValue = [
            "schemaVersion": .number(JSONNumber(ExportManifest.schemaVersion)),
            "formats": [
                "csv": .text(
                    "RFC 4180 with a header, UTF-8, lines end with a line feed; null is empty, an empty text is \"\". "
                        + "So that no spreadsheet runs a text, one that begins with =, +, -, @, a tab, a carriage "
                        + "return or a line feed, also behind apostrophes, has one more apostrophe in front; "
                        + "load.sql takes it away."),
                "ndjson": "One JSON object a line, with the same columns; texts are exact.",
            ],
            "order": "Apply the deletions first; then each row replaces the one with the same key.",
            "dataSets": .array(DataSet.all.map(describe)),
        ]
        return document.bytes + [UInt8(ascii: "\n")]
    }

    private static func describe(_ set: DataSet) -> JSONValue {
        [
            "name": .text(set.name),
            "meaning": .text(set.meaning),
            "key": .array(set.key.map(JSONValue.text)),
            "columns": .array(
                set.columns.map { column in
                    [
                        "name": .text(column.name),
                        "type": .text(column.kind.rawValue),
                        "unit": column.unit.map(JSONValue.text) ?? .null,
                        "key": .bool(column.isKey),
                        "nullable": .bool(!column.isRequired),
                        "meaning": .text(column.meaning),
                    ]
                }),
        ]
    }
}
