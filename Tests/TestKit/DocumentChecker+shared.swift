import API
import School
import Server
import Synchronization

extension DocumentChecker {
    /// The checker of the document of these features. It is the same in every service of a test run, and making it takes
    /// longer than many a test.
    static func shared(by features: [any Feature]) -> DocumentChecker {
        made.withLock { made in
            let checker =
                made
                ?? DocumentChecker(
                    document: OpenAPI(features: features, description: .homeroom).document)
            made = checker
            return checker
        }
    }

    private static let made = Mutex<DocumentChecker?>(nil)
}
