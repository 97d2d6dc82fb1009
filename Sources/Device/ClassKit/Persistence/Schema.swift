import Foundation

/// The tables of a store file, and the steps that led to them. `user_version` counts the steps.
enum Schema {
    /// Released steps are never edited: add one.
    static let steps = [first, second]

    /// - context: what the tree is made of. `origin` is 'local' until the server has it, then as the server says.
    ///   `is_doubtful` while the server lists everything anew and has not come to this one.
    /// - thumbnail: apart from contexts, so that reading the tree does not read pictures. Without bytes: it was removed.
    /// - activity: the current attempt at each context, and former ones until they are sent.
    /// - outbox: what has to be sent. `revision` is raised when the thing named by kind and ref changes again.
    /// - quarantine: what the server refused for good, for the developer to look at.
    private static let first = """
        create table context (
            path          text primary key,
            type          integer not null,
            title         text not null,
            display_order integer not null,
            topic         text,
            summary       text,
            custom_type   text,
            is_assignable integer not null,
            age_from      integer not null,
            age_length    integer not null,
            time_from     integer not null,
            time_length   integer not null,
            link          text,
            capabilities  text not null,
            navigation    text not null,
            origin        text not null check (origin in ('local', 'native', 'catalog')),
            has_thumbnail integer not null,
            is_doubtful   integer not null default 0,
            created_at    real not null,
            modified_at   real not null
        );
        create table thumbnail (
            path  text primary key,
            image blob
        );
        create table activity (
            number             integer primary key,
            id                 text not null unique,
            path               text not null,
            former_id          text,
            started_at         text,
            stopped_at         text,
            modified_at        text not null,
            seconds            real not null,
            ranges             text not null,
            items              text not null,
            created_at         real not null,
            runs_in            text,
            is_current         integer not null,
            stamp              text,
            former_modified_at real
        );
        create index activity_current on activity (path) where is_current;
        create table outbox (
            number    integer primary key autoincrement,
            kind      text not null check (kind in ('removal', 'context', 'thumbnail', 'activity', 'completion')),
            ref       text not null,
            revision  integer not null,
            queued_at text not null,
            unique (kind, ref)
        );
        create table quarantine (
            number         integer primary key,
            kind           text not null,
            ref            text not null,
            revision       integer not null,
            problem        text not null,
            quarantined_at real not null
        );
        create table meta (
            name  text primary key,
            value blob not null
        );
        """

    /// - settled: contexts and removals that the server took, and which reading of its changes had begun last. What
    ///   that reading or an earlier one brings of them may be older.
    private static let second = """
        create table settled (
            kind    text not null check (kind in ('removal', 'context')),
            ref     text not null,
            reading integer not null,
            primary key (kind, ref)
        );
        """
}
