@testable import CapctlCommands

/// Text as it goes into a pipe, with times in UTC.
extension Report {
    var table: String { table(TextLayout()) }

    func rendered(as format: OutputFormat) throws -> String { try rendered(as: format, TextLayout()) }
}

extension Table {
    func rendered() -> String { rendered(TextLayout()) }
}
