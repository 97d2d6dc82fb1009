import Foundation

/// A score out of a greatest possible score.
open class CLSScoreItem: CLSActivityItem, @unchecked Sendable {
    private var reached: Double
    private var possible: Double

    /// The score, from 0 to `maxScore`.
    public var score: Double {
        get { ObjectLock.locked { reached } }
        set { change { reached = newValue } }
    }

    /// The greatest possible score, greater than 0.
    public var maxScore: Double {
        get { ObjectLock.locked { possible } }
        set { change { possible = newValue } }
    }

    /// Creates an item.
    public init(identifier: String, title: String, score: Double, maxScore: Double) {
        reached = score
        possible = maxScore
        super.init(identifier: identifier, title: title)
    }

    /// Restores an archived item.
    public required init?(coder: NSCoder) {
        reached = coder.decodeDouble(forKey: "score")
        possible = coder.decodeDouble(forKey: "maxScore")
        super.init(coder: coder)
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(score, forKey: "score")
        coder.encode(maxScore, forKey: "maxScore")
    }
}
