import Foundation

/// A figure of an attempt. Use one of its subclasses.
///
/// `CLSDataStore.save(completion:)` records what the item says at that moment.
open class CLSActivityItem: CLSObject, @unchecked Sendable {
    /// The name of the item, unique inside one activity. At most 256 characters.
    public let identifier: String
    private var shownTitle: String
    weak var activity: CLSActivity?

    /// The title in the report. At most 256 characters.
    public var title: String {
        get { ObjectLock.locked { shownTitle } }
        set { change { shownTitle = newValue } }
    }

    init(identifier: String, title: String) {
        self.identifier = identifier
        shownTitle = title
        super.init()
    }

    /// Restores an archived item.
    public required init?(coder: NSCoder) {
        guard
            let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier"),
            let title = coder.decodeObject(of: NSString.self, forKey: "title")
        else { return nil }
        self.identifier = identifier as String
        shownTitle = title as String
        super.init(coder: coder)
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(title as NSString, forKey: "title")
    }

    func change(_ body: () -> Void) {
        ObjectLock.locked {
            body()
            touch()
            activity?.change { true }
        }
    }
}
