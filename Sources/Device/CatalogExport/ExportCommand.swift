import ClassKitUplink
import Crypto
import Foundation

/// `classkit-catalog export`: runs an app's context provider and publishes the tree for every school.
package struct ExportCommand {
    package static let usage = """
        Publishes the contexts of an app, so that teachers find them before anyone has started it.

        usage: classkit-catalog export --provider PROGRAM --server URL --team ID --key-id ID --key FILE [OPTION…]

          --provider PROGRAM   a program whose main function is ClassKitLinux.run(provider)
          --server URL         the Homeroom server
          --team ID            your registered team
          --key-id ID          the key's id, as it is registered
          --key FILE           the private key (PEM, such as Apple's .p8)
          --environment NAME   development (the default) or production
          --locale LOCALE      the language of the titles, en if absent
          --dry-run            print what would be published, and publish nothing
        """

    let provider: String
    let server: URL
    let environment: String
    let locale: String
    let isDryRun: Bool
    /// `nil` for a dry run.
    let key: DeveloperKey?

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: `ExportError`, saying what is wrong.
    package init(_ arguments: [String]) throws {
        guard arguments.first == "export" else { throw ExportError(Self.usage, status: 64) }
        var values: [String: String] = [:]
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            guard Self.options.contains(option) else {
                throw ExportError("Unknown option \(option).\n\n\(Self.usage)", status: 64)
            }
            guard option != "--dry-run" else {
                values[option] = ""
                continue
            }
            guard let value = rest.popFirst() else {
                throw ExportError("\(option) needs a value.", status: 64)
            }
            values[option] = value
        }
        func required(_ option: String) throws -> String {
            guard let value = values[option], !value.isEmpty else {
                throw ExportError("\(option) is missing.\n\n\(Self.usage)", status: 64)
            }
            return value
        }
        provider = try required("--provider")
        let address = try required("--server")
        guard let url = URL(string: address), url.host() != nil else {
            throw ExportError("--server: “\(address)” is not an address.", status: 64)
        }
        server = url
        environment = values["--environment"] ?? "development"
        guard ["development", "production"].contains(environment) else {
            throw ExportError("--environment must be development or production.", status: 64)
        }
        locale = values["--locale"] ?? "en"
        isDryRun = values["--dry-run"] != nil
        key =
            isDryRun
            ? nil
            : DeveloperKey(
                teamID: try required("--team"), keyID: try required("--key-id"),
                key: try Self.key(in: required("--key")))
    }

    private static let options: Set = [
        "--provider", "--server", "--team", "--key-id", "--key", "--environment", "--locale",
        "--dry-run",
    ]

    private static func key(in path: String) throws -> ES256PrivateKey {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ExportError("\(path) cannot be read.")
        }
        do {
            return try ES256PrivateKey(pem: text)
        } catch {
            throw ExportError("\(path) is not a PEM private key on the curve P-256: \(error)")
        }
    }

    /// Runs the provider and publishes.
    ///
    /// - Returns: a line about what was done, or the tree of a dry run.
    package func run(transport: any Transport = URLSessionTransport()) async throws -> String {
        let tree = try ProviderProgram(path: provider, arguments: [], server: server).tree()
        let (contexts, thumbnails) = prepare(tree)
        guard let key else {
            return Self.outline(contexts)
        }
        let publisher = CatalogPublisher(
            server: server, environment: environment, key: key, transport: transport
        ) { seconds in try await Task.sleep(for: .seconds(seconds)) }
        try await publisher.publish(contexts, thumbnails: thumbnails)
        return
            "Published \(contexts.count) contexts and \(thumbnails.count) thumbnails of \(tree.bundleID)."
    }

    /// The tree as people read it: each context below its parent.
    static func outline(_ contexts: [CatalogContext]) -> String {
        let children = Dictionary(grouping: contexts) { $0.data.identifierPath.dropLast() }
        func lines(below path: ArraySlice<String>) -> [String] {
            (children[path] ?? []).flatMap { context in
                let indent = String(repeating: "  ", count: path.count)
                let identifier = context.data.identifierPath.last ?? ""
                return ["\(indent)\(identifier) (\(context.data.type)) \(context.data.title)"]
                    + lines(below: context.data.identifierPath[...])
            }
        }
        return lines(below: []).joined(separator: "\n")
    }

    /// The contexts of the catalog, the app itself first, and the pictures by their ids.
    func prepare(_ tree: ExportedTree) -> ([CatalogContext], [String: Data]) {
        let app = ContextRecord(
            identifierPath: [], title: tree.title, type: "app",
            progressReportingCapabilities: [Capability(kind: "duration", details: "")])
        var thumbnails: [String: Data] = [:]
        var contexts = [
            CatalogContext(app, of: tree.bundleID, locale: locale, thumbnailID: nil)
        ]
        for node in tree.contexts {
            // The same picture has the same id, at every context and in every export.
            let id = node.thumbnail.map { image in
                SHA256.digest(Array(image)).bytes.prefix(16).map {
                    String(UInt16($0) + 256, radix: 16).dropFirst()
                }.joined()
            }
            if let id, let image = node.thumbnail { thumbnails[id] = image }
            contexts.append(
                CatalogContext(node.context, of: tree.bundleID, locale: locale, thumbnailID: id))
        }
        return (contexts, thumbnails)
    }
}
