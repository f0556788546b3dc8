import CaptureModel

/// A shot as the coordinator knows it, and whether it has changes that no manifest has.
///
/// It is ahead of the disk by the changes of at most two writes. A capture is named by its place in `captures`, which never changes.
struct KnownShot: Sendable {
    private var known: Shot
    private var isChanged: Bool
    private let places: [DeviceID: Int]
    /// Whether T is an instant of the rig's present time line, which a reboot of the coordinator ends.
    let isTimeValid: Bool

    /// - Parameter isWritten: Whether a durable manifest has it.
    init(_ shot: Shot, isWritten: Bool, isTimeValid: Bool) {
        known = shot
        isChanged = !isWritten
        places = Dictionary(
            shot.captures.enumerated().map { ($1.device.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.isTimeValid = isTimeValid
    }

    var shot: Shot { known }
    var captures: [Capture] { known.captures }
    var hasUnwrittenChanges: Bool { isChanged }

    func place(of device: DeviceID) -> Int? { places[device] }

    /// Returns the places of the captures that match.
    func places(where matches: (Capture) -> Bool) -> [Int] {
        known.captures.indices.filter { matches(known.captures[$0]) }
    }

    /// Returns the cameras of the captures that match.
    func devices(where matches: (Capture) -> Bool) -> [DeviceID] {
        known.captures.filter(matches).map(\.device.id)
    }

    func key(of kind: AssetKind, _ place: Int) -> FileKey {
        FileKey(capture: CaptureKey(shot: known.id, device: known.captures[place].device.id), kind: kind)
    }

    /// All changes of captures pass through here.
    private mutating func change(_ place: Int, _ body: (inout Capture) -> Void) {
        let before = known.captures[place]
        body(&known.captures[place])
        if known.captures[place] != before { isChanged = true }
    }

    private func locate(_ key: FileKey) -> (capture: Int, file: Int)? {
        guard key.capture.shot == known.id, let place = places[key.capture.device],
            let file = known.captures[place].files.firstIndex(where: { $0.kind == key.kind })
        else { return nil }
        return (place, file)
    }

    // MARK: Arming

    mutating func arm(_ place: Int, _ resolved: ResolvedPhotoSettings) {
        change(place) { capture in
            capture.phase = .armed
            capture.resolved = resolved
        }
        expect(resolved, place)
    }

    /// Expects another answer of an armed camera.
    mutating func disarm(_ place: Int) {
        guard known.captures[place].phase == .armed else { return }
        change(place) { $0.phase = .preparing }
    }

    private mutating func expect(_ resolved: ResolvedPhotoSettings, _ place: Int) {
        let settings = known.request.settings
        change(place) { $0.expect(resolved, for: settings) }
    }

    mutating func miss(_ place: Int, _ problem: RigProblem) {
        change(place) { $0.end(as: .missed, files: .missed, problem) }
    }

    /// Fails a capture: the frame existed, but none of its files does.
    mutating func fail(_ place: Int, _ problem: RigProblem) {
        change(place) { $0.end(as: .failed, files: .failed, problem) }
    }

    // MARK: Reports

    /// Applies the first report of a capture.
    mutating func accept(_ report: CaptureReport, _ place: Int) {
        expect(report.resolved, place)
        let movie = noted(report.movie, in: report.resolved.streamFormat)
        change(place) { $0.accept(report, movie: movie) }
        finish(place)
    }

    /// Applies a report of a capture that was given up and continues.
    mutating func reopen(_ place: Int, with report: CaptureReport) {
        change(place) { $0.reopen(with: report) }
        _ = grow(place, by: report)
    }

    /// Applies a later report to files that had not been announced.
    /// - Returns: The files that can be collected because of it.
    mutating func grow(_ place: Int, by report: CaptureReport) -> Set<AssetKind> {
        var fresh: Set<AssetKind> = []
        let movie = noted(report.movie, in: report.resolved.streamFormat)
        change(place) { fresh = $0.grow(by: report, movie: movie) }
        if known.captures[place].phase == .captured { finish(place) }
        return fresh
    }

    private func noted(_ movie: RecordedMovie?, in format: VideoFormat?) -> RecordedMovie? {
        guard let stop = known.take?.stopTime else { return movie }
        return movie?.noting(stop: stop, start: known.time, in: format, isTimeValid: isTimeValid)
    }

    // MARK: Files

    mutating func stored(_ key: FileKey, path: String, at instant: RigTime, isLate: Bool) {
        guard let (place, file) = locate(key) else { return }
        let before = known.captures[place].files[file]
        // A digest shows that there was a report. A file that failed before may still arrive.
        guard before.digest != nil, before.outcome == .pending || before.outcome == .failed else { return }
        change(place) { capture in
            capture.files[file].outcome = isLate ? .late : .done
            capture.files[file].problem = nil
            capture.files[file].path = path
            capture.files[file].storedAt = instant
        }
        finish(place)
    }

    mutating func storingFailed(_ key: FileKey, _ problem: RigProblem) {
        guard let (place, file) = locate(key), known.captures[place].files[file].outcome == .pending,
            known.captures[place].phase == .captured
        else { return }
        change(place) { $0.fail([file], problem) }
        finish(place)
    }

    /// Fails the files that the library does not have. They can no longer arrive.
    mutating func discarded(_ device: DeviceID, _ problem: RigProblem) {
        guard let place = places[device] else { return }
        let capture = known.captures[place]
        guard !capture.isAwaited, capture.phase != .missed || capture.isProvisional else { return }
        let lost = capture.files.indices.filter { !capture.files[$0].isStored }
        guard !lost.isEmpty else { return }
        change(place) { $0.fail(lost, problem) }
        finish(place)
    }

    private mutating func finish(_ place: Int) {
        change(place) { $0.finish() }
    }

    /// Marks the files that an answer does not contain as late.
    mutating func markLate(unlessIn answer: Shot) {
        for place in known.captures.indices {
            let inTime = Set(answer.captures[place].files.filter { $0.outcome == .done }.map(\.kind))
            change(place) { $0.markLate(except: inTime) }
        }
    }

    // MARK: The shot

    /// Updates status and settling time from the captures.
    mutating func updateStatus(at now: RigTime) {
        let status = known.derivedStatus
        if status != known.status {
            known.status = status
            isChanged = true
        }
        if (known.settledAt == nil) != (status == .open) {
            known.settledAt = status == .open ? nil : now
            isChanged = true
        }
    }

    /// Records that an open shot was answered, so that after a restart too, later files are late.
    mutating func answered(at now: RigTime) {
        known.answeredAt = now
        isChanged = true
    }

    /// Stops an open take. The first instant counts.
    /// - Returns: Whether this is the first.
    mutating func stop(at time: RigTime) -> Bool {
        guard known.status == .open, known.take != nil, known.take?.stopTime == nil else { return false }
        known.take?.stopTime = time
        isChanged = true
        for place in known.captures.indices {
            let capture = known.captures[place]
            let movie = noted(capture.movie, in: capture.resolved?.streamFormat)
            change(place) { $0.movie = movie }
        }
        return true
    }

    /// Sets a mark once for each id, at most ``Take/markLimit``.
    mutating func set(_ mark: TakeMark) {
        guard let marks = known.take?.marks, marks.count < Take.markLimit, !marks.contains(where: { $0.id == mark.id })
        else { return }
        known.take?.marks.append(mark)
        isChanged = true
    }

    // MARK: Manifests

    /// Returns the manifest to write, with all changes and how simultaneous the pictures are by now.
    /// - Parameter isFirst: Whether nothing has been written before. Each further write is another revision.
    mutating func manifest(isFirst: Bool) -> Shot {
        if !isFirst, known.revision < .max { known.revision += 1 }
        isChanged = false
        known.measureTiming()
        return known
    }

    /// Records that the last manifest could not be written.
    mutating func manifestFailed() {
        isChanged = true
    }
}
