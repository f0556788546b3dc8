/// A result that can be printed in every output format.
protocol Report {
    /// What `--format json` prints.
    associatedtype Document: Encodable
    var document: Document { get }

    /// What `--format table` prints, with a final line feed.
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
