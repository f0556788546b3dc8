public import CaptureModel
internal import RigProtocol
internal import RigWire

/// The result of hashing every stored file of a shot again.
public struct Verification: Hashable, Codable, Sendable {
    public var shot: ShotID
    public var files: [File]

    /// A file of the shot's folder.
    public struct File: Hashable, Codable, Sendable {
        /// Path inside the shot's folder.
        public var path: String
        public var finding: Finding

        public init(path: String, finding: Finding) {
            self.path = path
            self.finding = finding
        }
    }

    /// How a file compares with the manifest.
    public enum Finding: String, Hashable, Codable, Sendable, CaseIterable {
        /// The bytes are those of the manifest.
        case ok
        /// The manifest names the file, and it does not exist.
        case missing
        /// The bytes are not those of the manifest.
        case altered
        /// The file exists, and the manifest does not name it.
        case stray
        /// The file could not be read.
        case unreadable
        /// The bytes that arrived were not those that its node had announced; the file was moved to quarantine.
        case quarantined
    }

    public init(shot: ShotID, files: [File]) {
        self.shot = shot
        self.files = files
    }

    /// Whether every file matches the manifest.
    public var isSound: Bool { files.allSatisfy { $0.finding == .ok } }
}

extension Verification {
    init(wire: WireVerification) throws(WireError) {
        shot = try FieldReader("Verification").shotID(wire.shotID)
        files = try wire.files.map { (file) throws(WireError) in try File(wire: file) }
    }
}

/// The files of a library that belong to no shot.
public struct UnclaimedFiles: Hashable, Codable, Sendable {
    /// Paths inside the library.
    public var files: [Verification.File]
    /// Whether there are more files than these.
    public var isCut: Bool

    public init(files: [Verification.File], isCut: Bool) {
        self.files = files
        self.isCut = isCut
    }
}

extension UnclaimedFiles {
    init(wire: WireUnclaimedFiles) throws(WireError) {
        files = try wire.files.map { (file) throws(WireError) in try Verification.File(wire: file) }
        isCut = wire.isCut
    }
}

extension Verification.File {
    init(wire: WireVerifiedFile) throws(WireError) {
        let finding = try FieldReader("VerifiedFile").word(wire.finding, "finding", as: Verification.Finding.self)
        self.init(path: wire.path.sentence(limit: WireLimits.reasonByteCount), finding: finding)
    }
}
