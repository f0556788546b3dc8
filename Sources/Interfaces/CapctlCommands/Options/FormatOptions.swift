internal import ArgumentParser

/// The option of every command that prints data.
struct FormatOptions: ParsableArguments {
    @Option(help: "The output format: table or json.")
    var format = OutputFormat.table
}
