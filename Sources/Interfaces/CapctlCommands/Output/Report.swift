internal import ArgumentParser
internal import CaptureModel
internal import Foundation
internal import RigDocuments

/// A result that can be printed in every output format.
protocol Report {
    /// The value that `--format json` prints.
    associatedtype Document: Encodable
    var document: Document { get }

    /// The text that `--format table` prints, with a final line feed.
    var table: String { get }
}

extension Report {
    /// The text for standard output.
    func rendered(as format: OutputFormat) throws -> String {
        switch format {
        case .table: table
        case .json: try JSONText.document(document)
        }
    }
}

/// The output of a command: data goes to standard output, everything else to standard error. Writing is unbuffered, so
/// that the reader of a pipe gets each line at once.
struct Console: Sendable {
    /// Writes data.
    var write: @Sendable (String) -> Void
    /// Writes text that is only for people.
    var note: @Sendable (String) -> Void
    /// Whether notes go to a terminal, where a line can be overwritten.
    var isTerminal: Bool
    /// Asks the person at the terminal; nil without a terminal.
    var confirm: @Sendable (String) -> Bool? = { _ in nil }
    /// Asks the person at the terminal for a line, without spaces at its ends; nil without a terminal, and at the end of the input.
    var ask: @Sendable (String) -> String? = { _ in nil }

    /// This process's streams.
    static let standard = Console(
        write: { text in
            do {
                try FileHandle.standardOutput.write(contentsOf: Data(text.withoutTurns.utf8))
            } catch {
                // The reader of standard output is gone, so further output is useless.
                complain("capctl: standard output cannot be written: \(error.localizedDescription)\n")
                exit(CommandStatus.other.rawValue)
            }
        },
        note: complain,
        isTerminal: isatty(FileHandle.standardError.fileDescriptor) == 1,
        confirm: { question in
            guard isatty(FileHandle.standardInput.fileDescriptor) == 1 else { return nil }
            complain(question + " [y/N] ")
            return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
        },
        ask: { question in
            // The system stops a background process that reads from its terminal.
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp() else {
                return nil
            }
            complain(question)
            return readLine()?.trimmingCharacters(in: .whitespaces)
        })

    /// Writes to standard error; a failure to write is ignored.
    private static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.withoutTurns.utf8))
    }

    /// Shows the progress in place of the previous progress line; only on a terminal.
    func progress(_ line: String) {
        if isTerminal { note("\r\u{1B}[2K" + line) }
    }

    /// Removes the progress line.
    func endProgress() {
        if isTerminal { note("\r\u{1B}[2K") }
    }
}

/// The output format of data.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Aligned columns for people; may change between versions.
    case table
    /// JSON for programs; stable as `docs/capctl.md` describes it.
    case json
}

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

extension String {
    /// The text for a terminal: without what separates lines or turns the direction of text, in a text that no table has
    /// made printable. Controls stay, since `capctl` itself writes line feeds and overwrites its progress.
    var withoutTurns: String {
        func turns(_ scalar: Unicode.Scalar) -> Bool { scalar.isUnprintable && scalar.value > 0x9F }
        guard unicodeScalars.contains(where: turns) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { turns($0) ? "\u{FFFD}" : $0 }))
    }
}

extension Int {
    /// The number with its noun: `1 camera`, `2 cameras`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension Shot {
    /// The lines after a table that name the cameras that are closed on purpose; empty if there are none.
    var leftOutRemarks: String {
        leftOut.map { "left out: \($0.device): \(Table.printable($0.reason))\n" }.joined()
    }
}

extension LeftOutDevices {
    /// The line after a table that names the omitted devices; empty if there are none.
    static func remark(_ leftOut: LeftOutDevices?) -> String {
        leftOut.map { "omitted: \(Table.printable($0.description))\n" } ?? ""
    }
}
