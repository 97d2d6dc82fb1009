import Foundation

extension CLSActivity {
    /// The headline figure of the attempt. Without one, that is the progress.
    ///
    /// Use the same kind of item for all attempts at a context, so that teachers can compare them.
    public var primaryActivityItem: CLSActivityItem? {
        get { ObjectLock.locked { primary } }
        set {
            change {
                primary = newValue
                newValue?.activity = self
                return true
            }
        }
    }

    /// The figures beside the primary one.
    public var additionalActivityItems: [CLSActivityItem] { ObjectLock.locked { additional } }

    /// Adds a figure. One with the same identifier takes the place of the earlier.
    public func addAdditionalActivityItem(_ activityItem: CLSActivityItem) {
        change {
            if let index = additional.firstIndex(where: {
                $0.identifier == activityItem.identifier
            }) {
                additional[index] = activityItem
            } else {
                additional.append(activityItem)
            }
            activityItem.activity = self
            return true
        }
    }

    /// Removes the primary item and all others. Save afterwards.
    public func removeAllActivityItems() {
        change {
            primary = nil
            additional = []
            return true
        }
    }
}
