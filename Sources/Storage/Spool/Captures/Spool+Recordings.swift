public import CaptureModel
internal import FaultPoints
public import PosixSupport

/// Movies of takes: recorded for any length of time in a separate folder, and adopted by their capture when they are finished.
///
/// ```
///  store(owed: movie, frames) ──▶ owed ── adopt ──▶ files in place, still owed ── add ──▶ stored ── release ──▶ gone
///                                  └──── giveUp ──▶ failed ── forgetFailure ──▶ gone
/// ```
///
/// A recording in several files owes one pair of movie and sidecar at a time. The manifest that records the outcome of a pair also owes the
/// next pair, until the recording has ended.
///
/// Unlike a clip, an owed recording survives the end of the process. The next start finishes what is left.
extension Spool {
    /// Returns the name of a capture's recording in ``recordings``. The names of its movies and sidecars begin with it.
    public nonisolated static func recordingName(_ key: CaptureKey) -> String { SpoolNames.stem(key) }

    /// Returns the capture whose recording a file in ``recordings`` is part of; nil for a name that this program did not make.
    public nonisolated static func capture(ofRecording name: String) -> CaptureKey? {
        // The name of a recording continues with `-001.` and at least one further part.
        guard let dash = name.lastIndex(of: "-") else { return nil }
        return SpoolNames.key(of: name[..<dash] + ".recording")
    }

    /// Returns the number of the recording's file to which a name in ``recordings`` belongs.
    private nonisolated static func number(ofRecording name: String) -> Int? {
        name.split(separator: "-").last.flatMap { Int($0.prefix(while: \.isNumber)) }
    }

    /// Changes the size of a reservation.
    /// - Throws: `noSpace` if there is no room for the increase; the reservation is then unchanged.
    public func resize(
        _ reservation: SpoolReservation, to byteCount: Int64
    ) throws(SpoolError) -> SpoolReservation {
        guard let present = reservations[reservation.id] else { return reservation }
        if byteCount > present { try checkRoom(for: byteCount - present) }
        reservations[reservation.id] = max(byteCount, 0)
        return SpoolReservation(id: reservation.id, byteCount: max(byteCount, 0))
    }

    /// Moves a finished file of a recording to the files of its capture, and returns its size and digest. Harmless if the file was moved
    /// before. Blocks on the disk, on the calling thread, while the file is read.
    /// - Parameter name: The file in ``recordings``.
    /// - Throws: `inputOutput`; the file then stays where it is.
    public nonisolated func adopt(_ name: String, as key: FileKey) throws(SpoolError) -> SpooledFile {
        let target = SpoolNames.file(key.capture, key.kind)
        try captures.attempt { () throws(PosixError) in
            guard try recordings.entry(name) != nil else { return }
            try recordings.rename(name, in: captures, to: target)
            try captures.sync()
            try recordings.sync()
        }
        SpoolFault.movieAdopted.reached()
        return try describe(target, as: key.kind)
    }

    /// The path of the folder of damaged captures.
    public nonisolated var damagedPath: String { damaged.path }

    /// Moves one file of a recording that will not be finished, and its sidecar, to the damaged captures, where people find it: see
    /// ``damagedCaptures()``. If there is no movie, removes the rest. Harmless if this was done before. Blocks on the disk.
    /// - Returns: The path of the movie; nil if there is none.
    /// - Throws: `inputOutput`, `noSpace`; what cannot be moved stays where it is, and a repeat finishes the work.
    @discardableResult
    public nonisolated func setAside(_ segment: SegmentNumber, of key: CaptureKey) throws(SpoolError) -> String? {
        let (movie, sidecar) = (SpoolNames.file(key, .movie(segment)), SpoolNames.file(key, .frames(segment)))
        return try damaged.attempt { () throws(PosixError) in
            var parts: [(folder: Folder, name: String)] = []
            for name in [movie, sidecar] where try captures.entry(name) != nil { parts.append((captures, name)) }
            // In order of name, so that a finished movie precedes the recording from which it was made.
            for name in try recordings.names().sorted()
            where Self.capture(ofRecording: name) == key && Self.number(ofRecording: name) == segment.value {
                parts.append((recordings, name))
            }
            let isBegun = try damaged.entry(movie) != nil
            let isMovie = isBegun || parts.contains { $0.name.hasSuffix(".mov") }
            for (folder, name) in parts {
                if isMovie, !name.hasSuffix(".tmp") {
                    try folder.setAside(name, in: damaged, as: name.hasSuffix(".mov") ? movie : sidecar)
                } else {
                    try folder.remove(name)
                }
            }
            // Also if a repeat finds everything moved: the previous attempt may have ended before the sync.
            if isMovie || !parts.isEmpty {
                for folder in [damaged, captures, recordings] { try folder.sync() }
            }
            return isMovie ? damaged.path(of: movie) : nil
        }
    }

