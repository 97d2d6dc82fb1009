import Postgres
import TestKit
import Testing

/// What lies in a column whose name or type may stand for a secret.
private enum Kept {
    /// A digest of random bits or a slow hash: what it was made of does not follow from it.
    case hash
    /// Encrypted with a key that is not in the database.
    case sealed
    /// No secret, or what others are told anyway.
    case open
    /// Signs or names in the name of the whole deployment or organization, and is of no use elsewhere. It has to
    /// come back with every backup.
    case ownKey
    /// Of an earlier version: null once a server has sealed it.
    case formerlyPlain
    /// Shown to one person, typed within minutes, and of no use afterwards.
    case shortLived
}

/// Every column that may hold a secret, and how. A new one fails the test until somebody has said what it is: what opens
/// another system is sealed, what proves somebody's identity here is a hash.
@Suite struct SecretColumns {
    private static let columns: [String: Kept] = [
        "access_token.digest": .hash, "activity_assignment.part_digest": .open,
        "activity_part.digest": .open, "audit_cut.digest": .hash,
        "audit_event.address_digest": .hash, "audit_event.address_salt": .open,
        "audit_event.token_id": .open, "audit_seal.digest": .hash,
        "audit_seal.previous_digest": .hash,
        "badge.digest": .hash,
        "authorization_code.challenge": .hash, "authorization_code.digest": .hash,
        "authorization_code.nonce": .open,
        "connected_system.id_token_signed_response_alg": .open,
        "connected_system.secret_digest": .hash,
        "context.publisher_digest": .hash,
        "credential.password_record": .hash, "deployment_key.key_id": .open,
        "deployment_key.public_key": .open, "developer_key.key_id": .open,
        "developer_key.public_key": .open, "device_code.digest": .hash,
        "device_code.user_code": .shortLived, "export.token_id": .open,
        "export_snapshot.seal_digest": .hash, "idempotency_key.body": .open,
        "idempotency_key.key": .open, "idempotency_key.request_digest": .hash,
        "idempotency_key.sight": .open, "import.plan_digest": .hash, "import.token_id": .open,
        "import_archive.bytes": .open, "import_problem.code": .open,
        "location.password_policy": .open, "native_thumbnail.bytes": .open,
        "native_thumbnail.sent_bytes": .open, "person.managed_id_key": .open,
        "person.password_policy": .open, "pseudonym_key.key": .ownKey,
        "refresh_token.digest": .hash, "refresh_token.next_access_digest": .hash,
        "refresh_token.next_digest": .hash, "roster_place.request": .open,
        "roster_place.token": .open,
        "roster_source.key_id": .open,
        "roster_source.sealed_secret": .sealed, "roster_source.token_url": .open,
        "service_account.secret_digest": .hash, "sign_in_device.digest": .hash,
        "sign_in_provider.client_secret": .formerlyPlain, "sign_in_provider.key_id": .open,
        "sign_in_provider.sealed_secret": .sealed, "signing_key.key_id": .open,
        "signing_key.private_key": .ownKey, "signing_key.public_key": .open,
        "statement_receipt.content": .open, "statement_receipt.statement": .open,
        "thumbnail.bytes": .open, "thumbnail_upload.bytes": .open,
        "thumbnail_upload.error_code": .open, "tool.key_set": .open, "tool.key_set_url": .open,
        "tool_launch.digest": .hash, "tool_token_id.digest": .hash,
        "webhook.former_key_id": .open, "webhook.former_secret": .formerlyPlain,
        "webhook.key_id": .open, "webhook.sealed_former_secret": .sealed,
        "webhook.sealed_secret": .sealed, "webhook.secret": .formerlyPlain,
    ]

    private static let suspects: Statement = """
        select c.relname || '.' || a.attname as name, a.atttypid = 'bytea'::regtype as is_bytes
          from pg_attribute as a join pg_class as c on c.oid = a.attrelid
         where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
           and a.attnum > 0 and not a.attisdropped
           and a.atttypid in ('bytea'::regtype, 'text'::regtype, 'json'::regtype, 'jsonb'::regtype)
           and (a.atttypid = 'bytea'::regtype
                or a.attname ~ ('secret|digest|hash|salt|token|password|private|credential|nonce|challenge|verifier'
                                '|cookie|(^|_)(key|code|pin|seed)'))
           and c.relname not in ('migration', 'applied_schema', 'applied_object')
        """

    @Test func `every column that may hold a secret is classified`() async throws {
        try await withSchool { school in
            let found = try school.sql(Self.suspects).map { try $0.text("name") }
            let unknown = Set(found).subtracting(Self.columns.keys).sorted()
            #expect(unknown.isEmpty, "say what these hold")
            let gone = Set(Self.columns.keys).subtracting(found).sorted()
            #expect(gone.isEmpty, "these are no longer there")
        }
    }

    @Test func `a new column with a secret is noticed`() async throws {
        try await withSchool { school in
            try school.sql("alter table school.tool add column api_token text")
            let found = try school.sql(Self.suspects).map { try $0.text("name") }
            try school.sql("alter table school.tool drop column api_token")
            #expect(Set(found).subtracting(Self.columns.keys) == ["tool.api_token"])
        }
    }

    /// What proves who somebody is.
    private static let proofs: Set<String> = [
        "access_token.digest", "authorization_code.digest", "badge.digest",
        "connected_system.secret_digest",
        "credential.password_record", "device_code.digest", "refresh_token.digest",
        "refresh_token.next_access_digest", "refresh_token.next_digest",
        "service_account.secret_digest", "sign_in_device.digest", "tool_launch.digest",
    ]

    @Test
    func `no standing reads a secret, a proof or a key, or writes a secret that is not sealed`()
        async throws
    {
        try await withSchool { school in
            for (name, kept) in Self.columns {
                guard
                    [.sealed, .formerlyPlain, .ownKey].contains(kept) || Self.proofs.contains(name)
                else { continue }
                let parts = name.split(separator: ".").map(String.init)
                let rights = kept == .formerlyPlain ? "select, insert, update" : "select"
                let able = try school.sql(
                    """
                    select r.rolname::text as name from pg_roles as r
                     where (r.rolname = 'school_server' or pg_has_role(r.oid, 'school_standing', 'member'))
                       and r.rolname like 'school%' and r.rolname <> 'school_owner'
                       and has_column_privilege(r.oid, 'school.' || \(parts[0]), \(parts[1]), \(rights))
                    """
                ).map { try $0.text("name") }
                #expect(able.isEmpty, "\(name)")
            }
        }
    }
}
