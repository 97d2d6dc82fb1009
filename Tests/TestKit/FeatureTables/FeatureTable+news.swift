import Postgres
import School

extension FeatureTable {
    /// How far teachers have looked at what is new. Its calls are in the tables of the call matrix and the privacy
    /// proof, because news say what students did.
    static let news = FeatureTable(
        calls: "",
        population: [
            """
            insert into school.news_seen (organization_id, person_id, seen_at)
            select p.organization_id, p.person_id, now() - interval '1 day'
              from school.person as p
             where p.person_id in (test.id('tom'), test.id('tess'), test.id('otto'))
            """
        ],
        policies: [
            PolicyRow(
                "news_seen", "select test.called(person_id) as label from school.news_seen",
                hillside: ["tom", "tess"], elsewhere: ["otto"],
                seenBy: [[.teacher]: .only(["tom"])])
        ],
        rights: [WriteRight("news_seen", [.teacher], "insert update(seen_at)")],
        writes: [
            WriteCase(.teacher, "looks further", look("tom"), is: .done),
            WriteCase(.teacher, "looks for a colleague", look("tess"), is: .nothing),
            WriteCase(.teacher, "begins to look for a colleague", begin("cora"), is: .refused),
            WriteCase(.student, "begins to look", begin("sam"), is: .refused),
            WriteCase(.administrator, "begins to look", begin("ada"), is: .refused),
        ])

    private static func look(_ name: String) -> Statement {
        "update school.news_seen set seen_at = now() where person_id = test.id(\(name))"
    }

    private static func begin(_ name: String) -> Statement {
        """
        insert into school.news_seen (organization_id, person_id, seen_at)
        values (test.id('Hillside'), test.id(\(name)), now())
        """
    }
}
