import Crypto
import Postgres
import TestKit
import Testing
import Values

@testable import School

/// Whose allowance the requests of a caller are taken from.
@Suite struct AllowanceOwners {
    @Test func `all tokens of a person have one, and every person an own one`() {
        func owner(_ persona: Persona, _ standing: Standing) -> AllowanceOwner {
            .init(
                Caller(
                    organizationID: TestIDs.hillside, personID: persona.personID,
                    standings: [standing]))
        }
        #expect(owner(.tom, .teacher) == owner(.tom, .app))
        #expect(owner(.tom, .teacher) != owner(.sam, .teacher))
    }

    @Test func `a service account has one, and services without account one a standing`() {
        func owner(_ standing: Standing, _ account: ServiceAccountID? = nil) -> AllowanceOwner {
            .init(
                Caller(
                    organizationID: TestIDs.hillside, personID: nil, serviceAccountID: account,
                    standings: [standing]))
        }
        let account = ServiceAccountID(.v7())
        #expect(owner(.provisioner) == owner(.provisioner))
        #expect(owner(.provisioner) != owner(.exporter))
        #expect(owner(.exporter, account) == owner(.exporter, account))
        #expect(owner(.exporter, account) != owner(.exporter, ServiceAccountID(.v7())))
        #expect(owner(.exporter, account) != owner(.exporter))
    }

    @Test func `in the lanes, services without account are a subject for each standing`() {
        func subject(_ standing: Standing) -> UUID? {
            Caller(organizationID: TestIDs.hillside, personID: nil, standings: [standing]).party
                .subject
        }
        #expect(subject(.provisioner) != nil)
        #expect(subject(.provisioner) == subject(.provisioner))
        #expect(subject(.provisioner) != subject(.exporter))
    }
}
