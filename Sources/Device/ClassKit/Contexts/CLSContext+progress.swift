import Foundation

extension CLSContext {
    /// The kinds of progress that teachers can expect. At first the duration alone.
    public var progressReportingCapabilities: Set<CLSProgressReportingCapability> {
        ObjectLock.locked { Set(capabilities.values) }
    }

    /// Announces kinds of progress. There is one capability of each kind; a later one takes the place of an earlier.
    public func addProgressReportingCapabilities(
        _ capabilities: Set<CLSProgressReportingCapability>
    ) {
        ObjectLock.locked {
            for capability in capabilities { self.capabilities[capability.kind] = capability }
            noteChange()
        }
    }

    /// Announces the duration alone, as at first.
    public func resetProgressReportingCapabilities() {
        ObjectLock.locked {
            capabilities = [
                .duration: CLSProgressReportingCapability(kind: .duration, details: nil)
            ]
            noteChange()
        }
    }

    /// Whether this is the context in which the person is working.
    public var isActive: Bool {
        ObjectLock.locked { store?.active === self }
    }

    /// Says that the person is working in this context. The context that was active no longer is.
    public func becomeActive() {
        ObjectLock.locked { (store ?? .shared).active = self }
    }

    /// Says that the person stopped working in this context.
    public func resignActive() {
        ObjectLock.locked {
            if let store, store.active === self { store.active = nil }
        }
    }

    /// The attempt that is going on or was the last one; `nil` if there was none. Do not keep it.
    public var currentActivity: CLSActivity? { read(\.current) }

    /// Begins a new attempt. The one before is stopped and can no longer be changed.
    @discardableResult
    public func createNewActivity() -> CLSActivity {
        ObjectLock.locked {
            let former = current
            former?.finish()
            let activity = CLSActivity(of: self, after: former)
            current = activity
            activity.noteChange()
            return activity
        }
    }
}
