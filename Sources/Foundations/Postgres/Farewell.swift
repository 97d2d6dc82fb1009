import CLibpq

/// Receives the reason when the server ends an idle connection, as at a shutdown; libpq itself reports only
/// that the connection was closed.
final class Farewell {
    /// The message; messages of this kind quote no data.
    private(set) var text: String?

    /// Handles the notices of a connection, of which only this one matters. It must outlive the connection.
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
