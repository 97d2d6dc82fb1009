/// In what an app learns about its person: found by twins.
extension LeakTable {
    static let ofTwins: [Leak] = contextsByRole + uploadsByAssignment

    /// What an app saves is kept, found, removed and forgotten depending on a role.
    private static let contextsByRole: [Leak] = [
        .function(
            "save_native_contexts", without: "p.is_known or p.place",
            but: """
                p.is_known and \(teaches("my_organization()", "my_person()"))
                    or not p.is_known and p.place
                """),
        .function(
            "save_native_contexts", without: "p.place <= 2000 and p.nth <= room",
            but: "\(teaches("my_organization()", "my_person()")) and p.nth <= room"),
        .function(
            "contexts_of_app", without: "n.person_id = my_person() and n.deleted_at is null",
            but: "n.person_id = my_person() and \(teaches("n.organization_id", "n.person_id"))"),
        .function(
            "remove_native_contexts", without: "and (not native_context_is_given(c.organization_id",
            but: """
                and \(teaches("c.organization_id", "c.person_id")) and (not native_context_is_given(c.organization_id
                """),
        .function(
            "forget_native_contexts", without: "c.kind = 'native' and",
            but: "c.kind = 'native' and \(teaches("c.organization_id", "c.person_id")) and"),
        .function(
            "changed_contexts", without: "c.change > p_own",
            but: "c.change > p_own and \(teaches("c.organization_id", "c.person_id"))"),
        // Assignments may not change what an app finds of its own.
        .function(
            "contexts_of_app", without: "n.kind = 'native' and n.person_id = my_person()",
            but: """
                n.kind = 'native' and n.person_id = my_person()
                  and not exists (select from handout_recipient where person_id = my_person())
                """),
    ]

    /// Whether a person is a teacher, or a member of staff.
    private static func teaches(_ organization: String, _ person: String) -> String {
        """
        exists (select from person_role as role_of_twin
                 where role_of_twin.organization_id = \(organization) and role_of_twin.person_id = \(person)
                   and role_of_twin.role in ('teacher', 'staff'))
        """
    }

    /// The call of an upload does more if something is assigned: it fails on a figure, or takes longer.
    private static let uploadsByAssignment: [Leak] = [
        .function(
            "take_upload", without: "begin\n",
            but: """
                begin
                    perform extract(epoch from created_at)::double precision * 1e300 from handout_recipient
                      where organization_id = my_organization() and person_id = my_person();

                """),
        .function(
            "take_upload", without: "begin\n",
            but: """
                begin
                    update handout_recipient set created_at = created_at
                     where organization_id = my_organization() and person_id = my_person();

                """),
    ]
}
