extension TimeCodeLayout {
    /// Draws a code into a luma plane; pixels outside ``codeWidth`` × ``codeHeight`` are untouched.
    ///
    /// - Parameters:
    ///   - code: What to write.
    ///   - luma: 8-bit luma, top row first.
    ///   - stride: Bytes from one row to the next, at least ``width``.
    /// - Throws: ``TimeCodeError/bufferTooSmall(needed:given:)``.
    public func draw(_ code: TimeCode, into luma: inout MutableSpan<UInt8>, stride: Int) throws(TimeCodeError) {
        try Self.checkBuffer(count: luma.count, width: width, height: height, stride: stride)
        for (row, runs) in cellRuns(of: code).enumerated() {
            for line in row * cellSize..<(row + 1) * cellSize {
                fill(runs, at: line * stride, in: &luma)
            }
        }
    }

    /// Draws a code into an array of luma rows; see ``draw(_:into:stride:)-(_,MutableSpan<UInt8>,_)``.
    public func draw(_ code: TimeCode, into luma: inout [UInt8], stride: Int) throws(TimeCodeError) {
        var span = luma.mutableSpan
        try draw(code, into: &span, stride: stride)
    }

    static func checkBuffer(count: Int, width: Int, height: Int, stride: Int) throws(TimeCodeError) {
        let (body, overflowOfProduct) = stride.multipliedReportingOverflow(by: height - 1)
        let (needed, overflowOfSum) = body.addingReportingOverflow(width)
        guard stride >= width, !overflowOfProduct, !overflowOfSum, count >= needed else {
            throw .bufferTooSmall(needed: overflowOfProduct || overflowOfSum ? .max : needed, given: count)
        }
    }

    /// Neighbouring cells of one colour, so that a pixel row is a handful of fills.
    private struct Run {
        var cells: Int
        let luma: UInt8
    }

    private func cellRuns(of code: TimeCode) -> [[Run]] {
        let margin = [Run(cells: Self.columns, luma: Self.black)]
        return [margin] + ([Self.syncWord] + code.words).map(Self.runs) + [margin]
    }

    private static func runs(of word: UInt16) -> [Run] {
        var runs = [Run(cells: 1, luma: black)]
        for bit in (0..<16).reversed() {
            append(cell: word >> UInt16(bit) & 1 == 1 ? white : black, to: &runs)
        }
        append(cell: black, to: &runs)
        return runs
    }

    private static func append(cell: UInt8, to runs: inout [Run]) {
        if runs[runs.count - 1].luma == cell {
            runs[runs.count - 1].cells += 1
        } else {
            runs.append(Run(cells: 1, luma: cell))
        }
    }

    private func fill(_ runs: [Run], at start: Int, in luma: inout MutableSpan<UInt8>) {
        var x = start
        for run in runs {
            let end = x + run.cells * cellSize
            var target = luma._mutatingExtracting(x..<end)
            target.update(repeating: run.luma)
            x = end
        }
    }
}
