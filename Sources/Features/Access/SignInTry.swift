import API
import School

/// The body of a sign-in with a password, and where it came from.
struct SignInTry: Sendable {
    let managedID: String
    let password: String
    let app: String?
    let environment: String
    let browser: Browser?
    let device: DeviceSecret
    let address: String

    /// Who signs in with a page sees how long it takes.
    var patience: Patience { browser == nil ? .call : .page }

    /// The managed ID as limits and the database compare it.
    var account: String { managedID.lowercased() }

    init(_ body: Fields, from address: String) throws {
        browser = body.fields("browser").map { Browser($0) }
        app = body.text("bundleId")
        if browser != nil, body.has("bundleId") { throw Problem.browserIsNoApp }
        if app?.isNameOfTool == true { throw Problem.nameOfTool("/bundleId") }
        managedID = body.text("managedId") ?? ""
        password = body.text("password") ?? ""
        environment = body.text("environment") ?? Environment.production.rawValue
        let account = managedID.lowercased()
        device =
            browser?.secret.map { DeviceSecret(ofBrowser: $0, account: account) }
            ?? DeviceSecret(sent: body.text("deviceToken"))
        self.address = address
    }
}
