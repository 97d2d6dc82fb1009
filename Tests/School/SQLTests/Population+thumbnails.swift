import Postgres

extension Population {
    /// A picture of a context that is assigned in Biology, one of a context that is not, one of another team's
    /// app, and one elsewhere; and uploads of each team.
    static let thumbnails: [Statement] = [
        """
        update school.context set thumbnail_id = title
         where title in ('published', 'for sue', 'of Reader', 'elsewhere')
        """,
        """
        insert into school.thumbnail (organization_id, environment, bundle_id, thumbnail_id, media_type, bytes)
        select organization_id, environment, bundle_id, thumbnail_id, 'image/png', 'PNG'
          from school.context where thumbnail_id is not null
        """,
        """
        insert into school.thumbnail_upload (organization_id, status_id, team_id, environment, thumbnail_id,
                                             bytes)
        select organization_id, 'status', team_id, 'production', 'picture', 'PNG'
          from school.developer_team
         where team_id = 'QUIZ'
        """,
        """
        insert into school.thumbnail_upload (organization_id, status_id, team_id, environment, thumbnail_id,
                                             state, finished_at)
        select organization_id, 'other status', team_id, 'production', 'picture', 'complete', now()
          from school.developer_team
         where team_id = 'READ'
        """,
    ]
}
