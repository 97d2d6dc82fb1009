import Glibc
import Testing

extension Trait where Self == ConditionTrait {
    /// Marks a slow test of what other tests of the gate show in part. `deploy/drill thorough` runs it, and so does
    /// `deploy/test` with arguments.
    package static var thorough: Self {
        .enabled(if: getenv("HOMEROOM_THOROUGH") != nil, "runs in deploy/drill thorough")
    }
}
