internal import CaptureModel
internal import FoundationEssentials
public import PosixSupport
internal import ShotDocuments
public import StorageKit

/// The settings transactions of a rig stored as the file `settings.json` of a folder, such as the coordinator's state folder. Runs on a
/// thread that may block on the disk.
public actor FolderSettings: SettingsLedger {
    /// There is none as long as no camera was ever set.
    public static let fileName = "settings.json"

    private static let byteLimit = 4 << 20

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let folder: Folder

    /// Creates the folder if it is missing.
    public init(folder path: String, executor: ThreadExecutor, fault: FileFault? = nil) throws(PosixError) {
        folder = try Folder.make(path, fault: fault)
        self.executor = executor
    }

    public func transactions() throws(StorageError) -> [CommittedSettings] {
        let bytes = try folder.attempt { () throws(PosixError) in
            try folder.entry(Self.fileName) == nil ? nil : try folder.read(Self.fileName, limit: Self.byteLimit)
        }
        return try bytes.map { bytes throws(StorageError) in
            try SettingsFile.transactions(in: bytes, of: folder.path(of: Self.fileName))
        } ?? []
    }

    public func replace(with transactions: [CommittedSettings]) throws(StorageError) {
        let bytes = try SettingsFile.encoded(transactions, for: folder.path(of: Self.fileName))
        try folder.attempt { () throws(PosixError) in try folder.publish([bytes], as: Self.fileName) }
    }
}

/// The content of a `settings.json`.
struct SettingsFile: Codable {
    private static let currentSchemaVersion = 1

    private struct Transaction: Codable {
        var id: String
        /// Present while cameras may have no outcome.
        var request: SettingsRequestDocument?
        var rigClock: RigClockID
        var state: CommittedSettings.State
        var timeRigNanoseconds: RigTime?
    }

    private var schemaVersion = SettingsFile.currentSchemaVersion
    private var transactions: [Transaction]

    private init(_ transactions: [CommittedSettings]) {
        self.transactions = transactions.map {
            Transaction(
                id: $0.id.description,
                request: $0.open.map { SettingsRequestDocument($0.request, by: $0.principal, cameras: $0.cameras) },
                rigClock: $0.rigClock, state: $0.state, timeRigNanoseconds: $0.time)
        }
    }

    /// Returns the transactions in the content of the file at `path`.
    static func transactions(in content: [UInt8], of path: String) throws(StorageError) -> [CommittedSettings] {
        let file: SettingsFile
        do {
            file = try JSONDecoder().decode(SettingsFile.self, from: Data(content))
        } catch {
            throw damaged(path, "\(error)")
        }
        guard file.schemaVersion == currentSchemaVersion else {
            throw damaged(
                path, "it has schema version \(file.schemaVersion), this program knows \(currentSchemaVersion)")
        }
        var transactions: [CommittedSettings] = []
        for stored in file.transactions {
            guard let id = SettingsID(stored.id) else {
                throw damaged(path, "'\(stored.id)' is not the id of settings")
            }
            let open: CommittedSettings.Open?
            do {
                open = try stored.request.map { document in
                    let (request, principal) = try document.value(id: id)
                    return CommittedSettings.Open(request, by: principal, cameras: document.cameras)
                }
            } catch {
                throw damaged(path, "the request of settings \(id): \(error)")
            }
            transactions.append(
                CommittedSettings(
                    id: id, rigClock: stored.rigClock, time: stored.timeRigNanoseconds, state: stored.state, open: open)
            )
        }
        return transactions
    }

    /// Returns the content of a file of these transactions; `path` is for error messages.
    static func encoded(_ transactions: [CommittedSettings], for path: String) throws(StorageError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(SettingsFile(transactions)))
        } catch {
            throw StorageError(.inputOutput, "write", path, "the settings \(path) cannot be written: \(error)")
        }
    }

    private static func damaged(_ path: String, _ reason: String) -> StorageError {
        StorageError(
            .corrupted, "read", path,
            "the settings \(path) cannot be read: \(reason); repeats of earlier settings are carried out again then, and the next ones replace the file"
        )
    }
}
