import API
import School

extension APIDescription {
    /// The introductory texts of Homeroom's API document.
    package static let homeroom = APIDescription(
        title: "Homeroom", summary: "School administration and student progress.",
        version: Program.version, overview: overviewText, codes: problemCodes,
        securitySchemes: schemesOfCallers, pathShapes: pathShapesOfRecords, examples: exampleValues)

    private static let overviewText = """
        School administration and student progress. JSON in camelCase, UTF-8; times are RFC 3339 in UTC with \
        milliseconds; ids are UUIDs.

        **Who may call.** Each call lists the standings that may make it. People get an access token by signing in; \
        send it as `Authorization: Bearer TOKEN`. Scripts of the school get one for the client id and secret of a \
        service account (`POST /oauth/token`, OAuth 2 client credentials). App developers sign their own tokens \
        (ES256) for the ClassKit Catalog calls. Tokens live one hour; `POST /v1/sign-in/refresh` renews them.

        **Names.** Wherever a path takes the id of a location, person, course or class, it also takes \
        `source:ID`, the id in the school's information system.

        **Errors** are `application/problem+json` (RFC 9457). `code` is stable, `detail` is for people, `errors` \
        points into the body. A 404 says that something does not exist or that you may not see it: the answer is the \
        same.

        **Null.** In a `PATCH`, `null` clears a field. Elsewhere leave a field out: `null` is refused where it would \
        mean nothing. Answers have `null` where there is no value.

        **Lists** take `limit` and `pageToken` and answer `items` and `nextPageToken`.

        **Repeating.** `PUT` on `source:ID` creates or replaces. A `POST` with an `Idempotency-Key` takes effect once \
        in 24 hours, and so does the removal of contexts, and sending or removing their pictures. `If-Match` with an `ETag` keeps you from overwriting another client's change.

        Every answer has `X-Request-Id`: your own where you send one. Quote it when you ask for help.
        """
}
