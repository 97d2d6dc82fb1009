/// The program that `deploy/developer/fuzz` builds with libFuzzer and AddressSanitizer, and runs once for each target.
///
/// A target reads the bytes that libFuzzer generates and checks *properties* of the result; besides, every
/// out-of-bounds read, overflow and trap ends the program. What ends it is a finding: its bytes are kept as a test in
/// the ordinary suite of the module that was wrong.

import Glibc

/// Examines one input, in memory that ends where the input does.
typealias Check = @Sendable (UnsafeRawBufferPointer) -> Void

/// The targets by the names that `deploy/developer/fuzz` knows.
private let targets: [String: Check] = [
    "head": HeadProperties.check,
    "chunked": ChunkedProperties.check,
    "url": TargetProperties.check,
    "forwarded": ForwardedProperties.check,
    "json": JSONProperties.check,
    "csv": CSVProperties.check,
    "token": TokenProperties.check,
    "postgres": PostgresProperties.check,
    "values": ValueProperties.check,
    "zip": ArchiveProperties.check,
    "image": ImageProperties.check,
    "filter": FilterProperties.check,
    "scim": ScimProperties.check,
]

/// The target that `FUZZ_TARGET` names.
private let target: Check = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        fatalError("FUZZ_TARGET must be one of \(targets.keys.sorted().joined(separator: ", "))")
    }
    return target
}()

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// Ends the program unless the property holds; the sentence says what should hold.
func require(
    _ holds: Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) {
    if !holds { fatalError(sentence(), file: file, line: line) }
}
