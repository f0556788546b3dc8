import CameraKit
import CaptureModel

/// Decides what the helper is asked, and which file is the picture of which request. Pure: events in, actions out.
///
/// By command, one picture is exposed at a time: until its file is announced, the next one is not asked for, because files do not say which
/// request has caused them. Downloads go on beside. If a file stays away, the stream ends, so that it cannot come late and be taken for the
/// picture of the next request. A wired camera is never asked: each file belongs to the request whose instant is nearest, if that is near
/// enough.
///
/// A file is removed from the card only if it was fetched whole for a request of this stream and the library has it.
struct PictureMachine {
    struct Limits: Hashable, Sendable {
        /// Whether a trigger at the camera's socket makes it expose.
        var isWired = false
        /// How long before its instant a picture is asked for.
        var lag = Duration.zero
        /// How far from a request's instant a wired picture may be.
        var window = Duration.zero
        /// How long the camera may be silent while something is asked of it.
        var patience = Duration.seconds(15)
        /// Whether files are removed from the card when the library has them.
        var emptiesCard = true

        /// How long before it is to be asked for, a picture is passed to the helper.
        static let head = Duration.seconds(1)
        /// Wired pictures that may wait for their requests, the oldest dropped, and how long.
        static let mostEarly = 16
        static let longestEarly = Duration.seconds(30)
        /// Pictures that the library does not have yet, the oldest dropped. Those stay on the card.
        static let mostKept = 1024
        /// Files of the card that are known, the oldest forgotten.
        static let mostKnown = 1024
    }

    enum Event {
        /// A picture is requested.
        case requested(UInt64, at: LocalTime)
        /// The library has a picture.
        case durable(UInt64)
        case said(HelperMessage)
        case timePassed
    }

    enum Action: Hashable {
        /// Write this line to the helper.
        case send(String)
        case deliver(UInt64, FetchedPicture)
        case refuse(UInt64, String)
        /// A sentence for the log.
        case note(String)
        /// End the stream.
        case fail(String)
    }

    private struct Exposure {
        var id: UInt64
        var instant: LocalTime
        /// When the camera is to be asked.
        var due: LocalTime
        /// When the helper has asked it.
        var asked: LocalTime?
        /// Files other than JPEG that have come for it.
        var others: [String] = []
    }

    private struct Download {
        var file: CardFile
        var stamp: FrameStamp
        var bytes: [UInt8] = []
    }

    let limits: Limits
    let stamps: StillStamps
    /// Requests that have no file, by instant.
    private var waiting: [(id: UInt64, instant: LocalTime)] = []
    private var exposure: Exposure?
    private var downloads: [UInt64: Download] = [:]
    private var early: [CardEvent] = []
    private var kept: [UInt64: CardFile] = [:]
    private var deleting: [UInt64: CardFile] = [:]
    /// JPEG files that were announced and not removed, because some cameras announce a file more than once.
    private var known: [CardFile] = []
    private var lastProgress = LocalTime(nanoseconds: 0)

    init(_ limits: Limits, _ stamps: StillStamps) {
        self.limits = limits
        self.stamps = stamps
    }

