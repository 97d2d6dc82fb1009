extension Rows {
    /// Passes the bytes of every value to the body, row by row, with `nil` for null; they are valid during the call.
    /// Equal results have equal bytes.
    ///
    /// - Parameter column: the name of a column that is left out.
    package func forEachValue(
        without column: String, _ body: (UnsafeRawBufferPointer?) -> Void
    ) {
        precondition(columns.contains(column), "the result has no column \(column)")
        let positions = columns.indices.filter { columns[$0] != column }
        for row in 0..<Int32(count) {
            for position in positions { body(bytes(row: row, column: position)) }
        }
    }
}
