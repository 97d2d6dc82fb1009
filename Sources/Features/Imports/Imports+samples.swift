import API
import EventLoop
import Files
import HTTPServer
import HTTPWire
import School

extension Imports {
    var sampleEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/import-templates", "Get an empty or a small archive of a format",
                for: Standing.directoryManagers,
                query: [
                    .required(
                        "format", .word(ImportFormat.allCases.map(\.rawValue)),
                        "The format of the archive."),
                    .optional(
                        "example", .word(["true", "false"]),
                        "true fills in a school of five people; otherwise files have nothing but their headers."
                    ),
                ],
                answers: [.bytes("The archive.", ["application/zip"])], handler: getSample)
        ]
    }

    private func getSample(_ request: Request, caller: Caller) async throws -> Response {
        // The parameter is one of them.
        let format = request.query("format").flatMap(ImportFormat.init(rawValue:)) ?? .appleCSV
        let sample = ImportSample(
            format: format, isExample: request.query("example") == "true")
        let spool = spool
        let bytes = try await threads.run {
            try Folder.make(spool, mode: 0o700)
            return try sample.bytes(in: spool)
        }
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "application/zip"),
                ResponseField("Cache-Control", "no-store"), .attachment(sample.name),
            ], body: .bytes(bytes))
    }
}
