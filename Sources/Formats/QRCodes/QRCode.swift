/// A QR code of bytes (ISO/IEC 18004): byte mode, error correction level L, versions 1 to 10, which is at most 271 bytes.
public struct QRCode: Equatable, Sendable {
    /// Modules on each side.
    public let size: Int
    private var dark: [Bool]
    /// Modules that do not carry data: patterns, format and version.
    private var isFixed: [Bool]

    /// nil if the bytes are too many.
    public init?(_ bytes: [UInt8]) {
        guard let version = QRVersion.fitting(bytes.count) else { return nil }
        self.init(version, QRCodewords.all(of: bytes, in: version))
    }

    /// Whether a module is dark; those outside the code are light.
    public subscript(x: Int, y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && dark[y * size + x]
    }

    /// The modules from top to bottom, each row from left to right: `1` is dark, `0` is light.
    public var rows: [String] {
        (0..<size).map { y in String((0..<size).map { x in self[x, y] ? "1" : "0" }) }
    }

    private init(_ version: QRVersion, _ codewords: [UInt8]) {
        size = version.size
        dark = Array(repeating: false, count: size * size)
        isFixed = dark
        drawPatterns(version)
        drawFormat(mask: 0)
        draw(codewords)
        dark = (0..<8).map(masked).min { $0.penalty < $1.penalty }?.dark ?? dark
    }

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        dark[y * size + x] = isDark
        isFixed[y * size + x] = true
    }

    private mutating func drawPatterns(_ version: QRVersion) {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
        let last = version.alignment.count - 1
        for (i, x) in version.alignment.enumerated() {
            for (j, y) in version.alignment.enumerated()
            where ![(0, 0), (0, last), (last, 0)].contains(where: { $0 == (i, j) }) {
                drawSquares(x, y, radius: 2) { $0 != 1 }
            }
        }
        guard let bits = version.bits else { return }
        for index in 0..<18 {
            let (long, short) = (size - 11 + index % 3, index / 3)
            set(long, short, bits >> index & 1 == 1)
            set(short, long, bits >> index & 1 == 1)
        }
    }

    private mutating func drawFinder(_ x: Int, _ y: Int) {
        drawSquares(x, y, radius: 4) { $0 != 2 && $0 != 4 }
    }

    /// Draws squares around a module.
    /// - Parameter isDark: Whether the square with this distance from the middle is dark.
    private mutating func drawSquares(_ x: Int, _ y: Int, radius: Int, _ isDark: (Int) -> Bool) {
        for dy in -radius...radius {
            for dx in -radius...radius where (0..<size).contains(x + dx) && (0..<size).contains(y + dy) {
                set(x + dx, y + dy, isDark(max(abs(dx), abs(dy))))
            }
        }
    }

    /// The level and the mask, with their error correction, twice.
    private mutating func drawFormat(mask: Int) {
        let levelL = 0b01
        let bits = QRBits.withRemainder(levelL << 3 | mask, length: 10, generator: 0x537) ^ 0x5412
        for index in 0..<15 {
            let bit = bits >> index & 1 == 1
            let along = index < 6 ? index : index < 8 ? index + 1 : size - 15 + index
            set(8, along, bit)
            let across = index < 8 ? size - 1 - index : index == 8 ? 7 : 14 - index
            set(across, 8, bit)
        }
        set(8, size - 8, true)
    }

    /// Places the bits in columns of two modules, from the right, upwards and downwards in turn.
    private mutating func draw(_ codewords: [UInt8]) {
        var index = 0
        var isUpward = true
        for right in stride(from: size - 1, through: 1, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !isFixed[y * size + x] && index < codewords.count * 8 {
                    dark[y * size + x] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            isUpward.toggle()
        }
    }

    private func masked(_ mask: Int) -> QRCode {
        var code = self
        for y in 0..<size {
            for x in 0..<size where !isFixed[y * size + x] && Self.inverts(mask, x, y) {
                code.dark[y * size + x].toggle()
            }
        }
        code.drawFormat(mask: mask)
        return code
    }

    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// How hard the code is to read, by the standard's four rules.
    private var penalty: Int {
        let rows = (0..<size).map { y in (0..<size).map { x in self[x, y] } }
        let columns = (0..<size).map { x in (0..<size).map { y in self[x, y] } }
        var sum = (rows + columns).map { Self.penalty(of: $0) }.reduce(0, +)
        for y in 1..<size {
            for x in 1..<size where Set([self[x, y], self[x - 1, y], self[x, y - 1], self[x - 1, y - 1]]).count == 1 {
                sum += 3
            }
        }
        let percent = dark.count { $0 } * 100 / dark.count
        return sum + abs(percent - 50) / 5 * 10
    }

    /// Of runs of one color, and of what looks like a finder.
    private static func penalty(of line: [Bool]) -> Int {
        var (sum, run) = (0, 0)
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
        }
        let finder = [true, false, true, true, true, false, true]
        let light = [false, false, false, false]
        for pattern in [finder + light, light + finder] {
            for start in 0...(line.count - pattern.count) where Array(line[start..<start + pattern.count]) == pattern {
                sum += 40
            }
        }
        return sum
    }
}
