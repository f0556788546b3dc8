public import CaptureModel
internal import CaptureSystem
internal import Crypto
internal import PosixSupport

extension LibraryReader {
    /// Hashes every file of a shot again and compares it with the manifest.
    /// - Returns: One finding per file that the manifest says is stored, in its order, then one per stray file.
    /// - Throws: `fileLost` where the library does not have the shot; `corrupted` where its manifest is damaged.
    public func verify(_ id: ShotID) throws(CaptureProblem) -> [VerifyFinding] {
        guard let folder = try folder(of: id) else {
            throw CaptureProblem(.fileLost, "the library \(root.path) has no shot \(id)")
        }
        var findings: [VerifyFinding] = []
        let shot = try read(in: folder, id: id)
        for capture in shot.captures {
            for file in capture.files where file.outcome == .done || file.outcome == .late {
                findings.append(verify(file, of: capture.device.id, in: folder))
            }
        }
        let known = Set(
            findings.map(\.path)
                + [LibraryNames.manifest(of: shot), LibraryNames.annotation, LibraryNames.unfinishedAnnotation])
        let strays = try files(in: folder).filter { !known.contains($0) }
        return findings
            + strays.map {
                VerifyFinding(path: $0, state: .stray, detail: "the manifest does not say that it is stored")
            }
    }

    private func verify(_ file: CapturedFile, of device: DeviceID, in folder: Folder) -> VerifyFinding {
        // Built from the ids: the manifest's own path is for people.
        let path = LibraryNames.path(device, file.kind)
        do {
            guard let captureFolder = try folder.folderIfPresent(device.folderName),
                try captureFolder.entry(file.kind.fileName) != nil
            else { return VerifyFinding(path: path, state: .missing, detail: "the file is not there") }
            let stored = try captureFolder.open(file.kind.fileName, for: .reading)
            let byteCount = try stored.byteCount()
            if let expected = file.byteCount, expected != byteCount {
                return VerifyFinding(
                    path: path, state: .altered, detail: "it has \(byteCount) bytes instead of \(expected)")
            }
            let digest = try stored.digest()
            guard digest == file.digest else {
                let expected = file.digest?.description ?? "unknown"
                return VerifyFinding(
                    path: path, state: .altered, detail: "its SHA-256 is \(digest) instead of \(expected)")
            }
            return VerifyFinding(path: path, state: .ok)
        } catch {
            return VerifyFinding(path: path, state: .unreadable, detail: error.description)
        }
    }

    /// Paths of all that lies in a shot's folder and the folders in it, except empty folders.
    func files(in folder: Folder) throws(CaptureProblem) -> [String] {
        try folder.attempt { () throws(PosixError) in
            var paths: [String] = []
            for entry in try folder.entries() {
                guard entry.kind == .folder else {
                    paths.append(entry.name)
                    continue
                }
                for inner in try folder.folder(entry.name).names() { paths.append("\(entry.name)/\(inner)") }
            }
            return paths
        }
    }
}
