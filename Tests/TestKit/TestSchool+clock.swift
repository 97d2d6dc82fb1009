import Postgres
import Values

/// What plants a clock that has proven right: servers looked at it, ran for a day, and what is due now may be removed.
package enum ProvenClock {
    package static let statements: [Statement] = [
        "delete from school.clock_look", "delete from school.clock",
        """
        insert into school.clock (looked_at, running_milliseconds) values (school.moment(), 86400000)
        """,
        """
        insert into school.clock_look (running_milliseconds, looked_at)
        values (0, school.moment()), (86400000, school.moment())
        """,
    ]
}

extension TestSchool {
    /// Lets the clock of the database prove right, so that what is due now may be removed: as if a server had looked at
    /// it now, had run for a day, and had looked again, and that day were taken back.
    package func letClockProveRight() throws {
        let ahead = time.ahead
        try sql("delete from school.clock_look")
        try sql("delete from school.clock")
        try sql("insert into school.clock (looked_at) values (school.moment())")
        try lookAtClock()
        try setMoment(ahead: .milliseconds(ahead) + .seconds(86_400))
        try lookAtClock(after: .seconds(86_400))
        try setMoment(ahead: .milliseconds(ahead))
        try sql("update school.clock set looked_at = school.moment()")
    }

    /// Removes what nobody can ask for any more, as upkeep does when the clock has proven right; says whether there may be
    /// more.
    @discardableResult
    package func removeOutdated() throws -> Bool {
        try letClockProveRight()
        return try sql("select school.remove_outdated() as is_more")[0].bool("is_more")
    }

    /// Looks at the clock as the upkeep of a server does; says whether it has jumped.
    ///
    /// - Parameter measured: what the server has measured since its last look.
    @discardableResult
    package func lookAtClock(after measured: Duration = .zero) throws -> Bool {
        try sql(
            "select school.look_at_clock(\(Int64((measured / .milliseconds(1)).rounded()))) as has_jumped"
        )[
            0
        ].bool("has_jumped")
    }
}
