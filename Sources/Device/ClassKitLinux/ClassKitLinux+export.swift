import ClassKit
import ClassKitUplink
import Foundation

extension ClassKitLinux {
    /// The tree as `classkit-catalog export` reads it.
    private struct Tree: Encodable {
        struct Node: Encodable {
            let context: ContextRecord
            let thumbnail: Data?
        }

        let bundleID: String
        let title: String
        /// Parents before children.
        let contexts: [Node]
    }

    /// Writes all contexts below the app to a file.
    static func export(_ store: CLSDataStore, to file: URL) async throws {
        let root = store.mainAppContext
        var contexts = [root]
        var next = 0
        while next < contexts.count {
            let children = try await store.contexts(
                matching: NSPredicate(format: "parent = %@", contexts[next]))
            contexts += children.sorted {
                ($0.displayOrder, $0.identifier) < ($1.displayOrder, $1.identifier)
            }
            next += 1
        }
        let tree = Tree(
            bundleID: root.identifier, title: root.title,
            contexts: contexts.dropFirst().map {
                Tree.Node(context: $0.record, thumbnail: $0.thumbnail?.file)
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(tree).write(to: file)
    }
}
