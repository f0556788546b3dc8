public import CaptureModel
internal import RigProtocol
internal import RigWire

/// What hashing every stored file of a shot again has found.
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
        /// The bytes are those the manifest names.
        case ok
        /// The manifest names it, and it is not there.
        case missing
        /// Its bytes are not those the manifest names.
        case altered
        /// It is there, and the manifest does not name it.
        case stray
        /// It could not be read.
        case unreadable
        /// It arrived with other bytes than its node had announced, and was put aside.
        case quarantined
    }

    public init(shot: ShotID, files: [File]) {
        self.shot = shot
        self.files = files
    }

    /// Whether every file is as the manifest says.
    public var isSound: Bool { files.allSatisfy { $0.finding == .ok } }
}

extension Verification {
    init(wire: WireVerification) throws(WireError) {
        shot = try FieldReader("Verification").shotID(wire.shotID)
        files = try wire.files.map { (file) throws(WireError) in try File(wire: file) }
    }
}

/// What lies in a library and belongs to no shot.
public struct UnclaimedFiles: Hashable, Codable, Sendable {
    /// Paths inside the library.
    public var files: [Verification.File]
    /// There are more than these.
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
