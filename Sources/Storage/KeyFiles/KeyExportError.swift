/// Why an export cannot be made or opened.
public enum KeyExportError: Error, Hashable, Sendable, CustomStringConvertible {
    case shortPassphrase
    /// The passphrase is another one, or the file was changed.
    case notOpened
    case damaged(String)
    case laterVersion(Int)

    public var description: String {
        switch self {
        case .shortPassphrase:
            "the passphrase has fewer than \(KeyExport.shortestPassphrase) characters; use a longer one"
        case .notOpened: "the passphrase is not that of this file, or the file was changed; check both"
        case .damaged(let reason):
            "this is not a file of exported keys: \(reason); give the file that `capctl keys export` wrote"
        case .laterVersion(let version):
            "version \(version) of the program wrote this file; use a program that is as new"
        }
    }
}
