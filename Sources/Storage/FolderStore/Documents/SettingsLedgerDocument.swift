internal import CaptureModel
public import FaultPoints
public import PosixSupport
internal import ShotDocuments
public import StorageKit

extension DocumentFormat<[CommittedSettings]> {
    /// What has become of settings transactions, oldest first, so that a later run of the coordinator answers their repeats without
    /// setting again. There is no file as long as no camera was ever set.
    public static var settings: DocumentFormat {
        DocumentFormat(
            SettingsLedgerDocument.self, fileName: "settings.json",
            // More than 16 requests in progress, of 4 MiB each, and what is kept of past ones.
            byteLimit: 128 << 20, subject: "the settings",
            consequence: "repeats of earlier settings are carried out again, and none of them can be undone",
            setsAside: true)
    }
}

/// The content of a `settings.json`.
///
/// Version 2 has a transaction of a run, or one that undoes a run. Programs of version 1 do not know runs, and would undo such a one by half.
struct SettingsLedgerDocument: VersionedDocument {
    static let schemaVersions = 1...2

    private struct Transaction: Codable {
        var id: String
        /// Present while cameras may have no outcome.
        var request: SettingsRequestDocument?
        var rigClock: RigClockID
        var state: CommittedSettings.State
        var timeRigNanoseconds: RigTime?
        /// Absent if no camera was told to set, or it is too old.
        var past: Past?
    }

    /// What cameras were asked, and what undoes it.
    fileprivate struct Past: Codable {
        var cameras: [Camera]
        var principal: String
        var profile: String?
        /// The run that it is part of; absent for none.
        var run: SettingsRunID?
        /// Text, since JSON numbers of many programs have 53 bits.
        var toldRealtimeNanoseconds: String
        var undoes: String?
        /// The run that it undoes; absent for none.
        var undoesRun: SettingsRunID?

        struct Camera: Codable {
            /// Present and true if the coordinator gives it the settings when its node joins.
            var awaitsNode: Bool?
            /// As `earlier`, of the earlier transactions of the run; absent if there are none.
            var beforeRun: String?
            /// Present and true if undo no longer tries.
            var isUndoOver: Bool?
            var device: DeviceID
            /// In the grammar of docs/settings.md, as `settings`.
            var earlier: String?
            var outcome: CameraSettingsOutcome.Word?
            var settings: String
            /// The transactions of a run that are undone; absent otherwise.
            var undone: [SettingsID]?
        }
    }

    private(set) var schemaVersion: Int
    private var transactions: [Transaction]

    init(_ transactions: [CommittedSettings]) {
        schemaVersion = transactions.contains(where: \.concernsRun) ? 2 : 1
        self.transactions = transactions.map {
            Transaction(
                id: $0.id.description,
                request: $0.open.map { SettingsRequestDocument($0.request, by: $0.principal, cameras: $0.cameras) },
                rigClock: $0.rigClock, state: $0.state, timeRigNanoseconds: $0.time, past: $0.past.map(Past.init))
        }
    }

    func content() throws -> [CommittedSettings] {
        var transactions: [CommittedSettings] = []
        for stored in self.transactions {
            guard let id = SettingsID(stored.id) else {
                throw Self.damaged("'\(stored.id)' is not the id of settings")
            }
            let open: CommittedSettings.Open?
            do {
                open = try stored.request.map { document in
                    let (request, principal) = try document.value(id: id)
                    return CommittedSettings.Open(request, by: principal, cameras: document.cameras)
                }
            } catch {
                throw Self.damaged("the request of settings \(id): \(error)")
            }
            transactions.append(
                CommittedSettings(
                    id: id, rigClock: stored.rigClock, time: stored.timeRigNanoseconds, state: stored.state, open: open,
                    past: try stored.past.map { try $0.value(id: id) }))
        }
        return transactions
    }

    fileprivate static func damaged(_ cause: String) -> DocumentError {
        DocumentError(.damaged, "read", "the settings", cause)
    }
}

extension CommittedSettings {
    /// Whether it is part of a run, or undoes one.
    fileprivate var concernsRun: Bool { open?.request.run != nil || past?.run != nil || past?.undoesRun != nil }
}

extension SettingsLedgerDocument.Past {
    fileprivate init(_ past: PastSettings) {
        self.init(
            cameras: past.cameras.map {
                Camera(
                    awaitsNode: $0.awaitsNode ? true : nil, beforeRun: $0.beforeRun?.description,
                    isUndoOver: $0.isUndoOver ? true : nil, device: $0.device, earlier: $0.earlier?.description,
                    outcome: $0.outcome, settings: $0.settings.description,
                    undone: $0.undone.isEmpty ? nil : $0.undone)
            },
            principal: past.principal, profile: past.profile?.description, run: past.run,
            toldRealtimeNanoseconds: "\(past.realtimeNanoseconds)", undoes: past.undoes?.description,
            undoesRun: past.undoesRun)
    }

    fileprivate func value(id: SettingsID) throws -> PastSettings {
        guard let time = Int64(toldRealtimeNanoseconds) else {
            throw SettingsLedgerDocument.damaged("settings \(id) have no valid time")
        }
        guard Set(cameras.map(\.device)).count == cameras.count else {
            throw SettingsLedgerDocument.damaged("settings \(id) name a camera twice")
        }
        return PastSettings(
            id: id, realtimeNanoseconds: time, principal: principal,
            profile: try read(profile, "a profile", ProfileReference.init),
            undoes: try read(undoes, "the id of settings") { SettingsID($0) }, undoesRun: undoesRun, run: run,
            cameras: try cameras.map {
                PastSettings.Camera(
                    device: $0.device, settings: try CaptureSettings(parsing: $0.settings),
                    earlier: try $0.earlier.map { try CaptureSettings(parsing: $0) }, outcome: $0.outcome,
                    awaitsNode: $0.awaitsNode ?? false, isUndoOver: $0.isUndoOver ?? false,
                    beforeRun: try $0.beforeRun.map { try CaptureSettings(parsing: $0) }, undone: $0.undone ?? [])
            })
    }

    private func read<Value>(_ text: String?, _ what: String, _ parse: (String) -> Value?) throws -> Value? {
        guard let text else { return nil }
        guard let value = parse(text) else { throw SettingsLedgerDocument.damaged("'\(text)' is not \(what)") }
        return value
    }
}

/// The steps of the ledger's file work at which a test can make the disk fail.
public enum LedgerFileFault: String, FileFaultPoint {
    case makeFolder = "ledger.folder.make"
    case syncFolder = "ledger.folder.sync"
    case read = "ledger.file.read"
    case write = "ledger.file.write"
    case sync = "ledger.file.sync"
    case rename = "ledger.file.rename"

    public init?(_ step: FileStep, path: String) {
        self.init(step, in: "ledger", part: "file")
    }
}
