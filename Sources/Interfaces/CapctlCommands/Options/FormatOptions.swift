internal import ArgumentParser

/// The option of every command that prints data.
struct FormatOptions: ParsableArguments {
    @Option(help: "How to print: table or json.")
    var format = OutputFormat.table
}
