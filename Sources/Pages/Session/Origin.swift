import HTTPServer
import HTTPWire

/// Whether a form was sent by a page of this server, as far as the browser says where it comes from.
///
/// Old browsers say nothing; for them the form's token alone decides.
func comesFromHere(_ request: HTTPRequest) -> Bool {
    if let site = request.headers["sec-fetch-site"], site != "same-origin" { return false }
    guard let origin = request.headers["origin"] else { return true }
    guard let host = request.headers["host"] else { return false }
    // Behind a proxy the scheme may be unknown here; the host is enough, because cookies know no more either.
    return origin.lowercased() == "https://\(host.lowercased())"
        || origin.lowercased() == "http://\(host.lowercased())"
}

/// Whether a page of another server led the browser here, as far as the browser says. An address that was typed or
/// bookmarked comes from no page.
func isLedByOthers(_ request: HTTPRequest) -> Bool {
    guard let site = request.headers["sec-fetch-site"] else { return false }
    return site != "same-origin" && site != "none"
}
