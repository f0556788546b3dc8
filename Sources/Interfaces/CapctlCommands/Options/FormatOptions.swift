internal import ArgumentParser

/// The options of a command whose data has names.
struct FormatOptions: ReportOptions {
    @Option(
        name: [.customShort("o"), .customLong("format")],
        help: ArgumentHelp(
            "The output format: table (default), wide, json or name.",
            discussion:
                "A table fits the terminal; wide shows every column and whole ids. name prints ids or names alone, one on a line.",
            valueName: "format"))
    var given: OutputFormat?

    @Flag(help: "Print tables without headings.")
    var noHeaders = false

    @Flag(
        name: .shortAndLong,
        help: "Show no progress and no hints, and in place of a table only ids or names where it has any.")
    var quiet = false
}
