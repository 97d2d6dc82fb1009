import Postgres
import Values

/// The time of a school's database, which a test sets (`TestSchool.setMoment`).
///
/// In the template, the two functions that look at the clock and the defaults of columns add how far this time is ahead
/// of real time. A sequence keeps that number, since an expression can read one without a query: so the functions are
/// inlined as those of the program are, and plans stay the same. A new number holds at once for all connections.
enum TestMoment {
    static func install(in connection: BlockingConnection) throws {
        try connection.transaction {
            for command in clock + [replacing, known] { try connection.execute(command) }
        }
    }

    /// Puts back what the program has.
    static func remove(from connection: BlockingConnection) throws {
        try connection.transaction {
            for command in [puttingBack, known] { try connection.execute(command) }
            try connection.execute("drop schema test_clock cascade")
        }
    }

    private static let clock: [Command] = [
        "create schema test_clock",
        "grant usage on schema test_clock to public",
        "create sequence test_clock.ahead minvalue -9223372036854775807 start 0",
        "grant select on test_clock.ahead to public",
        // PostgreSQL's own function, as one that does not change within a statement.
        """
        create function test_clock.last_value(regclass) returns bigint
            language internal stable strict parallel safe as 'pg_sequence_last_value'
        """,
        """
        create function test_clock.now() returns timestamptz language sql stable parallel safe
            return now() + test_clock.last_value('test_clock.ahead') * interval '1 millisecond'
        """,
        """
        create function test_clock.clock_timestamp() returns timestamptz language sql volatile parallel safe
            return clock_timestamp() + test_clock.last_value('test_clock.ahead') * interval '1 millisecond'
        """,
        "create table test_clock.former (command text not null)",
    ]

    /// Lets functions and defaults use this clock, and notes what they were.
    private static let replacing: Command = """
        do $$
        declare
            former text;
        begin
            perform setval('test_clock.ahead', 0);
            for former in
                select pg_get_functiondef(oid) from pg_proc
                 where oid in ('school.moment()'::regprocedure, 'school.latest_moment()'::regprocedure)
                union all
                select format('alter table %s alter %I set default %s', c.oid::regclass, a.attname,
                              pg_get_expr(d.adbin, d.adrelid))
                  from pg_attrdef as d join pg_class as c on c.oid = d.adrelid
                  join pg_attribute as a on a.attrelid = c.oid and a.attnum = d.adnum
                 where c.relnamespace = 'school'::regnamespace and pg_get_expr(d.adbin, d.adrelid) ~ 'now\\(\\)'
            loop
                insert into test_clock.former values (former);
                execute regexp_replace(former, '(now|clock_timestamp)\\(\\)', 'test_clock.\\1()', 'g');
            end loop;
        end $$
        """

    private static let puttingBack: Command = """
        do $$
        declare
            former text;
        begin
            for former in select command from test_clock.former loop
                execute former;
            end loop;
        end $$
        """

    /// A migration leaves the functions as they are now.
    private static let known: Command = """
        update school.applied_object as o set fingerprint = md5(pg_get_functiondef(p.oid))
          from pg_proc as p
         where p.oid in ('school.moment()'::regprocedure, 'school.latest_moment()'::regprocedure)
           and o.kind = 'function' and o.name = p.proname
        """
}

extension TestSchool {
    /// Sets how far the time of service and database is ahead of real time; less than zero puts it back. Statements of
    /// tests that ask `now()` still get real time.
    package func setMoment(ahead: Duration) throws {
        try setMoment(millisecondsAhead: Int64((ahead / .milliseconds(1)).rounded()))
    }

    /// Sets the time of service and database, which goes on from there.
    package func setMoment(to moment: Timestamp) throws {
        try setMoment(millisecondsAhead: moment.milliseconds - Clock.system.now.milliseconds)
    }

    private func setMoment(millisecondsAhead milliseconds: Int64) throws {
        try sql("select setval('test_clock.ahead', \(milliseconds))")
        time.ahead = milliseconds
    }

    /// Gives the database the functions and defaults of the program again; its time cannot be set any more.
    package func removeClock() throws {
        try TestMoment.remove(from: BlockingConnection(ownerURL))
    }
}
