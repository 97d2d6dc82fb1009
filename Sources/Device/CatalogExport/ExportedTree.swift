import ClassKitUplink
import Foundation

/// What a context provider made, as `ClassKitLinux.run` writes it for an export.
struct ExportedTree: Decodable, Equatable {
    /// A context with its picture.
    struct Node: Decodable, Equatable {
        let context: ContextRecord
        /// PNG or JPEG.
        let thumbnail: Data?
    }

    let bundleID: String
    let title: String
    /// Parents before children, without the app itself.
    let contexts: [Node]

    /// - Throws: `ExportError` if the file is not what a provider writes.
    static func read(_ file: URL) throws -> ExportedTree {
        do {
            let tree = try JSONDecoder().decode(ExportedTree.self, from: Data(contentsOf: file))
            guard !tree.bundleID.isEmpty else {
                throw ExportError("\(file.path): the bundle id is empty.")
            }
            return tree
        } catch let error as ExportError {
            throw error
        } catch {
            throw ExportError("\(file.path) is not a tree of contexts: \(error)")
        }
    }
}

/// What ends an export.
package struct ExportError: Error, CustomStringConvertible {
    package let description: String
    /// 64 for a wrong use of the command.
    package let status: Int32

    init(_ description: String, status: Int32 = 1) {
        self.description = description
        self.status = status
    }
}
