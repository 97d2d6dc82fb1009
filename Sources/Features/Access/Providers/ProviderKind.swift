import JSONBytes

/// Whose system a sign-in provider is.
enum ProviderKind: String, CaseIterable, Sendable {
    case google, microsoft, other

    /// The issuer, where it is known.
    func issuer(tenant: String?) -> String? {
        switch self {
        case .google: "https://accounts.google.com"
        case .microsoft: tenant.map { "https://login.microsoftonline.com/\($0)/v2.0" }
        case .other: nil
        }
    }

    /// What people are asked by the provider: with which of several accounts they sign in, because the last person at
    /// a device may still be signed in there.
    var prompt: String? { self == .other ? nil : "select_account" }

    /// The address that the provider has verified; `nil` if it has not.
    ///
    /// Microsoft verifies no `email`, which a directory may set to anything. But the domain of a name with which people
    /// sign in is proven by the directory, which is the school's own (`tid`). A guest of the directory signs in
    /// elsewhere (`idp`), with a name that proves nothing here.
    func verifiedAddress(_ claims: JSONObject, tenant: String?) -> String? {
        let isVerified = claims["email_verified"] == true || claims["email_verified"] == "true"
        let address: String?
        switch self {
        case .google, .other: address = isVerified ? claims["email"]?.text : nil
        case .microsoft:
            guard claims["tid"]?.text == tenant, tenant != nil,
                claims["idp"].map({ $0 == claims["iss"] }) ?? true
            else { return nil }
            address = claims["preferred_username"]?.text
        }
        guard let address, address.utf8.count <= 320,
            address.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
        else { return nil }
        return address
    }
}
