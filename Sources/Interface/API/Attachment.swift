import HTTPWire

extension ResponseField {
    /// A `Content-Disposition` that makes a browser save the answer under this name (RFC 6266), even one that is not
    /// ASCII (RFC 8187). Whatever the name contains, the field is well-formed and the name cannot leave its folder.
    package static func attachment(_ name: String) -> ResponseField {
        let name = FileName.cleaned(name)
        let plain = FileName.ascii(name)
        let extended = plain == name ? "" : "; filename*=UTF-8''\(percentEncode(name))"
        return ResponseField(
            "Content-Disposition", "attachment; filename=\"\(plain)\"\(extended)")
    }
}

/// Names of downloaded files.
package enum FileName {
    /// In Unicode scalars. At four bytes each, a name stays under the 255 bytes that file systems allow.
    private static let partMax = 60
    private static let nameMax = 200

    /// Joins the parts that are not empty: `Biology – Cells – 2026-11-22.csv`.
    package static func joined(_ parts: [String], extension suffix: String) -> String {
        let parts = parts.map { cleaned($0, atMost: partMax) }.filter { !$0.isEmpty }
        return parts.joined(separator: " – ") + "." + suffix
    }

    /// Removes path separators, unprintable characters, and characters with a meaning on some system.
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
