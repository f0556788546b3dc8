public import CaptureModel
internal import CaptureSystem
internal import FaultPoints
public import PosixSupport

/// Movies of takes: recorded for as long as somebody wants, in a folder of their own, and adopted by their capture when they
/// are finished.
///
/// ```
///  store(owed: movie, frames) ──▶ owed ── adopt ──▶ files in place, still owed ── add ──▶ stored ── release ──▶ gone
///                                  └──── giveUp ──▶ failed ── forgetFailure ──▶ gone
/// ```
///
/// A recording in several files owes one pair at a time: with what becomes of it, and in the same manifest, the next one is
/// owed, until the recording has ended.
///
/// Unlike a clip's, such a debt outlives the process: what the end of it left, the next start finishes.
extension Spool {
    /// The name of a capture's recording in ``recordings``; the parts of a movie and its sidecar begin with it.
    public nonisolated static func recordingName(_ key: CaptureKey) -> String { SpoolNames.stem(key) }

    /// The capture whose recording a file in ``recordings`` is part of; nil for a name this program did not make.
    public nonisolated static func capture(ofRecording name: String) -> CaptureKey? {
        // A recording's names go on with `-001.`, after which there is at least one further part.
        guard let dash = name.lastIndex(of: "-") else { return nil }
        return SpoolNames.key(of: name[..<dash] + ".recording")
    }

    /// Which file of a recording a name in ``recordings`` belongs to.
    private nonisolated static func number(ofRecording name: String) -> Int? {
        name.split(separator: "-").last.flatMap { Int($0.prefix(while: \.isNumber)) }
    }

    /// Sets another number of bytes aside than before.
    /// - Throws: `noSpace` where there is no room for what it grows by; the reservation is as it was then.
    public func resize(
        _ reservation: SpoolReservation, to byteCount: Int64
    ) throws(CaptureProblem) -> SpoolReservation {
        guard let present = reservations[reservation.id] else { return reservation }
        if byteCount > present { try checkRoom(for: byteCount - present) }
        reservations[reservation.id] = max(byteCount, 0)
        return SpoolReservation(id: reservation.id, byteCount: max(byteCount, 0))
    }

