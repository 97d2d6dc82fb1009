import Cluster
import Exports
import Files
import Postgres

extension Doctor {
    /// Compares the audit trails with what left the database: the ledger of the backups and the manifests of the newest
    /// exports. Then gives where they end now to the operator's witness.
    ///
    /// A restore compares by itself, and may go back behind them on purpose.
    func look(
        atTrails connection: BlockingConnection, _ plan: BackupPlan?,
        _ diagnosis: inout Diagnosis
    ) throws {
        guard !isRestored else { return }
        // A folder that is away is another check's affair.
        if let plan, let ledger = try? BackupLedger(in: plan.folder) {
            try NotedSeal.look(
                at: ledger.seals, kept: "\(plan.folder)/\(BackupLedger.name)", as: "ledger_seals",
                connection, &diagnosis)
        }
        let folder = exports ?? settings.dataFolder + "/exports"
        if Folder.exists(folder) {
            try NotedSeal.look(
                at: ExportedSeals.newest(in: folder), kept: "the manifests of \(folder)",
                as: "export_seals", connection, &diagnosis)
        }
        if organizationID == nil, let command = settings.sealHook {
            diagnosis.note(
                "seal_hook", SealHook(command: command).run(try SealedTrail.heads(connection)),
                advice: "The witness elsewhere has no new seals. Run HOMEROOM_SEAL_HOOK by hand.")
        }
    }
}
