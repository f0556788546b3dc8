internal import CaptureModel

/// Rows of text in aligned columns, for people.
///
/// A table that is wider than its layout allows gives way in steps, until it fits:
///
/// 1. Ids are cut to their last six characters, as the page shows them. Commands accept these.
/// 2. Columns that can be dropped are dropped, the least important first, until the others fit at their least widths.
/// 3. The columns that are left share the room: texts are shortened with `…`, or continue on the next line.
/// 4. In a terminal that is too narrow even for that, every column is shortened, and the last ones are dropped.
struct Table: Equatable {
    /// The alignment of a column's text.
    enum Alignment { case left, right }

    /// What a column does where room is short.
    enum Fit: Equatable {
        /// Keeps its width.
        case whole
        /// Ends its texts with `…`, but keeps this many characters.
        case end(Int)
        /// Begins its texts with `…`, as paths end with what differs; keeps this many characters.
        case start(Int)
        /// Continues its texts on the next line; is at least this wide.
        case wrap(Int)
        /// Cuts every id to its last six characters.
        case id
    }

    /// A column's heading and alignment, and how it gives way.
    struct Column: Equatable {
        var title: String
        var alignment: Alignment
        var fit: Fit
        /// When the column is dropped: the larger, the sooner; nil if never.
        var dropped: Int?
        /// Whether the column is shown only where everything is.
        var isOnlyWide: Bool

        init(
            _ title: String, _ alignment: Alignment = .left, _ fit: Fit = .whole, dropped: Int? = nil,
            isOnlyWide: Bool = false
        ) {
            (self.title, self.alignment, self.fit) = (title, alignment, fit)
            (self.dropped, self.isOnlyWide) = (dropped, isOnlyWide)
        }
    }

    var columns: [Column]
    /// Each row has as many cells as there are columns; missing cells are empty.
    var rows: [[String]]

    private static let separator = "  "

    /// Lines with a final line feed; only the headings if there are no rows.
    func rendered(_ layout: TextLayout) -> String {
        let shown = columns.indices.filter { layout.isWide || !columns[$0].isOnlyWide }
        var strips = shown.map { index in
            Strip(columns[index], rows.map { $0.count > index ? Self.printable($0[index]) : "" }, layout.hasHeadings)
        }
        if let limit = layout.limit { Self.fit(&strips, in: max(1, limit)) }
        let lines = (0..<(rows.count + (layout.hasHeadings ? 1 : 0))).flatMap { row in
            Self.lines(of: strips.map { ($0, $0.lines(ofRow: row)) })
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func width(_ strips: [Strip], _ width: (Strip) -> Int) -> Int {
        strips.reduce(0) { $0 + width($1) } + separator.count * max(0, strips.count - 1)
    }

    private static func fit(_ strips: inout [Strip], in limit: Int) {
        guard width(strips, \.natural) > limit else { return }
        for index in strips.indices { strips[index].cutIDs() }
        while strips.count > 1, width(strips, \.least) > limit, let next = droppable(strips) { strips.remove(at: next) }
        if width(strips, \.least) > limit {
            for index in strips.indices { strips[index].yield() }
            while strips.count > 1, width(strips, \.least) > limit { strips.removeLast() }
            if strips.count == 1 { strips[0].yield(to: limit) }
        }
        share(&strips, limit)
    }

    /// The last of the least important columns.
    private static func droppable(_ strips: [Strip]) -> Int? {
        strips.indices.filter { strips[$0].column.dropped != nil }.max { one, other in
            (strips[one].column.dropped ?? 0, one) < (strips[other].column.dropped ?? 0, other)
        }
    }

    /// Gives the room to the columns that need more, always to the narrowest.
    private static func share(_ strips: inout [Strip], _ limit: Int) {
        for index in strips.indices { strips[index].width = strips[index].least }
        var room = limit - width(strips, \.width)
        while room > 0,
            let next = strips.indices.filter({ strips[$0].width < strips[$0].natural }).min(by: {
                strips[$0].width < strips[$1].width
            })
        {
            strips[next].width += 1
            room -= 1
        }
    }

    /// The lines of one row, whose cells may have several.
    private static func lines(of cells: [(strip: Strip, lines: [String])]) -> [String] {
        (0..<(cells.map(\.lines.count).max() ?? 0)).map { number in
            var line = cells.map { cell in
                cell.strip.padded(number < cell.lines.count ? cell.lines[number] : "")
            }.joined(separator: separator)
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// Text from a peer may contain line feeds and escape sequences, which must not take effect on a terminal.
    static func printable(_ text: String) -> String {
        text.printable(replacement: " ")
    }
}

/// A column of a table with its texts.
private struct Strip {
    /// The characters of an id that the page shows.
    private static let idLength = 6
    /// The least width of a column that gives way although it would rather not.
    private static let narrowest = 4

    var column: Table.Column
    /// The width in which the texts are shown.
    var width = 0
    /// The width of the longest text.
    private(set) var natural: Int
    /// The least width in which the column is of use.
    private(set) var least: Int
    private var cells: [String]

    init(_ column: Table.Column, _ texts: [String], _ hasHeading: Bool) {
        self.column = column
        cells = (hasHeading ? [column.title] : []) + texts
        natural = cells.map(\.count).max() ?? 0
        let title = hasHeading ? column.title.count : 0
        least =
            switch column.fit {
            case .whole, .id: natural
            case .end(let width), .start(let width), .wrap(let width): min(natural, max(width, title))
            }
        width = natural
    }

    /// Cuts ids, if the column has them.
    mutating func cutIDs() {
        guard column.fit == .id else { return }
        cells = cells.map { ShotID($0) == nil ? $0 : String($0.suffix(Self.idLength)) }
        natural = cells.map(\.count).max() ?? 0
        least = natural
    }

    /// Makes the column one that can be shortened, to its least width or to less.
    mutating func yield(to limit: Int = .max) {
        least = min(natural, Self.narrowest, limit)
        switch column.fit {
        case .whole, .id: column.fit = .end(Self.narrowest)
        case .end, .start, .wrap: break
        }
    }

    /// The lines of a cell; a heading is the first row.
    func lines(ofRow row: Int) -> [String] {
        let text = cells[row]
        guard text.count > width else { return [text] }
        return switch column.fit {
        case .start: ["…" + text.suffix(width - 1)]
        case .wrap: TextWrapping.lines(of: text, width: width)
        case .whole, .id, .end: [text.prefix(width - 1) + "…"]
        }
    }

    func padded(_ text: String) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        return column.alignment == .right ? padding + text : text + padding
    }
}

/// Breaks a text into lines of a width.
enum TextWrapping {
    /// Breaks at spaces, and within words that are longer than a line.
    static func lines(of text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var rest = word
            if !line.isEmpty, line.count + 1 + rest.count <= width {
                line += " " + rest
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while rest.count > width {
                lines.append(String(rest.prefix(width)))
                rest = rest.dropFirst(width)
            }
            line = String(rest)
        }
        if !line.isEmpty || lines.isEmpty { lines.append(line) }
        return lines
    }
}
