internal import ArgumentParser

/// The options of a command that prints data.
protocol ReportOptions: ParsableArguments {
    /// The format that was asked for; nil if none was.
    var given: OutputFormat? { get }
    var noHeaders: Bool { get }
    var quiet: Bool { get }
}

extension ReportOptions {
    /// The format of the data.
    var format: OutputFormat { given ?? .table }

    /// Prints a report. Where only names are printed, failures go to standard error.
    func show(_ report: some Report, on console: Console) throws {
        if format == .name || quiet && given == nil && report.names != nil {
            console.write(try report.rendered(as: .name, layout(console)))
            for failure in report.failures { console.note("capctl: \(Table.printable(failure))\n") }
            return
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
