internal import ArgumentParser
internal import CaptureModel
internal import Foundation
internal import RigDocuments

/// A result that can be printed in every output format.
protocol Report {
    /// The value that `--format json` prints.
    associatedtype Document: Encodable
    var document: Document { get }

    /// The text that `--format table` prints, with a final line feed.
    var table: String { get }
}

extension Report {
    /// The text for standard output.
    func rendered(as format: OutputFormat) throws -> String {
        switch format {
        case .table: table
        case .json: try JSONText.document(document)
        }
    }
}

/// The output format of data.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Aligned columns for people; may change between versions.
    case table
    /// JSON for programs; stable as `docs/capctl.md` describes it.
    case json
}

extension Int {
    /// The number with its noun: `1 camera`, `2 cameras`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension Shot {
    /// The lines after a table that name the cameras that are closed on purpose; empty if there are none.
    var leftOutRemarks: String {
        leftOut.map { "left out: \($0.device): \(Table.printable($0.reason))\n" }.joined()
    }
}

extension LeftOutDevices {
    /// The line after a table that names the omitted devices; empty if there are none.
    static func remark(_ leftOut: LeftOutDevices?) -> String {
        leftOut.map { "omitted: \(Table.printable($0.description))\n" } ?? ""
    }
}
