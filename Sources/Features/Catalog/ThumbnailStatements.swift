import Postgres
import School

/// Pictures that developers send; the rules are in `SQL/functions/catalog/thumbnails.sql`.
extension Statement {
    /// Stores a picture to be read later; without bytes it only checks whether a context refers to it.
    static func accept(
        _ bytes: [UInt8]?, as id: String, _ environment: Environment, statusID: String
    ) -> Statement {
        """
        select school.accept_thumbnail(\(statusID), \(environment.rawValue), \(id), \(bytes),
                                       \(Thumbnail.waitingMax)) as outcome
        """
    }

    /// The picture of any app of the team, otherwise the status of one that waits to be read.
    static func thumbnail(
        _ id: String, _ environment: Environment, of organization: OrganizationID, _ team: String
    ) -> Statement {
        """
        (select t.media_type, t.bytes, null::text as status_id
           from school.thumbnail as t
          where t.organization_id = \(organization) and t.environment = \(environment.rawValue)
            and t.thumbnail_id = \(id)
          order by t.bundle_id limit 1)
        union all
        (select null, null, u.status_id
           from school.thumbnail_upload as u
          where u.organization_id = \(organization) and u.team_id = \(team)
            and u.environment = \(environment.rawValue) and u.thumbnail_id = \(id)
            and u.state = 'pending'
          order by u.created_at limit 1)
        limit 1
        """
    }

    static func removeThumbnail(_ id: String, _ environment: Environment) -> Statement {
        "select school.remove_thumbnail(\(environment.rawValue), \(id)) as is_found"
    }

    static func status(
        _ id: String, of organization: OrganizationID, _ team: String
    ) -> Statement {
        """
        select u.state, u.error_code, u.error_message
          from school.thumbnail_upload as u
         where u.organization_id = \(organization) and u.status_id = \(id) and u.team_id = \(team)
        """
    }

    // MARK: The worker's statements

    static func claimThumbnail() -> Statement {
        "select status_id, bytes from school.claim_thumbnail_upload()"
    }

    static func hasWaitingThumbnails() -> Statement {
        "select school.has_waiting_thumbnails() as has_waiting"
    }

    /// Stores the picture, or the reason why it was refused.
    static func finishThumbnail(
        _ statusID: String, _ picture: (type: String, bytes: [UInt8])?, error: String?
    ) -> Statement {
        """
        select school.finish_thumbnail_upload(
                   \(statusID), \(picture?.type), \(picture?.bytes),
                   \(error.map { _ in "INVALID_THUMBNAIL" }), \(error))
        """
    }
}
