/// The calls that show a teacher the work of a class or of one student, and so leave a viewing.
///
/// Tests of viewings make each of them; the privacy proof compares them with its table of calls.
package enum ViewedCalls {
    package struct Call: Sendable {
        package let path: String
        /// Whether it shows the work of one student alone.
        package let isOfOne: Bool

        package init(path: String, isOfOne: Bool) {
            self.path = path
            self.isOfOne = isOfOne
        }
    }

    private static let classes = "/v1/classes/{id}"
    private static let handouts = "/v1/handouts/{id}"

    package static let all: [Call] = [
        Call(path: "\(handouts)/report", isOfOne: false),
        Call(path: "\(handouts)/report/events", isOfOne: false),
        Call(path: "\(handouts)/students/{personId}", isOfOne: true),
        Call(path: "\(handouts)/students/{personId}/tasks/{taskId}/return", isOfOne: true),
        Call(path: "\(handouts)/students/{personId}/comments", isOfOne: true),
        Call(path: "\(handouts)/students/{personId}/mark", isOfOne: true),
        Call(path: "\(handouts)/students/{personId}/marks", isOfOne: true),
        Call(path: "\(handouts)/students/{personId}/tasks/{taskId}/mark", isOfOne: true),
        Call(path: "\(handouts)/marks", isOfOne: false),
        Call(path: "\(handouts)/tasks/{taskId}/items", isOfOne: false),
        Call(path: "\(classes)/report", isOfOne: false),
        Call(path: "\(classes)/apps", isOfOne: false),
        Call(path: "\(classes)/apps/{bundleId}/report", isOfOne: false),
        Call(path: "\(classes)/apps/{bundleId}/students", isOfOne: false),
        Call(path: "\(classes)/insights", isOfOne: false),
        Call(path: "\(classes)/students/{personId}/report", isOfOne: true),
    ]
}
