import ClassKitUplink
import Foundation

/// Where a data store keeps its files, for whom, and where it sends them.
package struct StoreSettings: Sendable {
    /// The app.
    package var bundleID: String
    /// The app's name for people, the title of its context.
    package var title: String
    /// The folder with the app's files, one for each person.
    package var folder: URL
    /// Whose file it is; `nil` while nobody is signed in.
    package var subject: String?
    /// `nil` if nothing is sent.
    package var link: ServerLink?
    /// Why nothing can be saved here; `nil` if it can.
    package var obstacle: CLSError?

    package init(
        bundleID: String, title: String, folder: URL, subject: String?, link: ServerLink? = nil,
        obstacle: CLSError? = nil
    ) {
        self.bundleID = bundleID
        self.title = title
        self.folder = folder
        self.subject = subject
        self.link = link
        self.obstacle = obstacle
    }

    /// The person's file. What nobody in particular has done has a file of its own, which is never sent.
    package var file: URL {
        let name = subject.map { "person-" + StoreSettings.fileName($0) } ?? "nobody"
        return folder.appendingPathComponent(name + ".sqlite")
    }

    /// A name without characters that mean something in a path, and different for different texts.
    private static func fileName(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                String(UnicodeScalar(byte))
            default: "_" + String(byte, radix: 16)
            }
        }.joined()
    }
}
