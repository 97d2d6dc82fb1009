import Postgres

extension Population {
    /// What Cora saved in the app Sketches: a handout of Biology assigns one of the two.
    static let nativeContexts: [Statement] = [
        """
        insert into school.context (organization_id, context_id, kind, environment, bundle_id,
                                    identifier_path, locale, person_id, title, type)
        select test.id('Hillside'), gen_random_uuid(), 'native', 'production', 'org.example.sketches',
               array[title], 'und', test.id('cora'), title, 'quiz'
          from unnest(array['shared by cora', 'kept by cora']) as title
        """,
        """
        insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                 bundle_id, identifier_path, context_owner_id)
        values (test.id('Hillside'), gen_random_uuid(), test.id('published'), test.id('Biology'), 3,
                'appActivity', 'published', 'org.example.sketches', '{shared by cora}', test.id('cora'))
        """,
        """
        insert into school.native_thumbnail (organization_id, context_id, media_type, bytes)
        select organization_id, context_id, 'image/png', convert_to(title, 'UTF8')
          from school.context where kind = 'native' or title = 'elsewhere'
        """,
        """
        insert into school.removed_context (organization_id, person_id, environment, bundle_id,
                                            identifier_path, change)
        select organization_id, person_id, 'production', 'org.example.quizzler',
               array['removed of ' || given_name], 1
          from school.person where given_name in ('Sam', 'Sue', 'Otto')
        """,
    ]
}
