import CameraKit
import CaptureModel

/// Decides what the helper is asked, and which file belongs to the picture of which request. Pure: events in, actions out.
///
/// By command, one picture is exposed at a time: until its files are announced, the next one is not asked for, because files do not say
/// which request has caused them. Downloads go on beside. A wired camera is never asked: each picture belongs to the request whose instant is
/// nearest, if that is near enough.
///
/// A picture is overdue if it was asked for, and none of its files has come when its request ends: because the camera was silent, which ends
/// the stream, because the stream has ended for another reason, or because asking timed out. Its files may still come, in the next stream
/// too. So the next picture is not asked for until ``Limits/patience`` after that, and files that come before it is asked for are not its.
///
/// A request may ask for the raw file beside the JPEG image. The first file that is announced, whichever it is, begins the picture, and the
/// other one is recognized by its name, which differs in its extension only:
///
/// | file | awaited | downloading | fetched | missing |
/// |---|---|---|---|---|
/// | a file of its name and sort is announced | downloading | stays on the card | stays on the card | stays on the card |
/// | all of its bytes are there | – | fetched | – | – |
/// | it cannot be read, or bytes of it are missing | – | missing, stays on the card | – | – |
/// | nothing is being downloaded or removed, and nothing was announced for ``Limits/pairing`` | missing | – | – | – |
///
/// A picture is delivered when none of its files is awaited or downloading, and refused if all are missing.
///
/// Some cameras announce a file more than once. Until it is removed from the card, only the first time counts.
///
/// Files are removed from the card only if every file of the picture that was announced and asked for was fetched whole for a request of
/// this stream, and the library has them.
struct PictureMachine {
    struct Limits: Hashable, Sendable {
        /// Whether a trigger at the camera's socket makes it expose.
        var isWired = false
        /// How long before its instant a picture is asked for.
        var lag = Duration.zero
        /// How far from a request's instant a wired picture may be.
        var window = Duration.zero
        /// How long the second file of a picture may stay away.
        var pairing = Duration.seconds(3)
        /// How long the camera may be silent while something is asked of it.
        var patience = Duration.seconds(15)
        /// Whether files are removed from the card when the library has them.
        var emptiesCard = true

        /// How long before it is to be asked for, a picture is passed to the helper.
        static let head = Duration.seconds(1)
        /// Files of wired pictures that may wait for their requests, the oldest dropped, and how long.
        static let mostEarly = 32
        static let longestEarly = Duration.seconds(30)
        /// Pictures that the library does not have yet, the oldest dropped. Those stay on the card.
        static let mostKept = 1024
        /// Names of pictures by which their further files are recognized, the oldest dropped.
        static let mostNames = 64
        /// Files of the card that are known, the oldest forgotten.
        static let mostKnown = 2048
    }

    enum Event {
        /// A picture is requested.
        case requested(UInt64, at: LocalTime, withRaw: Bool = false)
        /// The library has a picture, with all of its files.
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

    private struct Request {
        var id: UInt64
        var instant: LocalTime
        var withRaw: Bool
    }

    /// A picture that the camera is asked for. Until all of its files are announced, no other one is.
    private struct Exposure {
        var request: Request
        /// When the camera is to be asked.
        var due: LocalTime
        /// When the helper has asked it.
        var asked: LocalTime?
        /// The first file that has come for it and is not fetched.
        var other: String?
    }

    /// A picture of which a file has been announced.
    private struct PendingPicture {
        var stamp: FrameStamp
        /// The name of the file that was announced first.
        var first: String
    }

    /// A file of a picture: in the ids of the helper's requests, `1` is the JPEG image of picture 1 and `1r` its raw file.
    private struct FileID: Hashable {
        var picture: UInt64
        var isRaw: Bool

        init(_ picture: UInt64, isRaw: Bool = false) {
            self.picture = picture
            self.isRaw = isRaw
        }

        init?(_ text: Substring) {
            isRaw = text.hasSuffix("r")
            guard let number = UInt64(isRaw ? text.dropLast() : text) else { return nil }
            picture = number
        }

