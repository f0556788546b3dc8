internal import ArgumentParser

/// The options of a command whose data has no names. `-o name` is refused with the rest of the command line, before any work is done.
struct NamelessFormatOptions: ReportOptions {
    @Option(
        name: [.customShort("o"), .customLong("format")],
        help: ArgumentHelp(
            "The output format: table (default), wide or json.",
            discussion: "A table fits the terminal; wide shows every column and whole ids.", valueName: "format"))
    var nameless: NamelessFormat?

    @Flag(help: "Print tables without headings.")
    var noHeaders = false

    @Flag(name: .shortAndLong, help: "Show no progress and no hints.")
    var quiet = false

    var given: OutputFormat? { nameless?.format }
}

/// An ``OutputFormat`` of data without names.
enum NamelessFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case table, wide, json

    var format: OutputFormat {
        switch self {
        case .table: .table
        case .wide: .wide
        case .json: .json
        }
    }
}
