import Glibc
import Images

extension Subcommand {
    /// Reads a picture in a separate process (`ImageProcess`).
    static let readImage = Subcommand(
        "read-image", "Reads a picture from standard input and writes a smaller one.",
        operands: ["SIDE"]
    ) { invocation in
        guard let side = Int(invocation.operands[0]), (1...ImageLimits.sideMax).contains(side)
        else { throw UsageError(description: "SIDE should be a number of pixels.") }
        exit(ImageReader.run(side: side))
    }
}
