import JSONBytes

extension Subcommand.Option {
    /// An option of every command that prints a result.
    static let json = Subcommand.Option.flag("json", "Prints the result as JSON.")
}

extension Invocation {
    /// Prints the result: one JSON object with `--json`, otherwise a line for each part.
    func report(_ parts: [(name: String, value: JSONValue)]) {
        if has("json") {
            let object = JSONValue.object(JSONObject(parts.map { ($0.name, $0.value) }))
            printLine(String(decoding: object.bytes, as: UTF8.self))
            return
        }
        let width = parts.map(\.name.count).max() ?? 0
        for part in parts {
            let padding = String(repeating: " ", count: width - part.name.count)
            let text = part.value.text ?? String(decoding: part.value.bytes, as: UTF8.self)
            printLine("\(part.name)\(padding)  \(text)")
        }
    }
}