        var text: String { "\(picture)\(isRaw ? "r" : "")" }
    }

    /// The way of a file from the card.
    private struct Transfer {
        enum State {
            case awaited, downloading, fetched
            /// Why the picture does not have it.
            case missing(String)
        }

        var state = State.awaited
        /// nil until it is announced.
        var file: CardFile?
        var bytes: [UInt8] = []

        var isAwaited: Bool { if case .awaited = state { true } else { false } }
        var isDownloading: Bool { if case .downloading = state { true } else { false } }
        var isFetched: Bool { if case .fetched = state { true } else { false } }

        /// The raw file; nil if it is none, or is not fetched.
        var rawFile: CameraRawFile? {
            guard isFetched, case .raw(let format)? = file?.part else { return nil }
            return CameraRawFile(format: format, bytes: bytes)
        }
    }

    /// The name of a picture that is, or was, on the card.
    private struct PictureName {
        var stem: String
        var picture: UInt64
        /// The sorts of its files that were removed from the card, which may have further files of that name.
        var removed: Set<Bool> = []
    }

    let limits: Limits
    let stamps: StillStamps
    /// Requests that have no file, by instant.
    private var waiting: [Request] = []
    private var exposure: Exposure?
    private var pictures: [UInt64: PendingPicture] = [:]
    /// Those that ``pictures`` have or await.
    private var files: [FileID: Transfer] = [:]
    private var names: [PictureName] = []
    private var early: [CardEvent] = []
    private var kept: [UInt64: [FileID: CardFile]] = [:]
    private var deleting: [FileID: CardFile] = [:]
    /// Images and raw files that were announced and not removed, because some cameras announce a file more than once.
    private var known: [CardFile] = []
    private var lastProgress = LocalTime(nanoseconds: 0)
    /// Until when an overdue picture may come.
    private var overdueUntil: LocalTime?

    /// - Parameter overdueUntil: What ``overdue(endingAt:)`` of the camera's stream before has returned.
    init(_ limits: Limits, _ stamps: StillStamps, overdueUntil: LocalTime? = nil) {
        self.limits = limits
        self.stamps = stamps
        self.overdueUntil = overdueUntil
    }

    /// Returns until when a picture may come that was asked for, if the stream ends now; nil if none may.
    func overdue(endingAt now: LocalTime) -> LocalTime? {
        if let exposure, now >= exposure.due { return now + limits.patience }
        return overdueUntil.flatMap { $0 > now ? $0 : nil }
    }

