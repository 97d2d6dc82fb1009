import HTTPWire

/// The calls about imports.
package enum ImportCalls {
    package static let upload = Call<ImportUploadQuery, Document<QueuedImport>>(
        .post, "/v1/imports")
    package static let list = Call<ListQuery, ListPage<ImportSummary>>(.get, "/v1/imports")
    package static let details = Call<NoQuery, Document<ImportDetails>>(.get, "/v1/imports/{id}")
    package static let approval = Call<NoQuery, Document<QueuedImport>>(
        .post, "/v1/imports/{id}/approval")
    package static let changes = Call<ImportPlanQuery, ListPage<ImportChange>>(
        .get, "/v1/imports/{id}/changes")
    package static let people = Call<ImportPlanQuery, ListPage<ImportedPerson>>(
        .get, "/v1/imports/{id}/people")
    package static let findings = Call<ImportFindingQuery, ListPage<ImportFound>>(
        .get, "/v1/imports/{id}/findings")
    package static let undo = Call<ImportUndoQuery, Document<ImportUndoing>>(
        .post, "/v1/imports/{id}/undo")
    package static let template = Call<ImportTemplateQuery, NoDocument>(
        .get, "/v1/import-templates")

    static let all: [any DeclaredCall] = [
        upload, list, details, approval, changes, people, findings, undo, template,
    ]
}

/// Of a list.
package enum ListQuery: String, QueryNames {
    case limit, pageToken
}

package enum ImportUploadQuery: String, QueryNames {
    case mode, fileName, strict
}

package enum ImportPlanQuery: String, QueryNames {
    case change, limit, pageToken
}

package enum ImportFindingQuery: String, QueryNames {
    case level, limit, pageToken
}

package enum ImportUndoQuery: String, QueryNames {
    case dryRun
}

package enum ImportTemplateQuery: String, QueryNames {
    case format, example
}
