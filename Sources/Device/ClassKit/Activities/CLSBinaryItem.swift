import Foundation

/// Which pair of words a binary item is shown with.
public enum CLSBinaryValueType: Int, Sendable {
    /// True or false.
    case trueFalse = 0
    /// Passed or failed.
    case passFail = 1
    /// Yes or no.
    case yesNo = 2
    /// Correct or incorrect.
    case correctIncorrect = 3
}

/// A figure with two values, such as whether an answer was correct.
open class CLSBinaryItem: CLSActivityItem, @unchecked Sendable {
    /// Which pair of words the value is shown with.
    public let valueType: CLSBinaryValueType
    private var isTrue = false

    /// The value; `true` is the positive word of the pair. At first `false`.
    public var value: Bool {
        get { ObjectLock.locked { isTrue } }
        set { change { isTrue = newValue } }
    }

    /// Creates an item.
    public init(identifier: String, title: String, type valueType: CLSBinaryValueType) {
        self.valueType = valueType
        super.init(identifier: identifier, title: title)
    }

    /// Restores an archived item.
    public required init?(coder: NSCoder) {
        guard let type = CLSBinaryValueType(rawValue: coder.decodeInteger(forKey: "valueType"))
        else { return nil }
        valueType = type
        isTrue = coder.decodeBool(forKey: "value")
        super.init(coder: coder)
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(valueType.rawValue, forKey: "valueType")
        coder.encode(value, forKey: "value")
    }
}
