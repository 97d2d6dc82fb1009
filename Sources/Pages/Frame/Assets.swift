import Archive
import CEmbedded
import Crypto
import HTTPServer
import HTTPWire

/// The files that pages are made with: one style sheet, one script, the icons.
///
/// Their names hold their digest, so that browsers keep them for good and still get every change.
struct Assets: Sendable {
    private struct File: Sendable {
        /// Its name without the digest, for the access log and metrics.
        let name: String
        let type: String
        let bytes: [UInt8]
        let cacheControl: String
    }

    /// By path.
    private let files: [String: File]
    let style: LocalPath
    let script: LocalPath
    private let icons: String

    static let shared = Assets()

    private init() {
        var files: [String: File] = [:]
        func add(_ name: String, _ kind: String, _ type: String, _ file: EmbeddedFile) -> String {
            let bytes = file.copied
            let path = "/assets/\(name)-\(SHA256.digest(bytes).description.prefix(16)).\(kind)"
            files[path] = File(
                name: "/assets/\(name).\(kind)", type: type, bytes: bytes,
                cacheControl: "public, max-age=31536000, immutable")
            return path
        }
        style = LocalPath(
            own: add("style", "css", "text/css; charset=utf-8", style_css))
        script = LocalPath(
            own: add(
                "homeroom", "js", "text/javascript; charset=utf-8", homeroom_js))
        icons = add("icons", "svg", "image/svg+xml", icons_svg)
        files["/favicon.ico"] = File(
            name: "/favicon.ico", type: "image/x-icon", bytes: favicon_ico.copied,
            cacheControl: "public, max-age=86400")
        self.files = files
    }

    /// The paths of all files, and their names without the digest.
    var paths: [(path: String, name: String)] {
        files.map { (path: $0.key, name: $0.value.name) }.sorted { $0.name < $1.name }
    }

    /// - Parameter isPacked: whether the browser takes gzip.
    func answer(_ path: String, packed isPacked: Bool) -> HTTPResponse? {
        guard let file = files[path] else { return nil }
        let packed = isPacked ? Self.packed[path] : nil
        return HTTPResponse(
            status: 200, type: file.type, bytes: packed ?? file.bytes,
            headers: [
                ResponseField("Cache-Control", file.cacheControl), .varyByEncoding,
                ResponseField("X-Content-Type-Options", "nosniff"),
            ] + (packed == nil ? [] : [.gzipped]))
    }

    /// The files compressed as far as they can be, by path; made when the first one is asked for.
    private static let packed: [String: [UInt8]] = shared.files.compactMapValues { file in
        try? GzipWriter.compress(file.bytes, level: 9)
    }

    /// The address of one symbol of the icons.
    func symbol(_ name: StaticString) -> String { "\(icons)#\(name)" }
}

extension EmbeddedFile {
    fileprivate var copied: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }
}
