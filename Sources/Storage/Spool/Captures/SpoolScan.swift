internal import CaptureModel
internal import PosixSupport

/// The content of the folder of captures at a start, after it was put in order: remains of unfinished work are removed, damaged captures
/// are moved aside, everything foreign is left alone.
struct SpoolScan {
    private(set) var reports: [CaptureKey: CaptureReport] = [:]
    private(set) var damagedCount = 0
    private(set) var removedLeftovers = 0
    private(set) var foreignCount = 0
    /// Sentences for the log, one for each problem found.
    private(set) var findings: [String] = []

    private let captures: Folder
    private let damaged: Folder
    private let recordings: Folder
    /// Captures of a newer version, which this version must not change.
    private(set) var newer: Set<CaptureKey> = []
    private let works: [CaptureKey: DeferredWork]

    /// - Parameter works: The deferred work that can still be done.
    init(
        captures: Folder, damaged: Folder, recordings: Folder, works: [CaptureKey: DeferredWork]
    ) throws(PosixError) {
        self.works = works
        self.recordings = recordings
        self.captures = captures
        self.damaged = damaged
        var entries: [String: FolderEntry] = [:]
        for entry in try captures.entries() { entries[entry.name] = entry }
        for entry in entries.values where SpoolNames.isManifest(entry.name) { try examine(entry, among: entries) }
        for entry in try captures.entries() { try sweep(entry) }
        // Last, since the removals make room on a full disk.
        for key in reports.keys.sorted() { failOwedFiles(of: key) }
    }

    private mutating func examine(_ entry: FolderEntry, among entries: [String: FolderEntry]) throws(PosixError) {
        guard let key = SpoolNames.key(of: entry.name), SpoolNames.manifest(key) == entry.name else { return }
        switch reading(of: entry, key: key, among: entries) {
        case .whole(let report): reports[key] = report
        case .newer: newer.insert(key)
        case .damaged(let reason): try setAside(key, reason, among: entries)
        }
    }

    /// Fails owed files that were being made when the process ended and are not deferred. The failure is reported like any other outcome. A
    /// recording is on the disk, and is finished later. If the failure cannot be written, it is known until the process ends, as with
    /// ``Spool/giveUp(_:of:_:)``.
    private mutating func failOwedFiles(of key: CaptureKey) {
        guard var report = reports[key] else { return }
        let lost = report.owed.filter { $0.segment == nil && works[key]?.kinds.contains($0) != true }
        guard !lost.isEmpty else { return }
        let finding = "\(lost.map(\.rawValue).joined(separator: ", ")) of \(key) was not finished"
        report.failed += lost.map { FailedFile(kind: $0, problem: Self.unfinished($0, of: key.device)) }
        report.owed.removeAll(where: lost.contains)
        reports[key] = report
        do {
            try captures.publish([CaptureManifest(capture: report).encoded()], as: SpoolNames.manifest(key))
            findings.append(finding)
        } catch {
            findings.append("\(finding); this could not be written down: \(error)")
        }
    }

    private static func unfinished(_ kind: AssetKind, of device: DeviceID) -> RigProblem {
        RigProblem(
            .agentRestarted,
            "the agent of node '\(device.node)' ended while the \(kind.rawValue) of \(device) was being made, and was restarted"
        )
    }

    private func reading(of entry: FolderEntry, key: CaptureKey, among entries: [String: FolderEntry])
        -> CaptureManifest.Reading
    {
        guard entry.kind == .file else { return .damaged("not a regular file") }
        let bytes: [UInt8]
        do throws(PosixError) {
            // A second attempt, since a read error may be temporary and nothing complete must be moved aside.
            let first = try? captures.read(entry.name, limit: 1 << 20)
            bytes = if let first { first } else { try captures.read(entry.name, limit: 1 << 20) }
        } catch {
            return .damaged(error.description)
        }
        let reading = CaptureManifest.read(bytes)
        guard case .whole(let report) = reading else { return reading }
        guard report.key == key else { return .damaged("it is the manifest of \(report.key)") }
        guard !report.isSpent else { return .damaged("it names no file") }
        for file in report.files {
            let name = SpoolNames.file(key, file.kind)
            guard let found = entries[name], found.kind == .file else {
                return .damaged("\(name) is missing")
            }
            guard found.byteCount == file.byteCount else {
                return .damaged("\(name) has \(found.byteCount) bytes instead of \(file.byteCount)")
            }
        }
        return reading
    }

    /// Moves a damaged capture aside. Files first, including unfinished recordings: after a crash in between, the manifest is still there,
    /// and the next start moves the rest.
    private mutating func setAside(_ key: CaptureKey, _ reason: String, among entries: [String: FolderEntry])
        throws(PosixError)
    {
        for name in try recordings.names() where Spool.capture(ofRecording: name) == key {
            try recordings.setAside(name, in: damaged, as: SpoolNames.setAside(name, recordedFor: key))
        }
        try recordings.sync()
        let names = entries.keys.sorted().filter { SpoolNames.key(of: $0) == key }
        for name in names.filter({ !SpoolNames.isManifest($0) }) + names.filter(SpoolNames.isManifest) {
            try captures.setAside(name, in: damaged, as: name)
        }
        try damaged.sync()
        try captures.sync()
        damagedCount += 1
        findings.append("capture \(key) is damaged and was moved to \(damaged.path): \(reason)")
    }

    /// Removes `entry` if its capture's manifest was never written or is already removed.
    private mutating func sweep(_ entry: FolderEntry) throws(PosixError) {
        guard let key = SpoolNames.key(of: entry.name), entry.kind == .file, !newer.contains(key) else {
            foreignCount += 1
            return
        }
        let known = reports[key].map { report in
            // Owed files of a recording may be there finished before the manifest names them or the failure of a file before them. Failed
            // files of a recording may not have been moved aside yet.
            let owed = report.owedSegment.map { Array(sequence(first: $0, next: \.next)) } ?? []
            let recorded =
                owed.flatMap(AssetKind.ofRecording) + report.failed.map(\.kind).filter { $0.segment != nil }
            return [SpoolNames.manifest(key)] + (report.files.map(\.kind) + recorded).map { SpoolNames.file(key, $0) }
        }
        guard known?.contains(entry.name) != true else { return }
        try captures.remove(entry.name)
        removedLeftovers += 1
        findings.append("removed \(captures.path(of: entry.name)), left over from unfinished work")
    }
}
