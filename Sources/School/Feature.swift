import Metrics

/// A part of Homeroom with calls of its own.
///
/// Features never import each other; what two of them share, they share in the database.
package protocol Feature: Sendable {
    /// The calls, in the order in which the API document shows them.
    var endpoints: [Endpoint] { get }
    /// What the violation of a named constraint means to a client.
    var constraints: [String: Problem] { get }
    /// Called once, on a loop, when the service has begun to serve; starts what goes on without a request.
    func start()
    /// Called once, on the same loop, when the service ends: what `start` began is let go.
    func stop()
    /// Waits, on a loop, until what answered requests left to be done is done; for a service that was not started,
    /// where nobody else does it.
    func settle() async throws
    /// Called now and then, on a loop, while the service runs: for what outlived its use elsewhere than in the
    /// database.
    func tidy()
    /// Exports metrics of the work beside the requests, from any thread and without waiting; of no person, no
    /// organization and no id.
    func export(to metrics: inout Exposition)
}

extension Feature {
    package var constraints: [String: Problem] { [:] }
    package func start() {}
    package func stop() {}
    package func settle() async throws {}
    package func tidy() {}
    package func export(to metrics: inout Exposition) {}
}
