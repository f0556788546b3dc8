public import ArgumentParser
internal import Foundation

/// The options of a daemon's `doctor`.
public struct ExaminationOptions: ParsableArguments {
    @Option(help: "The output format: table or json.")
    var format = Format.table

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, json
    }

    public init() {}

    /// The text for standard output, with a final line feed.
    public func rendered(_ examination: Examination) throws -> String {
        guard format == .json else { return examination.text }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(ExaminationDocument(examination)), as: UTF8.self) + "\n"
    }
}
