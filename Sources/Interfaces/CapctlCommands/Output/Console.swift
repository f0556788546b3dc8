internal import CaptureModel
internal import Foundation

internal import enum PosixSupport.Terminal

/// The output of a command: data goes to standard output, everything else to standard error. Writing is unbuffered, so
/// that the reader of a pipe gets each line at once.
struct Console: Sendable {
    /// Writes data.
    var write: @Sendable (String) -> Void
    /// Writes text that is only for people.
    var note: @Sendable (String) -> Void
    /// Whether notes go to a terminal, where a line can be overwritten.
    var isTerminal: Bool
    /// Whether progress and hints are left out.
    var isQuiet = false
    /// Whether data goes to a terminal.
    var isScreen = false
    /// The columns that a line of data may have, at this instant; nil if any number.
    var width: @Sendable () -> Int? = { nil }
    /// The time zone of dates.
    var zone = TimeZone.gmt
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
        isScreen: isatty(FileHandle.standardOutput.fileDescriptor) == 1,
        width: {
            OutputWidth.columns(
                variable: ProcessInfo.processInfo.environment["COLUMNS"],
                terminal: Terminal.columns(of: FileHandle.standardOutput.fileDescriptor))
        },
        zone: .current,
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

    /// Writes what is good to know and nothing that went wrong; not if the console is quiet.
    func hint(_ text: String) {
        if !isQuiet { note(text) }
    }

    /// Shows the progress in place of the previous progress line; only on a terminal.
    func progress(_ line: String) {
        if isTerminal, !isQuiet { note("\r\u{1B}[2K" + line) }
    }

    /// Removes the progress line.
    func endProgress() {
        if isTerminal, !isQuiet { note("\r\u{1B}[2K") }
    }

    /// Asks the person at the terminal, and returns if they agree.
    /// - Parameters:
    ///   - refused: What a refusal means.
    ///   - yes: What `--yes` does.
    /// - Throws: ``CommandFailure``.
    func requireAgreement(_ question: String, refused: String, yes: String) throws {
        switch confirm(question) {
        case true?: return
        case false?: throw CommandFailure(.failed, refused)
        case nil:
            throw CommandFailure(.usage, "standard input is not a terminal to ask at; give --yes to \(yes)")
        }
    }
}

/// The width of tables.
enum OutputWidth {
    /// The columns of a terminal that does not know them.
    private static let usual = 80

    /// As `ps` and `systemctl` do: what `COLUMNS` says, else the terminal; a pipe or file has no limit.
    /// - Parameters:
    ///   - variable: The environment variable `COLUMNS`.
    ///   - terminal: The columns of the terminal, 0 if it does not know them; nil if the output is not a terminal.
    static func columns(variable: String?, terminal: Int?) -> Int? {
        if let columns = variable.flatMap(Int.init), columns > 0 { return columns }
        return terminal.map { $0 > 0 ? $0 : usual }
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
