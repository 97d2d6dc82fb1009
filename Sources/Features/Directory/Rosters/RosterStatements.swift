import JSONBytes
import Postgres
import School
import Values

extension Statement {
    static func classVersion(
        _ reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select c.class_id as "id", c.version from school.class as c
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
        """
    }

    /// The people with the role in the class now, or in an archived class, at the time it was archived.
    ///
    /// - Parameter day: instead, the people who had the role at any time of that day, in the time zone of the class.
    static func roster(
        of reference: Reference<ClassEntity>, _ role: SeatRole, on day: Day?,
        of organization: OrganizationID, after: NamePosition?, limit: Int
    ) -> Statement {
        let seated: Statement = """
            and person.person_id in (
                select s.person_id
                  from school.class as c
                 cross join lateral (\(fragment: span(of: day))) as w
                  join school.seat as s
                    on s.organization_id = c.organization_id and s.class_id = c.class_id
                 where c.organization_id = \(organization) and \(fragment: reference.names("c"))
                   and s.role = \(role.rawValue)
                   and s.joined_at <= least(w.until, c.archived_at)
                   and (s.left_at is null
                        or s.left_at > greatest(s.joined_at, least(w.since, c.archived_at))))
            """
        return peopleByName(of: organization, [seated], after: after, limit: limit)
    }

    /// The first and the last millisecond of a day in the time zone of class `c`; without a day, now.
    private static func span(of day: Day?) -> Statement {
        guard let day else { return "select school.moment() as since, school.moment() as until" }
        return """
            select \(day)::timestamp at time zone z.zone as since,
                   ((\(day) + 1)::timestamp at time zone z.zone) - interval '1 millisecond' as until
              from (select school.day_zone(c.class_id) as zone offset 0) as z
            """
    }

    /// The ids on the roster, with the version of the class.
    static func personIDs(
        in id: ClassID, _ role: SeatRole, of organization: OrganizationID
    ) -> Statement {
        """
        select array(select s.person_id from school.seat as s
                      where s.organization_id = c.organization_id and s.class_id = c.class_id
                        and s.role = \(role.rawValue) and school.is_seated(s)
                      order by s.person_id) as "personIds",
               c.version
          from school.class as c
         where c.organization_id = \(organization) and c.class_id = \(id)
        """
    }

    /// Which rosters would be larger than a class may be: `place`, `role`, `most` and `wanted`.
    static func crowdedRosters(_ rosters: [WantedRoster]) -> Statement {
        "select place, role, most, wanted from school.crowded_rosters(\(rosters.document))"
    }

    /// Replaces rosters, and returns the ids of the classes that someone left or joined.
    static func replaceRosters(_ rosters: [WantedRoster]) -> Statement {
        "select school.replace_rosters(\(rosters.document)) as id"
    }

    static func endSeat(of person: PersonID, in id: ClassID, _ role: SeatRole) -> Statement {
        "select school.end_seat(\(id), \(role.rawValue), \(person)) as has_ended"
    }

    /// The id of a person.
    static func id(
        of reference: Reference<PersonEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id as "id" from school.person as p
         where p.organization_id = \(organization) and \(fragment: reference.names("p"))
        """
    }
}

/// The wanted people of a class in a role, as the database reads it.
struct WantedRoster {
    /// The index of the item that it was sent in, for error messages.
    let position: Int
    let id: UUID?
    /// Names a class that may not exist yet.
    let sourceID: String?
    let role: SeatRole
    let people: Set<UUID>

    /// The same for an existing class.
    func of(_ id: UUID) -> WantedRoster {
        WantedRoster(position: position, id: id, sourceID: nil, role: role, people: people)
    }

    /// Keys are column names.
    fileprivate var row: JSONValue {
        [
            "place": .number(JSONNumber(Int64(position))),
            "class_id": id.map { .text($0.description) } ?? .null,
            "source_id": sourceID.map(JSONValue.text) ?? .null, "role": .text(role.rawValue),
            "person_ids": .array(people.map { .text($0.description) }),
        ]
    }
}

extension [WantedRoster] {
    fileprivate var document: JSONDocument { JSONDocument(JSONValue.array(map(\.row)).bytes) }
}
