import CLibpq

/// Hears why the server ends a connection on which nothing is under way, as when it is shut down; libpq itself
/// tells only that the connection was closed.
final class Farewell {
    /// The message; those of this kind quote no data.
    private(set) var text: String?

    /// Takes the notices of a connection, of which only this one matters. It has to outlive the connection.
    func listen(to handle: OpaquePointer) {
        _ = PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context, let result, let error = ServerError(result: result),
                    error.endsConnection
                else { return }
                Unmanaged<Farewell>.fromOpaque(context).takeUnretainedValue().text = error.message
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
