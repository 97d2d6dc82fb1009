import Glibc

/// Seeds for tests that draw their cases: `@Test(arguments: seeds(0..<200))`.
///
/// Swift Testing names the seed of a case that failed. `SEED=17 deploy/test --filter NAME` tries as many, beginning
/// with that one.
package func seeds(_ usual: Range<UInt64>) -> Range<UInt64> {
    guard let first = chosenSeed else { return usual }
    return first..<first + UInt64(usual.count)
}

/// `SEED` of the environment.
package let chosenSeed: UInt64? = getenv("SEED").flatMap { UInt64(String(cString: $0)) }
