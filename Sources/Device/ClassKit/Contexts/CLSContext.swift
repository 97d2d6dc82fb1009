import Foundation

/// A part of your app's content that a teacher can assign: a chapter, a quiz, a level.
///
/// Contexts form a tree below `CLSDataStore.mainAppContext`. Look a context up whenever you need it. What you change
/// takes effect with `CLSDataStore.save(completion:)`.
open class CLSContext: CLSObject, @unchecked Sendable {
    /// The name of the context among its siblings. It is never shown to people.
    public let identifier: String

    var fields: ContextFields
    var capabilities = [
        CLSProgressReportingCapability.Kind.duration: CLSProgressReportingCapability(
            kind: .duration, details: nil)
    ]
    var picture = Picture.absent
    var navigation: [NavigationPlace] = []
    weak var parentContext: CLSContext?
    var children = Children()
    /// The data store, in the main app context alone.
    weak var owner: CLSDataStore?
    /// The path below the app at which the database has this context; `nil` if it does not.
    var savedPath: [String]?
    /// Whether the next save looks at this context.
    var isNoted = false
    /// Whether something that is sent has changed since the last save.
    var isChanged = false
    /// Whether the next save removes this context.
    var isMarkedForRemoval = false
    /// What was refused since the last save, which reports it.
    var faults: [CLSError] = []
    var current: CLSActivity?

    /// Creates a context. It belongs to the tree once you have added it to a parent.
    /// - Parameters:
    ///   - identifier: at most 256 characters, different from those of its siblings.
    ///   - title: at most 256 characters, in the language of the person.
    public init(type: CLSContextType, identifier: String, title: String) {
        self.identifier = identifier
        fields = ContextFields(type: type, title: title)
        super.init()
    }

    /// Restores an archived context, without its place in the tree.
    public required init?(coder: NSCoder) {
        guard
            let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier"),
            let title = coder.decodeObject(of: NSString.self, forKey: "title"),
            let type = CLSContextType(rawValue: coder.decodeInteger(forKey: "type"))
        else { return nil }
        self.identifier = identifier as String
        fields = ContextFields(type: type, title: title as String)
        fields.displayOrder = coder.decodeInteger(forKey: "displayOrder")
        fields.summary = coder.decodeObject(of: NSString.self, forKey: "summary") as String?
        super.init(coder: coder)
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let fields = read(\.fields)
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(fields.title as NSString, forKey: "title")
        coder.encode(fields.type.rawValue, forKey: "type")
        coder.encode(fields.displayOrder, forKey: "displayOrder")
        coder.encode(fields.summary as NSString?, forKey: "summary")
    }

    /// The identifiers on the way to this context, beginning with that of the app.
    public var identifierPath: [String] {
        ObjectLock.locked { ancestry.map(\.identifier) }
    }

    /// The kind of content.
    public var type: CLSContextType { read(\.fields.type) }

    /// Changes the kind of content. That of the main app context stays.
    public func setType(_ type: CLSContextType) {
        ObjectLock.locked {
            guard owner == nil, type != .app else {
                return refuse(
                    .invalidModification,
                    "The main app context has the type app, and no other context has it.")
            }
            write(\.type, type)
        }
    }

    /// The title, as teachers and students see it. At most 256 characters.
    public var title: String {
        get { read(\.fields.title) }
        set { write(\.title, newValue) }
    }

    /// The place among siblings: lower numbers come first.
    public var displayOrder: Int {
        get { read(\.fields.displayOrder) }
        set { write(\.displayOrder, newValue) }
    }

    /// A link that opens the context. Without one, your app gets a user activity.
    public var universalLinkURL: URL? {
        get { read(\.fields.universalLinkURL) }
        set { write(\.universalLinkURL, newValue) }
    }

    /// The area of study; without one of its own, that of the nearest ancestor.
    public var topic: CLSContextTopic? {
        get { ObjectLock.locked { fields.topic ?? parentContext?.topic } }
        set { write(\.topic, newValue) }
    }

    /// A description for teachers and students. At most 4,000 characters.
    public var summary: String? {
        get { read(\.fields.summary) }
        set { write(\.summary, newValue) }
    }

    /// The name of the kind of content, for contexts of the type `custom`.
    public var customTypeName: String? {
        get { read(\.fields.customTypeName) }
        set { write(\.customTypeName, newValue) }
    }

    /// Whether teachers can assign the context. Set this to `false` for contexts that only hold others.
    public var isAssignable: Bool {
        get { read(\.fields.isAssignable) }
        set { write(\.isAssignable, newValue) }
    }

    /// For which ages the content is suitable, in years. The default has no bounds.
    public var suggestedAge: NSRange {
        get { read(\.fields.suggestedAge) }
        set { write(\.suggestedAge, newValue) }
    }

    /// How long the task takes, in minutes. The default has no bounds.
    public var suggestedCompletionTime: NSRange {
        get { read(\.fields.suggestedCompletionTime) }
        set { write(\.suggestedCompletionTime, newValue) }
    }

    /// A picture of at least 80 pixels on one side. What is larger than 330 pixels is scaled down.
    ///
    /// A picture that this device does not have yet is fetched when you first ask for it, and is there later.
    public var thumbnail: CGImage? {
        get { picture(loadedFrom: ObjectLock.locked { store }) }
        set { setPicture(newValue) }
    }

    func read<Value>(_ property: KeyPath<CLSContext, Value>) -> Value {
        ObjectLock.locked { self[keyPath: property] }
    }

    func write<Value: Equatable>(
        _ field: WritableKeyPath<ContextFields, Value>, _ value: Value
    ) {
        ObjectLock.locked {
            guard fields[keyPath: field] != value else { return }
            fields[keyPath: field] = value
            noteChange()
        }
    }

    /// Has the next save look at this context. Called with the lock held.
    func noteChange() {
        isChanged = true
        touch()
        noteForSave()
    }

    /// The same, where nothing that is sent has changed.
    func noteForSave() {
        guard !isNoted, let store else { return }
        isNoted = true
        store.changes.contexts.append(self)
    }

    /// Has the next save report that something was refused. Called with the lock held.
    func refuse(_ code: CLSError.Code, _ explanation: String) {
        faults.append(CLSError(code, explanation, object: self))
        noteForSave()
    }
}
