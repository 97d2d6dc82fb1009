import HTTPWire

extension ResponseField {
    /// `Content-Disposition` that has a browser save the answer under this name (RFC 6266), also where it is not ASCII
    /// (RFC 8187). Whatever the name holds, the field is well-formed and no folder is left by it.
    package static func attachment(_ name: String) -> ResponseField {
        let name = FileName.cleaned(name)
        let plain = FileName.ascii(name)
        let extended = plain == name ? "" : "; filename*=UTF-8''\(percentEncode(name))"
        return ResponseField(
            "Content-Disposition", "attachment; filename=\"\(plain)\"\(extended)")
    }
}

/// Names of files that people save.
package enum FileName {
    /// In Unicode scalars: with four bytes each it stays under the 255 bytes of file systems.
    private static let partMax = 60
    private static let nameMax = 200

    /// A name made of parts, without those that are empty: `Biology – Cells – 2026-11-22.csv`.
    package static func joined(_ parts: [String], extension suffix: String) -> String {
        let parts = parts.map { cleaned($0, atMost: partMax) }.filter { !$0.isEmpty }
        return parts.joined(separator: " – ") + "." + suffix
    }

    /// Without anything that separates folders, is not printed, or has a meaning on some system.
    fileprivate static func cleaned(_ name: String, atMost count: Int = nameMax) -> String {
        var cleaned = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if scalar.properties.isWhitespace {
                if cleaned.last != " " { cleaned.append(" ") }
            } else if isHarmless(scalar) {
                cleaned.append(scalar)
            } else {
                cleaned.append("_")
            }
        }
        let start = cleaned.drop { $0 == " " || $0 == "." }.prefix(count)
        let end = start.lastIndex { $0 != " " && $0 != "." }
        return end.map { String(Substring(start[...$0])) } ?? ""
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "/", "\\", ":", "*", "?", "\"", "<", ">", "|", "%": return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            return false
        default: return true
        }
    }

    fileprivate static func ascii(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isASCII ? $0 : "_" }))
    }
}