    mutating func handle(_ event: Event, at now: LocalTime) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .requested(let id, let instant, let withRaw):
            request(Request(id: id, instant: instant, withRaw: withRaw), &actions)
        case .durable(let id): remove(id, now, &actions)
        case .said(let message): note(message, now, &actions)
        // Only here, after all that the helper has said was read.
        case .timePassed: giveUpAwaited(now, &actions)
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
            instants.append(due(next) - Limits.head)
        }
        if let exposure, pictures[exposure.request.id] == nil { instants.append(deadline(of: exposure)) }
        if isFileAwaited, !isSomethingOwed { instants.append(lastProgress + limits.pairing) }
        if isSomethingOwed { instants.append(lastProgress + limits.patience) }
        return instants.min()
    }

    // MARK: Requests

    private mutating func request(_ request: Request, _ actions: inout [Action]) {
        waiting.append(request)
        waiting.sort { $0.instant < $1.instant }
        if limits.isWired { claimEarly(&actions) }
    }

    private mutating func remove(_ id: UInt64, _ now: LocalTime, _ actions: inout [Action]) {
        guard let gone = kept.removeValue(forKey: id), limits.emptiesCard else { return }
        begin(now)
        for (id, file) in gone.sorted(by: { !$0.key.isRaw && $1.key.isRaw }) {
            deleting[id] = file
            actions.append(.send("delete\td\(id.text)\t\(file.folder)\t\(file.name)"))
        }
    }

    /// Asks for the next picture if it is time, and gives up what has taken too long.
    private mutating func advance(_ now: LocalTime, _ actions: inout [Action]) {
        if !limits.isWired, exposure == nil, let next = waiting.first {
            let due = due(next)
            if due - Limits.head <= now {
                waiting.removeFirst()
                exposure = Exposure(request: next, due: max(due, now))
                actions.append(.send("take\tt\(next.id)\t\(due.nanoseconds)"))
            }
        }
        if limits.isWired { giveUpWired(now, &actions) }
        if let exposure, pictures[exposure.request.id] == nil, now >= deadline(of: exposure) {
            actions.append(.fail(silence(of: exposure)))
        }
        if isSomethingOwed, now >= lastProgress + limits.patience {
            actions.append(
                .fail(
                    "it has not sent anything for \(limits.patience.text), in the middle of a file; turn it off and on")
            )
        }
    }

    /// When to ask the camera for a picture.
    private func due(_ request: Request) -> LocalTime {
        let instant = request.instant - limits.lag
        return overdueUntil.map { max($0, instant) } ?? instant
    }

    private var isDownloading: Bool { files.values.contains(where: \.isDownloading) }
    private var isFileAwaited: Bool { files.values.contains(where: \.isAwaited) }
    private var isSomethingOwed: Bool { isDownloading || !deleting.isEmpty }

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
        if let other = exposure.other {
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
            if id == exposure.map({ "t\($0.request.id)" }) { exposure?.asked = before }
        case .added(let event): add(event, now, &actions)
        case .data(let id, let bytes): append(bytes, to: FileID(id.dropFirst()), &actions)
        case .fetched(let id, let count): finish(FileID(id.dropFirst()), count, &actions)
        case .done(let id): noteRemoved(FileID(id.dropFirst()))
        case .failed(let id, let code, let reason): fail(id, CameraTrouble(code: code, words: reason), now, &actions)
        case .lost(let code, let reason): actions.append(.fail(CameraTrouble(code: code, words: reason).reason))
        case .camera, .ready, .value: break
        }
    }

    private mutating func fail(
        _ id: String, _ trouble: CameraTrouble, _ now: LocalTime, _ actions: inout [Action]
    ) {
        guard let file = FileID(id.dropFirst()) else { return }
        switch id.first {
        case "t" where exposure?.request.id == file.picture:
            exposure = nil
            // It may have been asked all the same.
            if trouble.code == CameraTrouble.Code.timeout { overdueUntil = now + limits.patience }
            actions.append(.refuse(file.picture, "it has taken no picture: \(trouble.reason)"))
        case "f":
            guard let transfer = files[file], transfer.isDownloading, let name = transfer.file?.name else { return }
            miss(file, "its picture \(name) cannot be read, and stays on its card: \(trouble.reason)", &actions)
        case "d":
            guard let left = deleting.removeValue(forKey: file) else { return }
            actions.append(.note("\(left.name) stays on its card, though the library has it: \(trouble.reason)"))
        default: break
        }
    }

    // MARK: Files

    private mutating func add(_ event: CardEvent, _ now: LocalTime, _ actions: inout [Action]) {
        let file = event.file
        guard file.part != nil else {
            noteOther(file)
            return actions.append(.note("\(file.name) stays on its card: it is neither a JPEG image nor a raw file"))
        }
        guard !known.contains(file) else { return actions.append(.note("\(file.name) was announced again")) }
        known = known.suffix(Limits.mostKnown - 1) + [file]
        guard limits.isWired else { return place(event, &actions) }
        early.append(event)
        early = early.filter { now - $0.instant <= Limits.longestEarly }.suffix(Limits.mostEarly)
        claimEarly(&actions)
    }

    private mutating func noteOther(_ file: CardFile) {
        if exposure?.other == nil { exposure?.other = file.name }
    }

    /// Finds the picture that an image or a raw file belongs to.
    private mutating func place(_ event: CardEvent, _ actions: inout [Action]) {
        let file = event.file
        guard let part = file.part else { return }
        if let name = names.lastIndex(where: { $0.stem == file.stem }) {
            guard names[name].removed.contains(part.isRaw) else {
                return join(FileID(names[name].picture, isRaw: part.isRaw), file, &actions)
            }
            names.remove(at: name)
        }
        if limits.isWired { return matchWired(event, part, &actions) }
        guard let exposure, let asked = exposure.asked, event.instant >= asked, pictures[exposure.request.id] == nil
        else { return actions.append(.note("\(file.name) stays on its card: nobody has asked for it")) }
        guard !part.isRaw || exposure.request.withRaw else {
            noteOther(file)
            return actions.append(.note("\(file.name) stays on its card: only the JPEG image was asked for"))
        }
        begin(exposure.request, with: file, part, stamps.stamp(requested: asked, event), &actions)
    }

    /// Begins a picture with the first of its files.
    private mutating func begin(
        _ request: Request, with file: CardFile, _ part: PicturePart, _ stamp: FrameStamp, _ actions: inout [Action]
    ) {
        names.append(PictureName(stem: file.stem, picture: request.id))
        if names.count > Limits.mostNames { names.removeFirst() }
        pictures[request.id] = PendingPicture(stamp: stamp, first: file.name)
        files[FileID(request.id)] = Transfer()
        if request.withRaw { files[FileID(request.id, isRaw: true)] = Transfer() }
        join(FileID(request.id, isRaw: part.isRaw), file, &actions)
    }

    /// Fetches a file of a picture that has begun, if the picture awaits it.
    private mutating func join(_ id: FileID, _ file: CardFile, _ actions: inout [Action]) {
        guard files[id]?.isAwaited == true else {
            return actions.append(
                .note("\(file.name) stays on its card: nobody has asked for it, or it came too late for its picture"))
        }
        files[id]?.state = .downloading
        files[id]?.file = file
        actions.append(.send("fetch\tf\(id.text)\t\(file.folder)\t\(file.name)"))
        endExposure(id.picture)
    }

    /// Lets the next picture be exposed if no file of this one is awaited.
    private mutating func endExposure(_ id: UInt64) {
        let isAwaited = files.contains { $0.key.picture == id && $0.value.isAwaited }
        if exposure?.request.id == id, !isAwaited { exposure = nil }
    }

    private mutating func append(_ bytes: [UInt8], to id: FileID?, _ actions: inout [Action]) {
        guard let id, files[id]?.isDownloading == true, let count = files[id]?.bytes.count else { return }
        guard count + bytes.count <= HelperReader.largestFile else {
            return actions.append(.fail("a picture has more than \(HelperReader.largestFile >> 20) MiB"))
        }
        files[id]?.bytes += bytes
    }

    private mutating func finish(_ id: FileID?, _ count: Int, _ actions: inout [Action]) {
        guard let id, let transfer = files[id], transfer.isDownloading, let file = transfer.file else { return }
        let found = transfer.bytes.count
        guard found == count, found > 0, file.byteCount == 0 || file.byteCount == count else {
            let whole = max(count, file.byteCount)
            return miss(
                id, "of its picture \(file.name), \(found) of \(whole) bytes came; it stays on its card", &actions)
        }
        files[id]?.state = .fetched
        deliverIfWhole(id.picture, &actions)
    }

    private mutating func miss(_ id: FileID, _ reason: String, _ actions: inout [Action]) {
        files[id]?.state = .missing(reason)
        files[id]?.bytes = []
        endExposure(id.picture)
        deliverIfWhole(id.picture, &actions)
    }

    /// Gives up the files that have stayed away. While a file is downloaded or removed, the helper may not have looked for events.
    private mutating func giveUpAwaited(_ now: LocalTime, _ actions: inout [Action]) {
        guard isFileAwaited, !isSomethingOwed, now >= lastProgress + limits.pairing else { return }
        let awaited = files.filter { $0.value.isAwaited }.keys.sorted { $0.picture < $1.picture }
        for id in awaited {
            guard let first = pictures[id.picture]?.first else { continue }
            let sort = id.isRaw ? "raw file" : "JPEG image"
            miss(
                id,
                "it has stored \(first) and no \(sort) of that name within \(limits.pairing.text); set its image format to RAW and JPEG",
                &actions)
        }
    }

    /// Delivers a picture that neither awaits nor downloads anything.
    private mutating func deliverIfWhole(_ id: UInt64, _ actions: inout [Action]) {
        let (photoID, rawID) = (FileID(id), FileID(id, isRaw: true))
        guard let picture = pictures[id], let photo = files[photoID] else { return }
        let raw = files[rawID]
        let found: TakenPicture.Files
        switch (photo.state, raw?.state, raw?.rawFile) {
        case (.fetched, nil, _): found = .photo(photo.bytes)
        case (.fetched, .fetched?, let file?): found = .photoAndRaw(photo.bytes, file)
        case (.fetched, .missing(let reason)?, _): found = .photoAlone(photo.bytes, noRaw: reason)
        case (.missing(let reason), .fetched?, let file?): found = .rawAlone(file, noPhoto: reason)
        case (.missing(let reason), nil, _): return refuse(id, reason, &actions)
        case (.missing(let reason), .missing(let other)?, _): return refuse(id, "\(reason); \(other)", &actions)
        default: return
        }
        forgetFiles(of: id)
        keep([photoID: photo, rawID: raw].compactMapValues(\.self), of: id)
        actions.append(.deliver(id, FetchedPicture(files: found, stamp: picture.stamp)))
    }

    private mutating func refuse(_ id: UInt64, _ reason: String, _ actions: inout [Action]) {
        forgetFiles(of: id)
        actions.append(.refuse(id, reason))
    }

    private mutating func forgetFiles(of id: UInt64) {
        (pictures[id], files[FileID(id)], files[FileID(id, isRaw: true)]) = (nil, nil, nil)
    }

    /// Remembers what is to be removed from the card, unless a file is only there.
    private mutating func keep(_ found: [FileID: Transfer], of id: UInt64) {
        let announced = found.filter { $0.value.file != nil }
        guard announced.values.allSatisfy(\.isFetched) else { return }
        kept[id] = announced.compactMapValues(\.file)
        if kept.count > Limits.mostKept, let oldest = kept.keys.min() { kept[oldest] = nil }
    }

    /// Notes that a file is not on the card any longer, so that its name may be used again.
    private mutating func noteRemoved(_ id: FileID?) {
        guard let id, let file = deleting.removeValue(forKey: id) else { return }
        known.removeAll { $0.folder == file.folder && $0.name == file.name }
        for name in names.indices where names[name].picture == id.picture { names[name].removed.insert(id.isRaw) }
    }

    // MARK: Wired

    /// The instant after which no picture of a request can come.
    private func lastWired(_ instant: LocalTime) -> LocalTime {
        instant + limits.window + stamps.largestLatency + limits.patience
    }

    private mutating func claimEarly(_ actions: inout [Action]) {
        let all = early
        early = []
        for event in all { place(event, &actions) }
    }

    private mutating func matchWired(_ event: CardEvent, _ part: PicturePart, _ actions: inout [Action]) {
        let stamp = stamps.stamp(wired: event)
        let near = waiting.filter { (stamp.midExposure - $0.instant).magnitude <= limits.window + stamp.bound }
        let nearest = near.min {
            (stamp.midExposure - $0.instant).magnitude < (stamp.midExposure - $1.instant).magnitude
        }
        guard let nearest else { return early.append(event) }
        guard !part.isRaw || nearest.withRaw else {
            return actions.append(.note("\(event.file.name) stays on its card: only the JPEG image was asked for"))
        }
        waiting.removeAll { $0.id == nearest.id }
        begin(nearest, with: event.file, part, stamp, &actions)
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
    var files: TakenPicture.Files
    var stamp: FrameStamp
}
