import CaptureTestSupport
import Testing

@testable import CapctlCommands

@Suite struct TableTests {
    private let id = "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"

    private func lines(_ table: Table, _ width: Int, headings: Bool = true, wide: Bool = false) -> [String] {
        table.rendered(TextLayout(width: width, isWide: wide, hasHeadings: headings)).split(separator: "\n").map(
            String.init)
    }

    @Test func `A table that fits is shown as it is`() {
        let table = Table(columns: [.init("ID", .left, .id), .init("N", .right)], rows: [[id, "7"]])
        #expect(lines(table, 80) == ["ID                                    N", "\(id)  7"])
    }

    @Test func `Ids become their last six characters before anything else gives way`() {
        let table = Table(
            columns: [.init("SHOT", .left, .id), .init("A", dropped: 1), .init("TEXT", .left, .end(4))],
            rows: [[id, "a", "long text"], ["-", "b", "short"]])
        #expect(lines(table, 20) == ["SHOT    A  TEXT", "2b4f50  a  long text", "-       b  short"])
    }

    @Test func `Columns are dropped by their order, and no more of them than needed`() {
        let columns: [Table.Column] = [
            .init("NAME"), .init("ONE", dropped: 1), .init("THREE", dropped: 3), .init("TWO", dropped: 2),
        ]
        let table = Table(columns: columns, rows: [["node1", "1", "3", "2"]])
        #expect(lines(table, 22) == ["NAME   ONE  THREE  TWO", "node1  1    3      2"])
        #expect(lines(table, 21)[0] == "NAME   ONE  TWO")
        #expect(lines(table, 14)[0] == "NAME   ONE")
        #expect(lines(table, 9)[0] == "NAME")
    }

    @Test func `Texts are shortened at their end and paths at their beginning, to equal widths`() {
        let table = Table(
            columns: [.init("A", .left, .end(4)), .init("B"), .init("C", .left, .start(4))],
            rows: [["abcdefghijkl", "bb", "one/two/three"]])
        #expect(lines(table, 22)[1] == "abcdefg…  bb  …o/three")
        #expect(lines(table, 14)[1] == "abc…  bb  …ree")
    }

    @Test func `A reason continues below, and loses no word`() {
        let table = Table(
            columns: [.init("CAMERA", .left, .end(4)), .init("REASON", .left, .wrap(12))],
            rows: [["n1/cam1", "held by another program; end it"], ["n1/cam2", ""]])
        #expect(
            lines(table, 24) == [
                "CAMERA   REASON", "n1/cam1  held by another", "         program; end it", "n1/cam2",
            ])
    }

    @Test func `A word that is longer than its column is broken`() {
        #expect(TextWrapping.lines(of: "a 123456789 b", width: 4) == ["a", "1234", "5678", "9 b"])
        #expect(TextWrapping.lines(of: "", width: 4) == [""])
    }

    @Test func `Without headings there are none, and they take no room`() {
        let table = Table(columns: [.init("A LONG HEADING"), .init("B")], rows: [["1", "2"]])
        #expect(lines(table, 80, headings: false) == ["1  2"])
        #expect(Table(columns: table.columns, rows: []).rendered(TextLayout(hasHeadings: false)) == "")
    }

    @Test func `Everything is shown where the format is wide, also in a narrow terminal`() {
        let table = Table(
            columns: [.init("ID", .left, .id), .init("MORE", dropped: 1), .init("ALL", isOnlyWide: true)],
            rows: [[id, "more", "all"]])
        #expect(lines(table, 10, wide: true)[1] == "\(id)  more  all")
        #expect(lines(table, 80)[0].hasSuffix("MORE"))
    }

    @Test func `No line is wider than the terminal, whatever the columns and texts are`() {
        var random = SeededGenerator(seed: 40)
        for round in 0..<2000 {
            let table = Self.anyTable(&random)
            let width = Int.random(in: 1...120, using: &random)
            let shown = table.rendered(TextLayout(width: width, hasHeadings: Bool.random(using: &random)))
            for line in shown.split(separator: "\n") { #expect(line.count <= width, "round \(round): \(line)") }
            #expect(shown.split(separator: "\n", omittingEmptySubsequences: false).count > table.rows.count)
        }
    }

    private static func anyTable(_ random: inout SeededGenerator) -> Table {
        let count = Int.random(in: 1...12, using: &random)
        let columns = (0..<count).map { index in
            let width = Int.random(in: 1...30, using: &random)
            let fits: [Table.Fit] = [.whole, .end(width), .start(width), .wrap(width), .id]
            return Table.Column(
                String(repeating: "H", count: Int.random(in: 0...12, using: &random)),
                Bool.random(using: &random) ? .left : .right, fits.randomElement(using: &random) ?? .whole,
                dropped: Bool.random(using: &random) ? index : nil)
        }
        let rows = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            (0..<Int.random(in: 0...count, using: &random)).map { _ in
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    String(repeating: "x", count: Int.random(in: 1...40, using: &random))
                }.joined(separator: " ")
            }
        }
        return Table(columns: columns, rows: rows)
    }
}
