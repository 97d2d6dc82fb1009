extension Timestamp {
    /// Reads a time as programs write it: as RFC 3339 has it, with an offset without a colon or without minutes
    /// (`+0000`, `+00`), with a space for the `T`, or without an offset, which means UTC (ISO 8601).
    package init?(usual text: String) {
        if let exact = Timestamp(text) {
            self = exact
            return
        }
        var bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes.count <= 48 else { return nil }
        if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        let sign = bytes[19...].firstIndex { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        let digits = sign.map { bytes[($0 + 1)...].filter { $0 != UInt8(ascii: ":") } }
        switch digits?.count {
        case nil:
            if bytes.last.map({ $0 | 0x20 }) != UInt8(ascii: "z") {
                bytes.append(UInt8(ascii: "Z"))
            }
        case 2: bytes += Array(":00".utf8)
        case 4 where bytes.suffix(3).first != UInt8(ascii: ":"):
            bytes.insert(UInt8(ascii: ":"), at: bytes.count - 2)
        default: break
        }
        self.init(String(decoding: bytes, as: UTF8.self))
    }
}
