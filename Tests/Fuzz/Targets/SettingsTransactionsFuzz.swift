import CaptureModel
import StorageKit

@testable import FolderStore

/// The `settings.json` of a coordinator's state folder.
enum SettingsTransactionsFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let transactions = try? SettingsLedgerDocument.content(in: bytes) else { return }
        let again = try SettingsLedgerDocument.content(in: try SettingsLedgerDocument.encoded(transactions))
        try FuzzFinding.unless(again == transactions, "transactions that were written say something else")
        for transaction in transactions {
            let cameras = [transaction.past?.cameras.map(\.device), transaction.open?.cameras].compactMap(\.self)
            try FuzzFinding.unless(
                cameras.allSatisfy { Set($0).count == $0.count }, "a transaction has two outcomes of one camera")
        }
    }
}
