import TimeCode

@testable import CapctlCommands

/// Pixels that may hold a time code, and the PGM files that `capctl timecode` takes.
enum TimeCodeFuzz {
    static func run(_ bytes: [UInt8]) throws {
        if let map = PortableGrayMap(bytes) {
            try FuzzFinding.unless(map.luma.count == map.width * map.height, "a PGM has another size than it says")
            _ = try? TimeCode.decode(luma: map.luma.span, width: map.width, height: map.height, stride: map.width)
        }
        var input = FuzzInput(bytes)
        let (width, height) = (Int(input.number(Int16.self)), Int(input.number(Int16.self)))
        let stride = width + Int(input.number(Int8.self))
        let luma = input.remainder
        _ = try? TimeCode.decode(luma: luma.span, width: width, height: height, stride: stride)
        try spoil(bytes)
    }

    /// Draws a code, spoils the cells the input names, and reads: a code that comes out must be the one that was drawn
    /// where no more than three cells were spoiled.
    private static func spoil(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let code = TimeCode(
            realtimeNanoseconds: input.number(), frameNumber: input.number(), cameraNumber: input.number())
        let layout = try TimeCodeLayout(width: 160, height: 90)
        var luma = [UInt8](repeating: 128, count: 160 * 90)
        try layout.draw(code, into: &luma, stride: 160)
        for _ in 0..<Int(input.number(UInt8.self) % 4) {
            let (column, row) = (1 + Int(input.number(UInt8.self) % 16), 2 + Int(input.number(UInt8.self) % 8))
            let value = input.number(UInt8.self)
            let side = layout.cellSize
            for line in row * side..<(row + 1) * side {
                for pixel in column * side..<(column + 1) * side { luma[line * 160 + pixel] = value }
            }
        }
        guard let read = try? TimeCode.decode(luma: luma.span, width: 160, height: 90, stride: 160) else { return }
        try FuzzFinding.unless(read == code, "\(code) is read as \(read)")
    }
}
