/// Reads the cells of a code of known cell size. The caller has checked that the grid is within the buffer.
struct CellReader {
    let cellSize: Int
    let stride: Int

    /// A smaller cell has no distinct center.
    static let smallestCell = 2

    /// The least difference between white and black, in luma steps, at which cells can be distinguished after JPEG.
    private static let leastContrast = 32

    func read(_ luma: Span<UInt8>) throws(TimeCodeError) -> TimeCode {
        let threshold = try threshold(luma)
        var words: [UInt16] = []
        for row in 0..<8 {
            words.append(try word(luma, row: row, threshold))
        }
        return try TimeCode(words: words)
    }

    /// The middle between the known black and white cells, and the distance from it that a readable cell must exceed.
    private struct Threshold {
        let middle: Int
        let doubt: Int
    }

    private func threshold(_ luma: Span<UInt8>) throws(TimeCodeError) -> Threshold {
        let cells = (0..<16).map { mean(luma, row: 1, column: 1 + $0) }
        let isWhite = (0..<16).map { TimeCodeLayout.syncWord >> UInt16(15 - $0) & 1 == 1 }
        let white = zip(cells, isWhite).filter { $0.1 }.reduce(0) { $0 + $1.0 } / 8
        let black = zip(cells, isWhite).filter { !$0.1 }.reduce(0) { $0 + $1.0 } / 8
        guard white - black >= Self.leastContrast else { throw .noCode }
        let middle = (white + black) / 2
        guard zip(cells, isWhite).allSatisfy({ ($0 > middle) == $1 }) else { throw .noCode }
        return Threshold(middle: middle, doubt: (white - black) / 8)
    }

    private func word(_ luma: Span<UInt8>, row: Int, _ threshold: Threshold) throws(TimeCodeError) -> UInt16 {
        var word: UInt16 = 0
        for column in 0..<16 {
            let distance = mean(luma, row: 2 + row, column: 1 + column) - threshold.middle
            guard abs(distance) > threshold.doubt else { throw .unreadableCell(row: row, column: column) }
            word = word << 1 | (distance > 0 ? 1 : 0)
        }
        return word
    }

    /// Returns the average of the cell's central half, which ringing from neighboring cells hardly reaches.
    private func mean(_ luma: Span<UInt8>, row: Int, column: Int) -> Int {
        let inset = cellSize / 4
        let side = cellSize - 2 * inset
        // Eight samples per side are sufficient; large cells are read in steps.
        let step = max(1, side / 8)
        var (sum, count) = (0, 0)
        for y in Swift.stride(from: inset, to: inset + side, by: step) {
            let line = (row * cellSize + y) * stride + column * cellSize
            for x in Swift.stride(from: inset, to: inset + side, by: step) {
                sum += Int(luma[line + x])
                count += 1
            }
        }
        return sum / count
    }
}

/// CRC-16/CCITT-FALSE, called CRC-16/IBM-3740 in the CRC catalogue: polynomial 0x1021, initial value 0xFFFF, bits not
/// reflected, no final exclusive-or. Its check value, the CRC of the ASCII bytes `123456789`, is 0x29B1.
enum CRC16 {
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var remainder: UInt16 = 0xFFFF
        for byte in bytes {
            remainder ^= UInt16(byte) << 8
            for _ in 0..<8 {
                let carry = remainder & 0x8000 != 0
                remainder <<= 1
                if carry { remainder ^= 0x1021 }
            }
        }
        return remainder
    }
}

/// The content of the code that a virtual camera draws into a frame: when, and by which camera, it was exposed.
public struct TimeCode: Hashable, Sendable {
    /// Mid-exposure in nanoseconds of `CLOCK_REALTIME` (since 1970-01-01 UTC, leap seconds not counted).
    public var realtimeNanoseconds: Int64
    /// The camera's count of exposed frames; a gap means that frames were lost after exposure.
    public var frameNumber: UInt32
    /// The camera's number in its rig.
    public var cameraNumber: UInt16

