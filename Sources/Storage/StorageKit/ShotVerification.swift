public import CaptureModel

/// Compares a store with its manifests. Only lists and reads.
public struct ShotVerification: Sendable {
    private let shots: any ShotReading
    private let assets: any AssetReading

    public init(shots: any ShotReading, assets: any AssetReading) {
        self.shots = shots
        self.assets = assets
    }

    /// Hashes every file of a shot again and compares the digest with the manifest.
    /// - Returns: One finding for each file that the manifest says is stored, in its order, then one for each stray file.
    /// - Throws: `notFound` if the store does not have the shot; `corrupted` if its manifest is damaged.
    public func findings(of id: ShotID) async throws(StorageError) -> [VerifyFinding] {
        guard let shot = try await shots.shot(id) else {
            throw StorageError(.notFound, "verify", id, "the library \(shots.location) has no shot \(id)")
        }
        var findings: [VerifyFinding] = []
        for capture in shot.captures {
            for file in capture.files where file.isStored {
                let key = FileKey(capture: CaptureKey(shot: id, device: capture.device.id), kind: file.kind)
                findings.append(await finding(of: file, key))
            }
        }
        let known = Set(findings.map(\.path))
        let strays = try await assets.list(.shot(id)).map(\.description).filter { !known.contains($0) }
        return findings
            + strays.map {
                VerifyFinding(path: $0, state: .stray, detail: "the manifest does not say that it is stored")
            }
    }

    /// Returns entries that belong to no shot: files set aside because they arrived with wrong bytes, and strays. Excludes hidden entries
    /// of a folder.
    /// - Returns: Findings with locations inside the store, first the files set aside.
    public func unclaimed() async throws(StorageError) -> [VerifyFinding] {
        let setAside = try await assets.list(.setAside).map {
            VerifyFinding(
                path: $0.description, state: .quarantined, detail: "it arrived with other bytes than announced")
        }
        return setAside
            + (try await assets.list(.strays).map {
                VerifyFinding(path: $0.description, state: .stray, detail: "it belongs to no shot")
            })
    }

    private func finding(of file: CapturedFile, _ key: FileKey) async -> VerifyFinding {
        // Built from the ids, since the path in the manifest is for people.
        let path = assets.location(of: key).description
        do throws(StorageError) {
            let byteCount = try await assets.byteCount(of: key)
            if let byteCount, let expected = file.byteCount, expected != byteCount {
                return VerifyFinding(
                    path: path, state: .altered, detail: "it has \(byteCount) bytes instead of \(expected)")
            }
            guard let found = try await assets.content(of: key) else {
                return VerifyFinding(path: path, state: .missing, detail: "the file does not exist")
            }
            guard found.digest == file.digest else {
                let expected = file.digest?.description ?? "unknown"
                return VerifyFinding(
                    path: path, state: .altered, detail: "its SHA-256 is \(found.digest) instead of \(expected)")
            }
            return VerifyFinding(path: path, state: .ok)
        } catch {
            return VerifyFinding(path: path, state: .unreadable, detail: error.description)
        }
    }
}

/// The result of verifying one file of a shot.
public struct VerifyFinding: Hashable, Codable, Sendable {
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// The bytes match the manifest.
        case ok
        /// The manifest says that the file is stored, and it does not exist.
        case missing
        /// The bytes differ from those that the manifest names.
        case altered
        /// The file exists, and the manifest does not say that it is stored.
        case stray
        /// The file could not be read.
        case unreadable
        /// The file arrived with other bytes than its node announced, and was set aside.
        case quarantined
    }

    /// Path inside the shot's folder.
    public var path: String
    public var state: State
    /// A sentence that states the difference; nil for `ok`.
    public var detail: String?

    public init(path: String, state: State, detail: String? = nil) {
        self.path = path
        self.state = state
        self.detail = detail
    }
}
