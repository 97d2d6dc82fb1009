import API
import Contract
import EventLoop
import Files
import HTTPServer
import HTTPWire
import School

extension Imports {
    var sampleEndpoints: [Endpoint] {
        [
            Endpoint(
                ImportCalls.template.method, ImportCalls.template.path,
                "Get an empty or a small archive of a format",
                for: Standing.directoryManagers,
                query: [
                    .required(
                        ImportTemplateQuery.format, Word<ImportFormat>.shape,
                        "The format of the archive."),
                    .optional(
                        ImportTemplateQuery.example, .word(["true", "false"]),
                        "true fills in a school of five people; otherwise files have nothing but their headers."
                    ),
                ],
                answers: [.bytes("The archive.", ["application/zip"])], handler: getSample)
        ]
    }

    private func getSample(_ request: Request, caller: Caller) async throws -> Response {
        // The parameter is one of them.
        let format =
            request.query(ImportTemplateQuery.format).flatMap(ImportFormat.init(rawValue:))
            ?? .appleCSV
        let sample = ImportSample(
            format: format, isExample: request.query(ImportTemplateQuery.example) == "true")
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
