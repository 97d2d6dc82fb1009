import CLibzip

/// Why an archive is refused, and which of its files is the cause.
package struct ArchiveError: Error, Equatable, CustomStringConvertible {
    /// The name of the file in the archive; `nil` if the archive as a whole is meant.
    package let entry: String?
    package let code: Code

    init(_ code: Code, entry: String? = nil) {
        self.code = code
        self.entry = entry
    }

    package var description: String {
        entry.map { "\(code.sentence) (\($0))" } ?? code.sentence
    }

    /// The kind of refusal, for programs.
    package enum Code: String, Sendable {
        case notReadable
        case notWritable
        case notAnArchive
        case damaged
        case wrongChecksum
        case wrongSize
        case tooManyEntries
        case tooLarge
        case compressedTooMuch
        case encrypted
        case unsupportedCompression
        case unsafeName
        case folder
        case duplicateName

        /// One sentence for people.
        package var sentence: String {
            switch self {
            case .notReadable: "The archive cannot be read."
            case .notWritable: "The archive cannot be written."
            case .notAnArchive: "This is not a zip archive, or only part of one."
            case .damaged: "The archive is damaged."
            case .wrongChecksum: "The content does not match its checksum."
            case .wrongSize: "The content is not as long as the archive says."
            case .tooManyEntries: "The archive holds too many files."
            case .tooLarge: "The unpacked content is too large."
            case .compressedTooMuch: "The content unpacks to suspiciously much."
            case .encrypted: "Encrypted archives are not read."
            case .unsupportedCompression: "The content is compressed by an unknown method."
            case .unsafeName: "The name leaves the archive or holds forbidden characters."
            case .folder: "The archive must not hold folders."
            case .duplicateName: "The archive holds two files of this name."
            }
        }
    }
}

extension ArchiveError.Code {
    /// Maps an error number of libzip.
    init(libzip number: Int32) {
        self =
            switch number {
            case ZIP_ER_CRC: .wrongChecksum
            case ZIP_ER_NOZIP: .notAnArchive
            case ZIP_ER_COMPNOTSUPP: .unsupportedCompression
            case ZIP_ER_ENCRNOTSUPP, ZIP_ER_NOPASSWD, ZIP_ER_WRONGPASSWD: .encrypted
            case ZIP_ER_NOENT, ZIP_ER_OPEN, ZIP_ER_READ, ZIP_ER_SEEK: .notReadable
            default: .damaged
            }
    }
}
