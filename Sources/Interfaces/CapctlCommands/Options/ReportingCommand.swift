/// A command that prints data.
protocol ReportingCommand: CapctlCommand {
    associatedtype Options: ReportOptions
    var output: Options { get }
}

extension ReportingCommand {
    var isQuiet: Bool { output.quiet }
}
