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
        let reader = FieldReader("VerifiedFile")
        shot = try FieldReader("Verification").shotID(wire.shotID)
        var files: [File] = []
        for file in wire.files {
            let finding = try reader.word(file.finding, "finding", as: Finding.self)
            files.append(File(path: file.path.sentence(limit: WireLimits.reasonByteCount), finding: finding))
        }
        self.files = files
    }
}
