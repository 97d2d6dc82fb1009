/// Guides for systems that keep up with the school.
extension DocumentPage {
    static let following = Guide(
        id: "following", title: "Keeping up with changes",
        parts: [
            """
            `GET /v1/changes` lists what was created, changed or removed: locations, terms, courses, people, classes, \
            rosters, and for teachers their handouts. You see changes only of what you may read now. A change names a \
            kind and an id, never a name; read the record to learn what it says now. A 404 then means that it is gone, \
            or no longer yours to read.
            """,
            """
            Begin with a position, read everything that you keep a copy of, and then follow the changes from that \
            position on. Keep the new position after you have taken in the changes, so that a crash repeats some \
            instead of losing any.
            """,
            """
                POSITION=$(curl -sS $URL/v1/changes -H "Authorization: Bearer $TOKEN" \\
                    | grep -o '"position":"[^"]*' | cut -d '"' -f 4)
                curl -sS "$URL/v1/changes?after=$POSITION&limit=1000" -H "Authorization: Bearer $TOKEN"
            """,
            """
            While `hasMore` is true, ask again at once; otherwise every minute will do. Changes appear in the order in \
            which they can no longer be overtaken: while a large import is being applied, those of other calls wait \
            for its end. Changes are kept for 30 days. With an older position, or after the operator restored a \
            backup, the answer is 410: take a new position, and read everything again.
            """,
        ])
}
