public import CaptureModel
public import FaultPoints
public import PosixSupport

extension DocumentFormat<[DeviceDescription]> {
    /// The devices of a rig. A device stays part of the rig while it is absent. A rig must not forget its cameras silently, so a file that
    /// cannot be read stays as it is.
    public static var roster: DocumentFormat {
        DocumentFormat(
            RosterDocument.self, fileName: "roster.json", byteLimit: 16 << 20, subject: "the roster",
            consequence: "restore it from a copy, or move it away to begin with the cameras that connect",
            durable: RosterFault.durable)
    }
}

/// The content of a `roster.json`.
struct RosterDocument: VersionedDocument {
    static let schemaVersions = 1...1

    private(set) var schemaVersion = 1
    private var devices: [DeviceDescription]

    init(_ devices: [DeviceDescription]) {
        self.devices = devices
    }

    func content() -> [DeviceDescription] { devices }
}

/// The steps of the roster's file work at which a test can make the disk fail.
public enum RosterFileFault: String, FileFaultPoint {
    case makeFolder = "roster.folder.make"
    case syncFolder = "roster.folder.sync"
    case read = "roster.file.read"
    case write = "roster.file.write"
    case sync = "roster.file.sync"
    case rename = "roster.file.rename"

    public init?(_ step: FileStep, path: String) {
        self.init(step, in: "roster", part: "file")
    }
}

/// Moments at which the roster has just become durable.
public enum RosterFault: String, ThreadFaultPoint {
    case durable = "roster.file.durable"
}
