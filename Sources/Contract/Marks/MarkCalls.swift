import HTTPWire

/// The calls about marks.
package enum MarkCalls {
    package static let list = Call<ListQuery, ListPage<MarkedWork>>(
        .get, "/v1/handouts/{id}/marks")
    package static let ofStudent = Call<ListQuery, ListPage<MarkedWork>>(
        .get, "/v1/handouts/{id}/students/{personId}/marks")
    package static let taking = Call<NoQuery, NoDocument>(.delete, "\(whole)/mark")
    package static let taskTaking = Call<NoQuery, NoDocument>(.delete, "\(task)/mark")
    package static let draft = Call<NoQuery, NoDocument>(.put, "\(whole)/mark/draft")
    package static let taskDraft = Call<NoQuery, NoDocument>(.put, "\(task)/mark/draft")
    package static let discarding = Call<NoQuery, NoDocument>(.delete, "\(whole)/mark/draft")
    package static let taskDiscarding = Call<NoQuery, NoDocument>(.delete, "\(task)/mark/draft")

    private static let whole = "/v1/handouts/{id}/students/{personId}"
    private static let task = whole + "/tasks/{taskId}"

    static let all: [any DeclaredCall] = [
        list, ofStudent, taking, taskTaking, draft, taskDraft, discarding, taskDiscarding,
    ]
}
