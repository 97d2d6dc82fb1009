/// A decoded picture: red, green, blue and alpha of each pixel, row by row, alpha not premultiplied.
struct Pixels: Sendable, Equatable {
    let width: Int
    let height: Int
    var bytes: [UInt8]

    /// The same picture reduced so that no side is longer than that. Each new pixel is the average of those
    /// that it covers, weighted by their alpha. A picture that is small enough stays as it is.
    func reduced(toSide side: Int) -> Pixels {
        let longest = max(width, height)
        guard longest > side else { return self }
        let newWidth = max(1, (width * side + longest / 2) / longest)
        let newHeight = max(1, (height * side + longest / 2) / longest)
        let narrow = weightedRows(columns: Self.spans(from: width, to: newWidth))
        return Pixels(
            width: newWidth, height: newHeight,
            bytes: Self.averaged(
                narrow, rowLength: newWidth * 4, rows: Self.spans(from: height, to: newHeight)))
    }

    /// The old rows or columns that a new one covers: the first of them, and the weight of each.
    private struct Span {
        let first: Int
        let shares: [Float]
    }

    private static func spans(from count: Int, to newCount: Int) -> [Span] {
        let ratio = Float(count) / Float(newCount)
        return (0..<newCount).map { index in
            let start = Float(index) * ratio
            let end = min(Float(count), start + ratio)
            let covered = Int(start)..<max(Int(start) + 1, min(count, Int(end.rounded(.up))))
            return Span(
                first: covered.lowerBound,
                shares: covered.map { old in
                    max(0, min(end, Float(old + 1)) - max(start, Float(old))) / ratio
                })
        }
    }

    /// All rows with their columns averaged, alpha premultiplied.
    private func weightedRows(columns: [Span]) -> [Float] {
        var result = [Float](repeating: 0, count: columns.count * height * 4)
        bytes.withUnsafeBufferPointer { bytes in
            result.withUnsafeMutableBufferPointer { result in
                var to = 0
                for row in 0..<height {
                    for span in columns {
                        var from = (row * width + span.first) * 4
                        for share in span.shares {
                            let weight = Float(bytes[from + 3]) * share
                            result[to] += Float(bytes[from]) * weight
                            result[to + 1] += Float(bytes[from + 1]) * weight
                            result[to + 2] += Float(bytes[from + 2]) * weight
                            result[to + 3] += weight
                            from += 4
                        }
                        to += 4
                    }
                }
            }
        }
        return result
    }

    /// Averages the rows and undoes the multiplication by alpha.
    private static func averaged(_ values: [Float], rowLength: Int, rows: [Span]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: rowLength * rows.count)
        var sums = [Float](repeating: 0, count: rowLength)
        for (row, span) in rows.enumerated() {
            for index in 0..<rowLength { sums[index] = 0 }
            for (offset, share) in span.shares.enumerated() {
                let from = (span.first + offset) * rowLength
                for index in 0..<rowLength { sums[index] += values[from + index] * share }
            }
            for pixel in stride(from: 0, to: rowLength, by: 4) where sums[pixel + 3] > 0 {
                let alpha = sums[pixel + 3]
                let to = row * rowLength + pixel
                for channel in 0..<3 { bytes[to + channel] = byte(sums[pixel + channel] / alpha) }
                bytes[to + 3] = byte(alpha)
            }
        }
        return bytes
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
}
