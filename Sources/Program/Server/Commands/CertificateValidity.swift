import HTTPServer
import Log
import Records
import Values

/// How long the server's certificate is still valid. Tools that renew certificates do so a month before the end, so
/// that three weeks before it something is wrong.
struct CertificateValidity {
    /// Negative once it has expired.
    let secondsLeft: Int

    static let warningDays = 21
    static let errorDays = 3

    /// In words, if it should have been renewed by now.
    var finding: String? {
        guard secondsLeft > 0 else { return "The certificate has expired." }
        let days = secondsLeft / 86_400
        guard days < Self.warningDays else { return nil }
        return "The certificate expires in \(days) day\(days == 1 ? "" : "s")."
    }

    var severity: CheckReport.Severity {
        secondsLeft < Self.errorDays * 86_400 ? .error : .warning
    }
}

extension Settings {
    /// Says that the certificate has expired or soon does, if it should have been renewed by now.
    func sayExpiry(of endpoint: TLSEndpoint?) {
        guard let expiry = endpoint?.expiry else { return }
        let validity = CertificateValidity(
            secondsLeft: expiry - Int(Clock.system.now.milliseconds / 1000))
        guard let finding = validity.finding else { return }
        say(
            "\(finding) Renew it, and run systemctl reload homeroom.",
            validity.severity == .error ? .error : .warning)
    }
}
