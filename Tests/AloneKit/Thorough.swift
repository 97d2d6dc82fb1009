import Glibc
import Testing

extension Trait where Self == ConditionTrait {
    /// Marks a slow test of what other tests of the gate show in part. It runs in `deploy/drill thorough`, and where
    /// somebody asks for it by name.
    package static var thorough: Self {
        .enabled(if: getenv("HOMEROOM_THOROUGH") != nil, "runs in deploy/drill thorough")
    }
}
