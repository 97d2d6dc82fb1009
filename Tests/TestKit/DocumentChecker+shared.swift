import API
import HTTPServer
import HTTPWire
import School
import Server
import Synchronization

/// What the API document says. It is the same in every service of a test run, and making it takes longer than many a
/// test.
enum Documentation {
    /// The document's paths by method and path of a request, and the checker of answers.
    static func shared(
        by features: [any Feature]
    ) -> (router: Router<String>, checker: DocumentChecker) {
        made.withLock { made in
            if let made { return made }
            let checker = DocumentChecker(
                document: OpenAPI(features: features, description: .homeroom).document)
            var router = Router<String>()
            for endpoint in features.flatMap(\.endpoints) {
                router.register(endpoint.method, endpoint.path, endpoint.path)
            }
            made = (router, checker)
            return (router, checker)
        }
    }

    private static let made = Mutex<(router: Router<String>, checker: DocumentChecker)?>(nil)
}
