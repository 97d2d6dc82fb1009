import Crypto
import HTTPClient
import JSONBytes
import School
import Values

/// The keys of tools, which they publish or which an administrator gave.
enum ToolKeySets {
    /// Why the keys are not known; the sentence is for the developer of the tool.
    struct Failure: Error, Sendable {
        var isBusy = false
        let detail: String
    }

    /// Those that tools publish, by place.
    static func published(
        askedThrough client: any OutgoingCalls, clock: Clock
    ) -> PublishedKeys<KeySet> {
        PublishedKeys(
            clock: clock, isFailing: { ($0 as? Failure)?.isBusy == false },
            ask: { try await ask($0, through: client) })
    }

    /// The keys in a document; `nil` unless there is one that can verify.
    static func parse(_ bytes: [UInt8]) -> KeySet? {
        guard let document = try? JSONValue(parsing: bytes), let keys = KeySet(document),
            keys.count > 0
        else { return nil }
        return keys
    }

    /// By what keys are known: an address, and whose tool publishes them there. So no organization waits for what
    /// another asks, or learns from it.
    static func place(_ address: String, of organization: UUID) -> String {
        "\(organization) \(address)"
    }

    private static func ask(
        _ place: String, through client: any OutgoingCalls
    ) async throws -> KeySet {
        let parts = place.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let address = WebAddress(parts[1]) else {
            throw Failure(detail: "The keySetUrl cannot be used.")
        }
        let answer: OutgoingAnswer
        do {
            answer = try await client.send(
                OutgoingRequest(
                    address, headers: [("Accept", "application/json")], party: parts[0]))
        } catch OutgoingFailure.foreignPlace {
            throw Failure(
                detail: "The keySetUrl leads to an address inside a network or on this machine. "
                    + "The operator can allow that with HOMEROOM_LOCAL_TOOLS.")
        } catch let failure as OutgoingFailure {
            throw Failure(isBusy: failure == .busy, detail: "The keySetUrl: \(failure)")
        }
        guard answer.status == 200 else {
            throw Failure(detail: "The keySetUrl answers \(answer.status).")
        }
        guard let keys = parse(answer.body) else {
            throw Failure(
                detail: "The keySetUrl answers no JSON Web Key Set with a key for RS256 or ES256.")
        }
        return keys
    }
}
