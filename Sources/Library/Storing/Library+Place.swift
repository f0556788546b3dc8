public import CaptureModel
internal import CaptureSystem
internal import PosixSupport

/// Whether what the library holds lies where clients are told that it does.
extension Library {
    /// - Throws: `inputOutput` where the library's path does not lead to the folder that was opened.
    public func checkPlace() throws(CaptureProblem) {
        let lies: String
        switch try root.attempt({ () throws(PosixError) in try root.place() }) {
        case .own: return
        case .nothing: lies = "nothing lies"
        case .other: lies = "another folder lies"
        }
        throw CaptureProblem(
            .inputOutput,
            "the library \(path) was moved, replaced or unmounted while the coordinator runs: \(lies) at this path. Put the library's own folder back there, or start the coordinator again if the other is meant."
        )
    }

    /// Looks for every file that is stored, by its path.
    /// - Throws: `inputOutput`, naming the first that is not there, or the library where that is not in its place.
    public func confirm(_ shot: Shot) throws(CaptureProblem) {
        let names = LibraryNames.folders(of: shot)
        let missing = try root.attempt { () throws(PosixError) in
            let folder = try root.folderIfPresent(names)
            var missing: [String] = []
            for capture in shot.captures { missing += try missingFiles(of: capture, in: folder) }
            return missing
        }
        if let first = missing.first {
            throw CaptureProblem(
                .inputOutput,
                "the library no longer has \(missing.count) of the files that it stored of shot \(shot.id), first \(root.path(of: (names + [first]).joined(separator: "/"))): somebody has moved or removed them. Put them back; `capctl shots verify \(shot.id)` names all of them."
            )
        }
        // Last, since whatever was found above was found in the folder that was opened.
        try checkPlace()
    }

    private func missingFiles(of capture: Capture, in folder: Folder?) throws(PosixError) -> [String] {
        let stored = capture.files.filter(\.isStored)
        guard !stored.isEmpty else { return [] }
        let device = capture.device.id
        let place = try folder?.folderIfPresent(device.folderName)
        var missing: [String] = []
        for file in stored where try place?.entry(file.kind.fileName)?.kind != .file {
            missing.append(LibraryNames.path(device, file.kind))
        }
        return missing
    }
}