    /// Returns whether ``recordings`` has a file of this name.
    /// - Throws: `inputOutput`.
    public nonisolated func hasRecording(_ name: String) throws(SpoolError) -> Bool {
        try recordings.attempt { () throws(PosixError) in try recordings.entry(name) } != nil
    }

    /// Returns whether a file of a capture is in its place, even if it is still owed.
    /// - Throws: `inputOutput`.
    public nonisolated func hasAdopted(_ key: FileKey) throws(SpoolError) -> Bool {
        try captures.attempt { () throws(PosixError) in
            try captures.entry(SpoolNames.file(key.capture, key.kind))
        } != nil
    }

    /// Returns whether there is a movie of any later file of a recording, finished or not.
    /// - Throws: `inputOutput`.
    public nonisolated func hasRecorded(
        after segment: SegmentNumber, of key: CaptureKey
    ) throws(SpoolError) -> Bool {
        try recordings.attempt { () throws(PosixError) in
            for name in try recordings.names() where name.hasSuffix(".mov") && Self.capture(ofRecording: name) == key {
                if let number = Self.number(ofRecording: name), number > segment.value { return true }
            }
            for later in sequence(first: segment, next: \.next).dropFirst()
            where try captures.entry(SpoolNames.file(key, .movie(later))) != nil {
                return true
            }
            return false
        }
    }

    /// Opens a file of a capture that is in its place, even if it is still owed.
    /// - Throws: `inputOutput`.
    public nonisolated func opened(_ key: FileKey) throws(SpoolError) -> OpenFile {
        try captures.attempt { () throws(PosixError) in
            try captures.open(SpoolNames.file(key.capture, key.kind), for: .reading)
        }
    }

    /// What follows one file of a recording.
    public enum Continuation: Hashable, Sendable {
        /// The next file is owed. The tally covers all files so far.
        case more(RecordingTally)
        /// It was the last file. nil if nothing was recorded.
        case end(RecordedMovie?)
    }

    /// Makes the files of a recording that have one number part of their capture. Returns once that is durable.
    /// - Returns: The capture with them; nil if they are not owed, since the capture was discarded. They are then removed.
    /// - Throws: `noSpace`, `inputOutput`; they are still owed.
    public func add(
        _ files: [SpooledFile], of segment: SegmentNumber, to key: CaptureKey, _ sequel: Continuation
    ) throws(SpoolError) -> CaptureReport? {
        guard var report = reports[key], report.owed.contains(.movie(segment)) else {
            if reports[key] == nil {
                for file in files { try? captures.remove(SpoolNames.file(key, file.kind)) }
            }
            return reports[key]
        }
        let kinds = Set(files.map(\.kind))
        report.failed += report.owed.filter { !kinds.contains($0) }.map { kind in
            FailedFile(
                kind: kind,
                problem: RigProblem(.fileLost, "the \(kind.rawValue) of \(key.device) was lost with its recording"))
        }
        report.files += files
        report.go(on: sequel, after: segment)
        try replace(report)
        reports[key] = report
        storedBytes += files.reduce(0) { $0 + $1.byteCount }
        SpoolFault.movieDurable.reached()
        return report
    }

    /// Records durably that the files with this number will not exist, and why. Their remains are set aside. If this cannot be written, it
    /// is known until the process ends, and the next start tries once more to finish them.
    /// - Returns: The capture with its failure; nil if the files are not owed.
    public func giveUp(
        _ segment: SegmentNumber, of key: CaptureKey, _ problem: RigProblem, _ sequel: Continuation
    ) -> CaptureReport? {
        guard var report = reports[key], report.owed.contains(.movie(segment)) else { return nil }
        report.failed += report.owed.map { FailedFile(kind: $0, problem: problem) }
        report.go(on: sequel, after: segment)
        reports[key] = report
        if (try? replace(report)) != nil { SpoolFault.companionGivenUp.reached() }
        return report
    }

    /// Records durably that nothing was recorded, and why.
    /// - Returns: The capture with its failure; nil if no movie is owed.
    public func giveUpMovie(of key: CaptureKey, _ problem: RigProblem) -> CaptureReport? {
        giveUp(.first, of: key, problem, .end(nil))
    }

    /// Removes recordings that will not be finished. Files that this program did not make, or that a newer version made, are left alone.
    /// What cannot be removed, the next start removes.
    public nonisolated func removeRecordings(_ isUnwanted: (CaptureKey) -> Bool) {
        for name in (try? recordings.names()) ?? [] {
            guard let key = Self.capture(ofRecording: name), isUnwanted(key), !newer.contains(key) else { continue }
            try? recordings.remove(name)
        }
    }
}

extension CaptureReport {
    fileprivate mutating func go(on sequel: Spool.Continuation, after segment: SegmentNumber) {
        switch sequel {
        case .more(let tally):
            recorded = tally
            owed = segment.next.map(AssetKind.ofRecording) ?? []
        case .end(let movie):
            recorded = nil
            owed = []
            self.movie = movie
        }
    }
}