    public init(realtimeNanoseconds: Int64, frameNumber: UInt32, cameraNumber: UInt16) {
        self.realtimeNanoseconds = realtimeNanoseconds
        self.frameNumber = frameNumber
        self.cameraNumber = cameraNumber
    }

    /// The eight 16-bit words as drawn, one per row of cells: four for the time, two for the frame number, then camera and CRC.
    public var words: [UInt16] {
        let payload = payloadWords
        return payload + [Self.checksum(payload)]
    }

    /// Reads words as drawn.
    ///
    /// - Throws: ``TimeCodeError/crcMismatch(expected:found:)``, or `noCode` if there are not eight.
    public init(words: [UInt16]) throws(TimeCodeError) {
        guard words.count == 8 else { throw .noCode }
        let expected = Self.checksum(words.dropLast())
        guard expected == words[7] else { throw .crcMismatch(expected: expected, found: words[7]) }
        let time = words[0..<4].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
        self.init(
            realtimeNanoseconds: Int64(bitPattern: time), frameNumber: UInt32(words[4]) << 16 | UInt32(words[5]),
            cameraNumber: words[6])
    }

    private var payloadWords: [UInt16] {
        let time = UInt64(bitPattern: realtimeNanoseconds)
        return [
            UInt16(truncatingIfNeeded: time >> 48), UInt16(truncatingIfNeeded: time >> 32),
            UInt16(truncatingIfNeeded: time >> 16), UInt16(truncatingIfNeeded: time),
            UInt16(truncatingIfNeeded: frameNumber >> 16), UInt16(truncatingIfNeeded: frameNumber), cameraNumber,
        ]
    }

    private static func checksum(_ words: some Sequence<UInt16>) -> UInt16 {
        CRC16.checksum(words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }
}

extension TimeCode {
    /// Reads the code from the luma of an image at the drawn size, or scaled down to a half, a quarter or an eighth.
    ///
    /// A damaged code is an error, except with the probability of a 16-bit CRC. Damage to up to three cells, or within
    /// sixteen neighboring cells, is always detected. Of larger damage, one case in 65536 passes.
    ///
    /// - Parameters:
    ///   - luma: 8-bit luma, top row first.
    ///   - width: Pixels.
    ///   - height: Pixels.
    ///   - stride: Bytes from one row to the next.
    /// - Throws: ``TimeCodeError``.
    public static func decode(
        luma: Span<UInt8>, width: Int, height: Int, stride: Int
    ) throws(TimeCodeError) -> TimeCode {
        guard (1...TimeCodeLayout.largestSide).contains(width), (1...TimeCodeLayout.largestSide).contains(height)
        else { throw .imageTooSmall(width: width, height: height) }
        try TimeCodeLayout.checkBuffer(count: luma.count, width: width, height: height, stride: stride)
        let candidates = cellSizes(width: width, height: height)
        guard !candidates.isEmpty else { throw .imageTooSmall(width: width, height: height) }
        var firstProblem = TimeCodeError.noCode
        for cellSize in candidates {
            do throws(TimeCodeError) {
                return try CellReader(cellSize: cellSize, stride: stride).read(luma)
            } catch {
                if firstProblem == .noCode { firstProblem = error }
            }
        }
        throw firstProblem
    }

    /// Returns the cell sizes of the layout rule for this image at the drawn size, or as the rounded-up 1/2, 1/4 or 1/8
    /// of a larger one; most likely first.
    static func cellSizes(width: Int, height: Int) -> [Int] {
        var sizes: [Int] = []
        for scale in [1, 2, 4, 8] {
            for (lostX, lostY) in [(0, 0), (scale - 1, 0), (0, scale - 1), (scale - 1, scale - 1)] {
                let drawn = TimeCodeLayout.cellSize(width: width * scale - lostX, height: height * scale - lostY)
                let size = drawn / scale
                guard drawn.isMultiple(of: scale), size >= CellReader.smallestCell, !sizes.contains(size),
                    size * TimeCodeLayout.columns <= width, size * TimeCodeLayout.rows <= height
                else { continue }
                sizes.append(size)
            }
        }
        return sizes
    }
}