    mutating func handle(_ event: Event, at now: LocalTime) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .requested(let id, let instant): request(id, instant, &actions)
        case .durable(let id): remove(id, now, &actions)
        case .said(let message): note(message, now, &actions)
        case .timePassed: break
        }
        advance(now, &actions)
        return actions
    }

    /// When to pass `timePassed` next; nil if only other events change anything.
    var nextInstant: LocalTime? {
        var instants: [LocalTime] = []
        if limits.isWired {
            instants += waiting.map { lastWired($0.instant) }
        } else if exposure == nil, let next = waiting.first {
            instants.append(next.instant - limits.lag - Limits.head)
        }
        if let exposure { instants.append(deadline(of: exposure)) }
        if isSomethingOwed { instants.append(lastProgress + limits.patience) }
        return instants.min()
    }

    // MARK: Requests

    private mutating func request(_ id: UInt64, _ instant: LocalTime, _ actions: inout [Action]) {
        waiting.append((id, instant))
        waiting.sort { $0.instant < $1.instant }
        guard limits.isWired else { return }
        let all = early
        early = []
        for event in all { matchWired(event, &actions) }
    }

    private mutating func remove(_ id: UInt64, _ now: LocalTime, _ actions: inout [Action]) {
        guard let file = kept.removeValue(forKey: id), limits.emptiesCard else { return }
        begin(now)
        deleting[id] = file
        actions.append(.send("delete\td\(id)\t\(file.folder)\t\(file.name)"))
    }

    /// Asks for the next picture if it is time, and gives up what has taken too long.
    private mutating func advance(_ now: LocalTime, _ actions: inout [Action]) {
        if !limits.isWired, exposure == nil, let next = waiting.first {
            let due = next.instant - limits.lag
            if due - Limits.head <= now {
                waiting.removeFirst()
                exposure = Exposure(id: next.id, instant: next.instant, due: max(due, now))
                actions.append(.send("take\tt\(next.id)\t\(due.nanoseconds)"))
            }
        }
        if limits.isWired { giveUpWired(now, &actions) }
        if let exposure, now >= deadline(of: exposure) { actions.append(.fail(silence(of: exposure))) }
        if isSomethingOwed, now >= lastProgress + limits.patience {
            actions.append(
                .fail(
                    "it has not sent anything for \(limits.patience.text), in the middle of a file; turn it off and on")
            )
        }
    }

    private var isSomethingOwed: Bool { !downloads.isEmpty || !deleting.isEmpty }

    /// Something is asked of the camera from here on.
    private mutating func begin(_ now: LocalTime) {
        if !isSomethingOwed { lastProgress = now }
    }

    private func deadline(of exposure: Exposure) -> LocalTime { (exposure.asked ?? exposure.due) + limits.patience }

    private func silence(of exposure: Exposure) -> String {
        let limit = limits.patience.text
        if exposure.asked == nil {
            return
                "it was asked for a picture and has not answered within \(limit): it is stuck; turn it off and on, and set its lens to manual focus"
        }
        if let other = exposure.others.first {
            return "it has stored \(other) and no JPEG image; set its image format to JPEG, or to RAW and JPEG"
        }
        return
            "it has accepted the request and stored no picture within \(limit); set its lens to manual focus, and look at its display"
    }

    // MARK: Messages

    private mutating func note(_ message: HelperMessage, _ now: LocalTime, _ actions: inout [Action]) {
        lastProgress = now
        switch message {
        case .taking(let id, let before, _):
            if id == exposure.map({ "t\($0.id)" }) { exposure?.asked = before }
        case .added(let event): add(event, now, &actions)
        case .data(let id, let bytes): append(bytes, to: number(id), &actions)
        case .fetched(let id, let count): finish(number(id), count, &actions)
        case .done(let id): noteDeleted(number(id))
        case .failed(let id, let code, let reason): fail(id, CameraTrouble(code: code, words: reason), &actions)
        case .lost(let code, let reason): actions.append(.fail(CameraTrouble(code: code, words: reason).reason))
        case .camera, .ready, .value: break
        }
    }

    private func number(_ id: String) -> UInt64? { UInt64(id.dropFirst()) }

    private mutating func fail(_ id: String, _ trouble: CameraTrouble, _ actions: inout [Action]) {
        guard let number = number(id) else { return }
        switch id.first {
        case "t" where exposure?.id == number:
            exposure = nil
            actions.append(.refuse(number, "it has taken no picture: \(trouble.reason)"))
        case "f":
            guard let download = downloads.removeValue(forKey: number) else { return }
            actions.append(
                .refuse(
                    number, "its picture \(download.file.name) cannot be read, and stays on its card: \(trouble.reason)"
                ))
        case "d":
            guard let file = deleting.removeValue(forKey: number) else { return }
            actions.append(.note("\(file.name) stays on its card, though the library has it: \(trouble.reason)"))
        default: break
        }
    }

    // MARK: Files

    private mutating func add(_ event: CardEvent, _ now: LocalTime, _ actions: inout [Action]) {
        begin(now)
        guard event.file.isJPEG else {
            exposure?.others.append(event.file.name)
            return actions.append(.note("\(event.file.name) stays on its card: only its JPEG images are fetched"))
        }
        guard !known.contains(event.file) else {
            return actions.append(.note("\(event.file.name) was announced again"))
        }
        known = known.suffix(Limits.mostKnown - 1) + [event.file]
        guard !limits.isWired else {
            early.append(event)
            early = early.filter { now - $0.instant <= Limits.longestEarly }.suffix(Limits.mostEarly)
            let all = early
            early = []
            for event in all { matchWired(event, &actions) }
            return
        }
        guard let exposure, let asked = exposure.asked, event.instant >= asked else {
            return actions.append(.note("\(event.file.name) stays on its card: nobody has asked for it"))
        }
        self.exposure = nil
        fetch(event.file, for: exposure.id, stamps.stamp(requested: asked, event), &actions)
    }

    private mutating func fetch(_ file: CardFile, for id: UInt64, _ stamp: FrameStamp, _ actions: inout [Action]) {
        downloads[id] = Download(file: file, stamp: stamp)
        actions.append(.send("fetch\tf\(id)\t\(file.folder)\t\(file.name)"))
    }

    private mutating func append(_ bytes: [UInt8], to id: UInt64?, _ actions: inout [Action]) {
        guard let id, let count = downloads[id]?.bytes.count else { return }
        guard count + bytes.count <= HelperReader.largestFile else {
            return actions.append(.fail("a picture has more than \(HelperReader.largestFile >> 20) MiB"))
        }
        downloads[id]?.bytes += bytes
    }

    private mutating func finish(_ id: UInt64?, _ count: Int, _ actions: inout [Action]) {
        guard let id, let download = downloads.removeValue(forKey: id) else { return }
        let file = download.file
        guard download.bytes.count == count, file.byteCount == 0 || file.byteCount == count else {
            return actions.append(
                .refuse(
                    id,
                    "of its picture \(file.name), \(download.bytes.count) of \(max(count, file.byteCount)) bytes came; it stays on its card"
                ))
        }
        kept[id] = file
        if kept.count > Limits.mostKept, let oldest = kept.keys.min() { kept[oldest] = nil }
        actions.append(
            .deliver(id, FetchedPicture(name: file.name, bytes: download.bytes, stamp: download.stamp)))
    }

    private mutating func noteDeleted(_ id: UInt64?) {
        guard let file = id.flatMap({ deleting.removeValue(forKey: $0) }) else { return }
        known.removeAll { $0 == file }
    }

    // MARK: Wired

    /// The instant after which no picture of a request can come.
    private func lastWired(_ instant: LocalTime) -> LocalTime {
        instant + limits.window + stamps.largestLatency + limits.patience
    }

    private mutating func matchWired(_ event: CardEvent, _ actions: inout [Action]) {
        let stamp = stamps.stamp(wired: event)
        let near = waiting.filter { (stamp.midExposure - $0.instant).magnitude <= limits.window + stamp.bound }
        let nearest = near.min {
            (stamp.midExposure - $0.instant).magnitude < (stamp.midExposure - $1.instant).magnitude
        }
        guard let nearest else { return early.append(event) }
        waiting.removeAll { $0.id == nearest.id }
        fetch(event.file, for: nearest.id, stamp, &actions)
    }

    private mutating func giveUpWired(_ now: LocalTime, _ actions: inout [Action]) {
        let late = waiting.filter { now >= lastWired($0.instant) }
        for request in late {
            waiting.removeAll { $0.id == request.id }
            actions.append(
                .refuse(
                    request.id,
                    "its trigger has caused no picture within \(limits.window.text) of T; check the cable of the trigger, and set the lens to manual focus"
                ))
        }
    }
}

/// A picture as it was on the card.
struct FetchedPicture: Hashable, Sendable {
    var name: String
    var bytes: [UInt8]
    var stamp: FrameStamp
}
