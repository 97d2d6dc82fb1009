import Crypto

extension PasswordCost {
    /// For tests that are not about the cost: sign-ins take no time.
    package static let ofTests = PasswordCost.scrypt(.ofTests)
}

extension Scrypt.Cost {
    /// The same for records that tests make.
    package static let ofTests: Scrypt.Cost = {
        guard let cost = Scrypt.Cost("ln=4,r=8,p=1") else { fatalError("not a cost of scrypt") }
        return cost
    }()
}
