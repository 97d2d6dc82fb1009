import Foundation
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// The database of a release, as it was kept.
struct RestoredRelease {
    let name: String
    let connection: BlockingConnection

    init(_ version: String, in databases: TestDatabase) async throws {
        name = try databases.createEmpty()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "gunzip -c \"$0\" | \"$1\" --exit-on-error --dbname \"$2\"",
            TestDatabase.release(version), try TestDatabase.program("pg_restore"),
            databases.url(name, user: nil),
        ]
        let run = try await Homeroom.finish(process)
        try #require(run.status == 0, "\(run.complaints)")
        connection = try databases.connect(to: name)
    }

    func shape() throws -> String { try EmptyDatabase.shape(connection) }

    /// How many rows each table holds, without the tables of the migrator.
    func counts() throws -> [String: Int] {
        try connection.execute(
            """
            create or replace function pg_temp.row_count(name text) returns bigint language plpgsql as $$
            declare
                found bigint;
            begin
                execute format('select count(*) from school.%I', name) into found;
                return found;
            end $$
            """)
        let rows = try connection.query(
            """
            select relname::text as name, pg_temp.row_count(relname) as count from pg_class
             where relnamespace = 'school'::regnamespace and relkind in ('r', 'p') and not relispartition
               and relname not in ('migration', 'applied_schema', 'applied_object')
            """)
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.text("name"), try $0.int("count")) })
    }

    /// In which file each table lies. It is another one after the table was written anew.
    func files() throws -> [String: Int] {
        let rows = try connection.query(
            """
            select relname::text as name, pg_relation_filenode(oid)::bigint as file from pg_class
             where relnamespace = 'school'::regnamespace and relkind = 'r'
               and relname not in ('migration', 'applied_schema', 'applied_object')
            """)
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.text("name"), try $0.int("file")) })
    }
}
