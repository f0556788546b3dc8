public import CaptureModel

/// Checks a store against its manifests, by listing and reading alone.
public struct ShotVerification: Sendable {
    private let shots: any ShotReading
    private let assets: any AssetReading

    public init(shots: any ShotReading, assets: any AssetReading) {
        self.shots = shots
        self.assets = assets
    }

    /// Hashes every file of a shot again and compares it with the manifest.
    /// - Returns: One finding per file that the manifest says is stored, in its order, then one per stray file.
    /// - Throws: `notFound` where the store does not have the shot; `corrupted` where its manifest is damaged.
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

    /// What belongs to no shot: files that were set aside when they arrived with wrong bytes, and strays. Hidden entries of
    /// a folder are left out.
    /// - Returns: Findings with locations inside the store, those set aside first.
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
        // Built from the ids: the manifest's own path is for people.
        let path = assets.location(of: key).description
        do throws(StorageError) {
            let byteCount = try await assets.byteCount(of: key)
            if let byteCount, let expected = file.byteCount, expected != byteCount {
                return VerifyFinding(
                    path: path, state: .altered, detail: "it has \(byteCount) bytes instead of \(expected)")
            }
            guard let found = try await assets.content(of: key) else {
                return VerifyFinding(path: path, state: .missing, detail: "the file is not there")
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
