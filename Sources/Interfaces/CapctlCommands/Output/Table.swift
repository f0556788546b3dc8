internal import CaptureModel

/// Rows of text in aligned columns, for people; the last column is never padded or cut.
struct Table: Equatable {
    /// The alignment of a column's text.
    enum Alignment { case left, right }

    /// A column's heading and alignment.
    struct Column: Equatable {
        var title: String
        var alignment: Alignment

        init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    var columns: [Column]
    /// Each row has as many cells as there are columns; missing cells are empty.
    var rows: [[String]]

    /// Lines with a final line feed; only the headings if there are no rows.
    func rendered() -> String {
        let lines = [columns.map(\.title)] + rows.map { row in row.map(Self.printable) }
        let widths = columns.indices.map { index in lines.map { $0.count > index ? $0[index].count : 0 }.max() ?? 0 }
        return lines.map { line($0, widths) + "\n" }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = columns.indices.map { index in
            let cell = cells.count > index ? cells[index] : ""
            let padding = String(repeating: " ", count: widths[index] - cell.count)
            return columns[index].alignment == .right ? padding + cell : cell + padding
        }
        var line = padded.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Text from a peer may contain line feeds and escape sequences, which must not take effect on a terminal.
    static func printable(_ text: String) -> String {
        text.printable(replacement: " ")
    }
}
