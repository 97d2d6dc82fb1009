import Foundation

/// The base class of everything that the data store keeps.
///
/// You do not create instances of this class. All of them are under one lock, so that any thread may use them.
open class CLSObject: NSObject, NSSecureCoding, @unchecked Sendable {
    private var created: Date
    private var modified: Date

    /// When the object was created: by the server's clock once it has been synchronized, by the device's before.
    public var dateCreated: Date { ObjectLock.locked { created } }

    /// When the object was last changed.
    public var dateLastModified: Date { ObjectLock.locked { modified } }

    override init() {
        created = Date()
        modified = created
        super.init()
    }

    /// Restores the dates of an archived object.
    public required init?(coder: NSCoder) {
        guard
            let created = coder.decodeObject(of: NSDate.self, forKey: "dateCreated"),
            let modified = coder.decodeObject(of: NSDate.self, forKey: "dateLastModified")
        else { return nil }
        self.created = created as Date
        self.modified = modified as Date
        super.init()
    }

    /// Objects can be archived securely.
    public class var supportsSecureCoding: Bool { true }

    /// Writes the object to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(dateCreated as NSDate, forKey: "dateCreated")
        coder.encode(dateLastModified as NSDate, forKey: "dateLastModified")
    }

    func touch() { modified = Date() }

    func restoreDates(created: Date, modified: Date) {
        self.created = created
        self.modified = modified
    }
}

// On Apple's platforms every object is a variable argument, and apps pass contexts, dates and arrays to
// `NSPredicate(format:)`. The encoding is empty because our predicates read the arguments as Swift values; they never
// reach a C function.
extension NSObject: @retroactive CVarArg {
    /// Empty: objects are arguments of predicates only.
    public var _cVarArgEncoding: [Int] { [] }
}
