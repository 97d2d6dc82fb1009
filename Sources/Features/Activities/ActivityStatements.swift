import Postgres
import Values

extension Statement {
    /// Keeps what an app sent until a worker stores it.
    static func takeUpload(_ kind: UploadKind, _ document: JSONDocument) -> Statement {
        "select school.take_upload(\(kind.rawValue), \(document))"
    }

    /// People with waiting uploads, in the order of their turns, at most `each` of every organization and without
    /// those who are resting.
    static func pendingUploads(each: Int, resting: [UUID]) -> Statement {
        "select organization_id, person_id from school.pending_uploads(\(each)::integer, \(resting))"
    }

    /// The person's next uploads, at most `count`.
    static func claimUploads(_ count: Int, in turn: UploadTurn) -> Statement {
        """
        select upload_id from school.claim_uploads(\(turn.organizationID), \(turn.personID), \(count)::integer)
        """
    }

    /// Stores the uploads and returns how many of them, counted from the first, were stored together.
    static func storeUploads(_ uploadIDs: [UUID], in turn: UploadTurn) -> Statement {
        """
        select school.store_uploads(\(turn.organizationID), \(turn.personID), \(uploadIDs)) as count
        """
    }

    static func noteFailure(
        _ failure: String, isFinal: Bool, of uploadID: UUID, in turn: UploadTurn
    ) -> Statement {
        """
        select school.note_upload_failure(\(turn.organizationID), \(turn.personID), \(uploadID), \(failure),
                                          \(isFinal))
        """
    }

    static func retryFailedUploads() -> Statement {
        "select school.retry_failed_uploads()"
    }

    /// What each organization has in the inbox.
    static func uploadBacklog() -> Statement {
        """
        select organization_id, pending, coalesce(pending_bytes, 0) as pending_bytes, oldest_at, failed
          from school.upload_backlog()
        """
    }
}
