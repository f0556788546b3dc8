import CaptureTestSupport
import QRCodes
import Testing

@Suite struct QRCodeTests {
    /// Every length of a version's limit and the next one, and that of a link.
    private static let lengths = [
        1, 17, 18, 32, 33, 53, 54, 78, 79, 92, 106, 107, 134, 135, 154, 155, 192, 193, 230, 231, 271,
    ]

    private static func link(_ length: Int) -> String {
        String(("https://192.168.1.10:7780/login.html#caprig_" + String(repeating: "aZ09-_", count: 50)).prefix(length))
    }

    /// A portable gray map (PGM) of a code, 4 pixels for each module, with its margin.
    private static func picture(_ code: QRCode) -> [UInt8] {
        let side = (code.size + 8) * 4
        let pixels = (0..<side * side).map { index in
            code[index % side / 4 - 4, index / side / 4 - 4] ? UInt8(0) : 255
        }
        return Array("P5 \(side) \(side) 255\n".utf8) + pixels
    }

    @Test(.enabled(if: ExternalTool.isExpected("zbarimg"), "needs zbarimg"), arguments: lengths)
    func `Another program reads what a code says`(length: Int) throws {
        let (folder, text) = (try TemporaryFolder(), Self.link(length))
        let code = try #require(QRCode(Array(text.utf8)))
        let file = try folder.write(Self.picture(code), as: "code.pgm")
        let read = try ExternalTool.run([
            "zbarimg", "--nodbus", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file,
        ])
        #expect(read.status == 0 && read.output == text + "\n", "\(read.output)")
    }

    @Test func `Its rows say which modules are dark`() throws {
        let code = try #require(QRCode(Array("https://rig".utf8)))
        #expect(code.rows.count == code.size && code.rows.allSatisfy { $0.count == code.size })
        for (y, row) in code.rows.enumerated() {
            for (x, module) in row.enumerated() { #expect((module == "1") == code[x, y]) }
        }
        #expect(code.rows[0].hasPrefix("11111110"), "a finder is in the corner")
    }

    @Test func `More than a code can have has none`() {
        #expect(QRCode([UInt8](repeating: 65, count: 272)) == nil)
    }

    @Test func `A terminal shows each module, two in a character`() throws {
        let code = try #require(QRCode(Array("https://rig".utf8)))
        let upper: Set<Character> = ["█", "▀"]
        let lower: Set<Character> = ["█", "▄"]
        for (row, line) in code.terminalText.split(separator: "\n").enumerated() {
            let modules = line.dropFirst("\u{1B}[38;5;16;48;5;231m".count).prefix(code.size + 8)
            for (column, character) in modules.enumerated() {
                let (x, y) = (column - 4, 2 * row - 4)
                #expect(upper.contains(character) == code[x, y] && lower.contains(character) == code[x, y + 1])
            }
        }
    }
}