    /// Moves a finished file of a recording to where its capture's files are, and looks at it. Harmless where that was done
    /// before. Blocks on the disk, on the calling thread, for as long as the file takes to be read.
    /// - Parameter name: The file in ``recordings``.
    /// - Throws: `inputOutput`; the file stays where it is then.
    public nonisolated func adopt(_ name: String, as key: FileKey) throws(CaptureProblem) -> SpooledFile {
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

    /// Where the damaged captures are.
    public nonisolated var damagedPath: String { damaged.path }

    /// Moves what there is of one file of a recording that nobody will finish, and of its sidecar, to the damaged captures, where
    /// people find it: see ``damagedCaptures()``. Where there is no movie among it, it is removed. Harmless where that was done
    /// before. Blocks on the disk.
    /// - Returns: Where the movie lies; nil where there is none.
    /// - Throws: `inputOutput`, `noSpace`; what the disk refuses to move stays where it is, and a repeat finishes the work.
    @discardableResult
    public nonisolated func setAside(_ segment: SegmentNumber, of key: CaptureKey) throws(CaptureProblem) -> String? {
        let (movie, sidecar) = (SpoolNames.file(key, .movie(segment)), SpoolNames.file(key, .frames(segment)))
        return try damaged.attempt { () throws(PosixError) in
            var parts: [(folder: Folder, name: String)] = []
            for name in [movie, sidecar] where try captures.entry(name) != nil { parts.append((captures, name)) }
            // In order of name, so that a finished movie comes before the recording that it was made of.
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
            // Also where a repeat finds everything moved: it may have been ended before this.
            if isMovie || !parts.isEmpty {
                for folder in [damaged, captures, recordings] { try folder.sync() }
            }
            return isMovie ? damaged.path(of: movie) : nil
        }
    }

    /// Whether ``recordings`` has a file of this name.
    /// - Throws: `inputOutput`.
    public nonisolated func hasRecording(_ name: String) throws(CaptureProblem) -> Bool {
        try recordings.attempt { () throws(PosixError) in try recordings.entry(name) } != nil
    }

    /// Whether a file of a capture is in its place, though perhaps still owed.
    /// - Throws: `inputOutput`.
    public nonisolated func hasAdopted(_ key: FileKey) throws(CaptureProblem) -> Bool {
        try captures.attempt { () throws(PosixError) in
            try captures.entry(SpoolNames.file(key.capture, key.kind))
        } != nil
    }

    /// Whether there is a movie of any later file of a recording, finished or not.
    /// - Throws: `inputOutput`.
    public nonisolated func hasRecorded(
        after segment: SegmentNumber, of key: CaptureKey
    ) throws(CaptureProblem) -> Bool {
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

    /// A file of a capture that is in its place, though perhaps still owed.
    /// - Throws: `inputOutput`.
    public nonisolated func opened(_ key: FileKey) throws(CaptureProblem) -> OpenFile {
        try captures.attempt { () throws(PosixError) in
            try captures.open(SpoolNames.file(key.capture, key.kind), for: .reading)
        }
    }

    /// What is known of a recording with one of its files.
    public enum Sequel: Hashable, Sendable {
        /// The next file is owed since; what those hold together that came before it.
        case more(RecordingTally)
        /// It was the last one. nil where nothing was recorded.
        case end(RecordedMovie?)
    }

    /// Makes the files of a recording that have one number part of their capture; returns once that is durable.
    /// - Returns: The capture with them; nil where nobody owes them any more, since somebody has discarded the capture. They
    ///   are removed then.
    /// - Throws: `noSpace`, `inputOutput`; they are still owed.
    public func add(
        _ files: [SpooledFile], of segment: SegmentNumber, to key: CaptureKey, _ sequel: Sequel
    ) throws(CaptureProblem) -> CaptureReport? {
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
                problem: CaptureProblem(.fileLost, "the \(kind.rawValue) of \(key.device) was lost with its recording"))
        }
        report.files += files
        report.go(on: sequel, after: segment)
        try replace(report)
        reports[key] = report
        storedBytes += files.reduce(0) { $0 + $1.byteCount }
        SpoolFault.movieDurable.reached()
        return report
    }

    /// Records durably that there are no files of this number, and why; what there is of them is set aside. What cannot be
    /// written down is known until the process ends, and the next start tries to finish them once more.
    /// - Returns: The capture with its failure; nil where nobody owes them.
    public func giveUp(
        _ segment: SegmentNumber, of key: CaptureKey, _ problem: CaptureProblem, _ sequel: Sequel
    ) -> CaptureReport? {
        guard var report = reports[key], report.owed.contains(.movie(segment)) else { return nil }
        report.failed += report.owed.map { FailedFile(kind: $0, problem: problem) }
        report.go(on: sequel, after: segment)
        reports[key] = report
        if (try? replace(report)) != nil { SpoolFault.companionGivenUp.reached() }
        return report
    }

    /// Records durably that nothing was recorded, and why.
    /// - Returns: The capture with its failure; nil where nobody owes a movie.
    public func giveUpMovie(of key: CaptureKey, _ problem: CaptureProblem) -> CaptureReport? {
        giveUp(.first, of: key, problem, .end(nil))
    }

    /// Removes recordings that nobody will finish; what this program did not make, or a newer one did, is left alone. What
    /// cannot be removed, the next start removes.
    public nonisolated func removeRecordings(_ isUnwanted: (CaptureKey) -> Bool) {
        for name in (try? recordings.names()) ?? [] {
            guard let key = Self.capture(ofRecording: name), isUnwanted(key), !newer.contains(key) else { continue }
            try? recordings.remove(name)
        }
    }
}

extension CaptureReport {
    fileprivate mutating func go(on sequel: Spool.Sequel, after segment: SegmentNumber) {
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
