internal import CaptureModel
internal import RigDocuments

/// A result that can be printed in every output format.
protocol Report {
    /// The value that `-o json` prints.
    associatedtype Document: Encodable
    var document: Document { get }

    /// The text that `-o table` and `-o wide` print, with a final line feed.
    func table(_ layout: TextLayout) -> String

    /// What `-o name` prints: ids or names that other commands accept, of what there is or what succeeded; nil if the command has none.
    var names: [String]? { get }

    /// What the names do not tell: a line for each thing that failed, such as `node1/cam1: it is not running`.
    var failures: [String] { get }

    /// Says, in place of an empty table, that there is nothing, and what makes that there is something; a sentence without its
    /// stop.
    var emptiness: String? { get }
}

extension Report {
    var names: [String]? { nil }
    var failures: [String] { [] }
    var emptiness: String? { nil }

    /// The text for standard output.
    func rendered(as format: OutputFormat, _ layout: TextLayout) throws -> String {
        switch format {
        case .table, .wide: return table(layout)
        case .json: return try JSONText.document(document)
        case .name:
            guard let names else {
                throw CommandFailure(.usage, "this command lists nothing that has a name; omit -o name")
            }
            return names.map { Table.printable($0) + "\n" }.joined()
        }
    }
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
