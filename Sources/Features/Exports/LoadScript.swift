import School

/// `load.sql`: loads a folder into the receiver's PostgreSQL, with `psql` run in the folder. Loading twice, or an
/// older folder before a newer one, ends in the same state. A folder that continues one that was not loaded is refused.
struct LoadScript {
    static let name = "load.sql"

    let organizationID: OrganizationID
    /// Whether the folder contains everything and so replaces all earlier rows of the organization.
    let isFull: Bool

    var text: String {
        """
        -- Loads this folder: psql --dbname … --file load.sql, in the folder, with gunzip at hand.
        -- Load the folders of an organization in the order of their dates.

        \\set ON_ERROR_STOP on
        begin;

        """
            + DataSet.all.map(table).joined() + Self.state
            + (isFull ? DataSet.all.map(emptying).joined() : refusal)
            + copy(.deletions)
            + DataSet.all.flatMap { set in set.removals.map { removal(of: set, $0) } }.joined()
            + DataSet.all.filter { $0.name != DataSet.deletions.name }.map(copy).joined()
            + noting + "\n\ncommit;\n"
    }

    /// What was loaded last, of each organization.
    private static let state = """

        create table if not exists loaded_export (
            organization_id uuid        primary key,
            snapshot_at     timestamptz not null
        );
        \\set manifest `cat manifest.json`

        """

    /// A receiver that loaded folders before this table existed has handouts, and is not refused.
    private var refusal: String {
        """

        select not exists (select from loaded_export
                            where organization_id = '\(organizationID.uuid)'
                              and snapshot_at >= (:'manifest'::json ->> 'since')::timestamptz)
               and (exists (select from loaded_export where organization_id = '\(organizationID.uuid)')
                    or not exists (select from handouts where organization_id = '\(organizationID.uuid)')) as is_gap \\gset
        \\if :is_gap
        do $$
        begin
            raise exception 'This folder holds changes, and what came before was not loaded.'
                using hint = 'Load the folders before it in the order of their dates, or a full one.';
        end $$;
        \\endif
        """
    }

    private var noting: String {
        """


        insert into loaded_export
        values ('\(organizationID.uuid)', (:'manifest'::json ->> 'snapshotAt')::timestamptz)
            on conflict (organization_id) do update set snapshot_at = excluded.snapshot_at;
        """
    }

    private func table(_ set: DataSet) -> String {
        let width = set.columns.map(\.name.count).max() ?? 0
        let columns = set.columns.map { column in
            let padding = String(repeating: " ", count: width - column.name.count)
            return "    \(column.name)\(padding) \(column.kind.sqlType)"
                + (column.isRequired ? " not null" : "") + ",\n"
        }
        return """

            create table if not exists \(set.name) (
            \(columns.joined())    primary key (\(set.key.joined(separator: ", ")))
            );

            """
    }

    private func emptying(_ set: DataSet) -> String {
        "\ndelete from \(set.name) where organization_id = '\(organizationID.uuid)';"
    }

    /// Copies into a temporary table first, since the rows may already exist.
    private func copy(_ set: DataSet) -> String {
        let same = set.key.map { "old.\($0) = new.\($0)" }.joined(separator: " and ")
        return """


            create temporary table new_\(set.name) (like \(set.name)) on commit drop;
            \\copy new_\(set.name) from program 'gunzip -c \(set.name).csv.gz' with (format csv, header)
            delete from \(set.name) as old using new_\(set.name) as new where \(same);
            insert into \(set.name) (\(set.columns.map(\.name).joined(separator: ", ")))
            select \(set.columns.map(value).joined(separator: ", "))
              from new_\(set.name);
            """
    }

    /// The column's original value, before the file made it harmless for spreadsheets.
    private func value(_ column: DataColumn) -> String {
        guard column.kind == .text else { return column.name }
        return "regexp_replace(\(column.name), '^''(''*[-=+@\\t\\r\\n])', '\\1')"
    }

    private func removal(of set: DataSet, _ removal: DataSet.Removal) -> String {
        let subject = removal.subject.map { " and old.\($0) = gone.subject_id" } ?? ""
        let person = removal.person.map { " and old.\($0) = gone.person_id" } ?? ""
        return """

            delete from \(set.name) as old using new_deletions as gone
             where old.organization_id = gone.organization_id and gone.kind = '\(removal.kind)'\(subject)\(person);
            """
    }
}
