internal import ArgumentParser

/// The options of every command that prints data.
struct FormatOptions: ParsableArguments {
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

    /// Refuses what no event can be printed as.
    /// - Throws: `ValidationError`.
    func validateEvents() throws {
        guard format != .name else { throw ValidationError("Events have no names; omit -o name.") }
    }

    /// The format of the data.
    var format: OutputFormat { given ?? .table }

    /// Prints a report.
    func show(_ report: some Report, on console: Console) throws {
        if quiet, given == nil, report.names != nil {
            return console.write(try report.rendered(as: .name, layout(console)))
        }
        if format.isForPeople, let emptiness = report.emptiness { return console.hint("\(emptiness)\n") }
        console.write(try report.rendered(as: format, layout(console)))
    }

    /// The layout of text for people on this console.
    func layout(_ console: Console) -> TextLayout {
        TextLayout(
            width: console.width(), isWide: format == .wide, hasHeadings: !noHeaders, zone: console.zone)
    }
}
