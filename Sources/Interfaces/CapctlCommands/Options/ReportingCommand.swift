/// A command that prints data.
protocol ReportingCommand: CapctlCommand {
    var output: FormatOptions { get }
}

extension ReportingCommand {
    var isQuiet: Bool { output.quiet }
}
