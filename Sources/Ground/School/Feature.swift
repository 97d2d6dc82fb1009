import API
import HTTPWire
import Metrics
import Postgres

/// A part of Homeroom with calls of its own.
///
/// Features never import each other. What two of them share is in the database.
package protocol Feature: Sendable {
    /// What its calls are about, for the API document.
    var meaning: String { get }
    /// The calls, in the order in which the API document shows them.
    var endpoints: [Endpoint] { get }
    /// What the violation of a named constraint means to a client.
    var constraints: [String: Problem] { get }
    /// Paths below which a standard says what problems look like, each with its slash at the end. Also for paths that
    /// no call has.
    var refusals: [(below: String, refusal: Endpoint.Refusal)] { get }
    /// The segments of a path below which a slash too many means nothing: in what people type as the address of a
    /// service there is often one. `nil` where paths are exact.
    var foldsSlashesBelow: [String]? { get }
    /// Header fields that every problem below such a path has, because a standard says so.
    var answerFields: [(below: String, field: ResponseField)] { get }
    /// How records of this feature are read for other calls' `expand`.
    var expandables: [ExpandedRecord: Expandable] { get }
    /// Called once, on a loop, when the service has begun to serve; starts work that runs beside requests.
    func start()
    /// Called once, on the same loop, when the service ends; stops what `start` began.
    func stop()
    /// Called once, on the same loop, when the service begins to end, while it still answers requests; ends answers
    /// that would go on, and accepts no more of them.
    func endOpenAnswers()
    /// Called on the same loop with everything that the connection reports which listens for notifications.
    func receive(_ event: Listener.Event)
    /// Waits, on a loop, for work that answered requests left behind. For a service that was not started, where
    /// nothing else does that work.
    func settle() async throws
    /// Called now and then, on a loop, while the service runs: removes leftovers outside of the database.
    func tidy()
    /// Exports metrics of the work beside the requests, from any thread and without waiting. They never identify a
    /// person or an organization.
    func export(to metrics: inout Exposition)
}

extension Feature {
    package var constraints: [String: Problem] { [:] }
    package var refusals: [(below: String, refusal: Endpoint.Refusal)] { [] }
    package var foldsSlashesBelow: [String]? { nil }
    package var answerFields: [(below: String, field: ResponseField)] { [] }
    package var expandables: [ExpandedRecord: Expandable] { [:] }
    package func start() {}
    package func stop() {}
    package func endOpenAnswers() {}
    package func receive(_ event: Listener.Event) {}
    package func settle() async throws {}
    package func tidy() {}
    package func export(to metrics: inout Exposition) {}
}
