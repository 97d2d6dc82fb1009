import Foundation

/// A quantity, such as the hints used.
open class CLSQuantityItem: CLSActivityItem, @unchecked Sendable {
    private var amount = 0.0

    /// The quantity. At first 0.
    public var quantity: Double {
        get { ObjectLock.locked { amount } }
        set { change { amount = newValue } }
    }

    /// Creates an item.
    public override init(identifier: String, title: String) {
        super.init(identifier: identifier, title: title)
    }

    /// Restores an archived item.
    public required init?(coder: NSCoder) {
        amount = coder.decodeDouble(forKey: "quantity")
        super.init(coder: coder)
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(quantity, forKey: "quantity")
    }
}
