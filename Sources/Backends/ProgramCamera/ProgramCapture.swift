import CameraKit
import CaptureModel
import ChildPrograms
import Glibc
import ImageMetadata
import Logging
import PosixSupport

/// The loop of a camera's thread: it runs the program, finds the pictures in its output, stamps them and passes them on.
///
/// Used only on that thread, which ends the program before it ends itself.
final class ProgramCapture {
    /// A picture and what is known of its time.
    private struct ProgramPicture {
        var bytes: [UInt8]
        var arrival: Arrival
    }

    private let device: String
    private let source: CameraProgram
    private let control: StreamControl
    private let clock: any TimeSource
    private let program: ChildProgram
    private var splitter: any PictureSplitter
    private var lines = ProgramLines()
    private var times: FrameTimes?
    /// What the program has told of its camera so far.
    private(set) var told = ToldCamera()
    /// Those of a program that takes changes; else nil.
    let controls: ProgramControls?
    /// Those of a camera that exposes only at given instants, which get all frames; else nil.
    private let exposures: (any ProgramExposures)?
    private var errors: ErrorLines
    private var stamps: ProgramStamps
    private var pictures: Allowance
    private var errorBytes: Allowance
    /// The outputs that have not ended.
    private var open: Set<ChildProgram.Output>
    /// Pieces of standard output of which the splitter still has bytes: where each ends, and when it came.
    private var pieces: [(end: Int, arrival: Arrival)] = []
    /// Pictures that wait for their times.
    private var untimed: [ProgramPicture] = []
    /// Frames that came before the stream was there.
    private var early: [CameraFrame] = []
    private var lastRead: LocalTime
    private var count: UInt64 = 0
    private var lastSequence: UInt64?

    /// Bytes that are read at a time, of pictures and of anything else.
    private static let piece = ChildProgram.largestRead
    private static let smallPiece = 16 << 10
    /// Pictures that may wait for their times, and frames for the stream.
    private static let mostUntimed = 8
    private static let mostEarly = 4
    /// Bytes without a picture after which a program is taken for one that writes none.
    private static let mostSkipped = 64 << 20
    /// Bytes of standard error, at once and in a second.
    private static let mostErrorBytes = 1_048_576.0
    private static let errorBytesPerSecond = 65_536.0
    /// How long a program may take to end when it is asked to, before it is killed.
    private static let grace = Duration.seconds(2)

    /// Starts the program.
    /// - Throws: ``CameraError``: `absent` if the program is missing, `denied` if it may not be run.
    init(
        device: String, _ source: CameraProgram, _ correction: StampCorrection,
        exposures: (any ProgramExposures)? = nil, control: StreamControl, clock: any TimeSource
    ) throws(CameraError) {
        self.device = device
        self.source = source
        self.exposures = exposures
        self.control = control
        self.clock = clock
        var outputs: [ChildProgram.Output] = [.standardOutput, .standardError]
        if source.tellsTimes || source.takesControls { outputs.append(.third) }
        splitter =
            switch source.pictures {
            case .jpeg: JPEGSplitter()
            case .raw: RawSplitter()
            }
        times = source.tellsTimes ? FrameTimes() : nil
        controls = source.takesControls ? ProgramControls(device: device, wake: control.signal) : nil
        let start = clock.now()
        stamps = ProgramStamps(
            correction, largestLatency: source.arrival.largestLatency, interval: source.arrival.frameInterval,
            start: start)
        pictures = Allowance(picturesAt: source.arrival.framesPerSecond, start: start)
        errorBytes = Allowance(perSecond: Self.errorBytesPerSecond, most: Self.mostErrorBytes, start: start)
        errors = ErrorLines(Logger(label: "camera") { StreamLogHandler.standardError(label: $0) }, device: device)
        open = Set(outputs)
        lastRead = start
        do throws(PosixError) {
            program = try ChildProgram(
                source.command, outputs: outputs, takesInput: source.takesControls, memory: source.memory)
        } catch {
            throw CameraError(running: error, device, installing: source.installing)
        }
    }

    /// Reads until the first picture is there, or until a camera that exposes only at given instants is ready.
    /// - Returns: Its format; nil if a stop was requested first.
    /// - Throws: ``CameraError`` if none comes within the limit, or the program ends.
    func start() throws(CameraError) -> VideoFormat? {
        let deadline = clock.now() + source.arrival.startLimit
        while !control.isStopping {
            let left = deadline - clock.now()
            guard left > .zero else {
                throw failure("start", "it has written no \(noun) within \(source.arrival.startLimit.text)")
            }
            try step(within: left, keep)
            if let format = firstFormat() { return format }
        }
        return nil
    }

    /// Keeps a frame for the stream, or counts it as lost.
    private func keep(_ frame: CameraFrame) {
        guard early.count < Self.mostEarly else { return control.count { $0.droppedByNode += 1 } }
        early.append(frame)
    }

    /// Returns the format of the first early frame that is a picture; drops those that are none.
    private func firstFormat() -> VideoFormat? {
        let interval = source.arrival.frameInterval
        let raw = exposures == nil ? (early.isEmpty ? nil : splitter.format) : told.ready
        if let raw {
            return VideoFormat(
                pixelFormat: raw.pixelFormat, width: raw.width, height: raw.height, frameInterval: interval)
        }
        while let first = early.first {
            if let frame = try? JPEGStructure(parsing: first.lease.bytes).frame {
                return VideoFormat(
                    pixelFormat: .mjpeg, width: frame.width, height: frame.height, frameInterval: interval)
            }
            control.count { $0.torn += 1 }
            early.removeFirst()
        }
        return nil
    }

    /// The range of the samples of frames that are not JPEG images.
    var sampleRange: SampleRange { (splitter.format ?? told.ready)?.range ?? .full }

    /// What it writes, in a sentence.
    private var noun: String { source.pictures == .jpeg ? "JPEG picture" : "frame" }

    /// Reads, and passes pictures on, until a stop is requested.
    /// - Throws: ``CameraError`` when the program ends or writes what it must not.
    func run(_ frames: AsyncStream<CameraFrame>.Continuation) throws(CameraError) {
        let hand = { [control] (frame: CameraFrame) in
            if case .dropped = frames.yield(frame) { control.count { $0.droppedByNode += 1 } }
        }
        for frame in early { hand(frame) }
        early = []
        while !control.isStopping { try step(within: nil, hand) }
    }

    /// Ends the program and what it has started.
    func end() {
        _ = program.end(within: Self.grace)
        controls?.end()
        exposures?.end()
        try? readErrors()
        errors.finish(at: clock.now())
    }

    private func step(within limit: Duration?, _ hand: (CameraFrame) -> Void) throws(CameraError) {
        let outputs = Array(open)
        let limit = try writeRequests(within: limit)
        var ready = try posix { () throws(PosixError) in
            try program.wait(for: outputs, or: control.signal, within: .zero)
        }
        // What is there without a wait may have come at any time since the last look.
        let since = ready.contains(.standardOutput) ? lastRead : nil
        if ready.isEmpty, !control.isStopping {
            ready = try posix { () throws(PosixError) in
                try program.wait(for: outputs, or: control.signal, within: limit)
            }
        }
        control.signal.clear()
        if ready.contains(.standardError) { try readErrors() }
        if ready.contains(.standardOutput) {
            try readPictures(since: since, hand)
        } else if ready.contains(.third) {
            try readLines(hand)
        }
    }

    /// Writes the next change, if it is time for one, and what exposures need.
    /// - Returns: How long to wait for the program.
    private func writeRequests(within limit: Duration?) throws(CameraError) -> Duration? {
        let now = clock.now()
        controls?.expire(at: now)
        let lines = (controls?.next(at: now).map { [$0] } ?? []) + (exposures?.next(at: now) ?? [])
        for line in lines {
            try posix { () throws(PosixError) in try program.write(Array(line.utf8)) }
        }
        let deadlines = [controls?.deadline, exposures?.deadline].compactMap(\.self)
        return ([limit] + deadlines.map { max(.zero, $0 - now) }).compactMap(\.self).min()
    }

    private func readErrors() throws(CameraError) {
        var bytes: [UInt8] = []
        guard try read(.standardError, to: &bytes, limit: Self.smallPiece) else { return }
        let now = clock.now()
        errors.add(bytes, at: now)
        guard errorBytes.take(bytes.count, at: now) else {
            throw failure("read", "it writes too much to its standard error; make it quieter")
        }
    }

    private func readLines(_ hand: (CameraFrame) -> Void) throws(CameraError) {
        var bytes: [UInt8] = []
        guard open.contains(.third), try read(.third, to: &bytes, limit: Self.smallPiece) else { return }
        do throws(ProgramLines.Mismatch) {
            try lines.add(bytes) { (line) throws(ProgramLines.Mismatch) in try take(line) }
        } catch {
            throw failure("read", error.description)
        }
        if let failed = told.failure {
            throw CameraError(failed.code, device: device, operation: "start", reason: failed.reason)
        }
        while let picture = untimed.first, let time = times?.next() {
            untimed.removeFirst()
            try pass(picture, time, hand)
        }
    }

    private func take(_ line: String) throws(ProgramLines.Mismatch) {
        if try told.add(line: line) { return }
        switch exposures?.add(line: line, at: clock.now()) {
        case .read: return
        case .wrong(let reason): throw ProgramLines.Mismatch(description: reason)
        case .other, nil: break
        }
        if try times?.add(color: line) == true { return }
        if let controls, line.first?.isLetter == true { return try controls.add(line: line) }
        guard times != nil else {
            throw ProgramLines.Mismatch(
                description: "it tells times ('\(line.excerpt)'); add `times: fd3`, or let it tell none")
        }
        try times?.add(line: line)
    }

    private func readPictures(since: LocalTime?, _ hand: (CameraFrame) -> Void) throws(CameraError) {
        let limit = min(splitter.wanted, Self.piece)
        let isOpen = try splitter.add { bytes throws(CameraError) in
            try read(.standardOutput, to: &bytes, limit: limit)
        }
        let now = clock.now()
        let arrival = Arrival(instant: now, delay: since.map { now - $0 } ?? .zero)
        lastRead = now
        pieces.append((splitter.end, arrival))
        // After the pictures' bytes, so that each line that was written before its picture is there.
        if open.contains(.third) { try readLines(hand) }
        while let found = splitter.next() { try take(found, at: now, hand) }
        pieces.removeAll { $0.end <= splitter.start }
        guard splitter.skipped <= Self.mostSkipped else {
            throw failure("read", "it has written \(Self.mostSkipped >> 20) MiB without a \(noun)")
        }
        if !isOpen { throw ended() }
    }

    private func take(
        _ found: FoundPicture, at now: LocalTime, _ hand: (CameraFrame) -> Void
    ) throws(CameraError) {
        guard pictures.take(1, at: now) else {
            let rate = source.arrival.framesPerSecond
            throw failure(
                "read", "it writes more than four times \(rate) pictures per second; correct `framesPerSecond`")
        }
        switch found {
        case .refused(let reason): throw failure("read", reason)
        case .torn:
            control.count { $0.torn += 1 }
            guard times == nil else {
                throw failure("read", "a picture is torn, so its times can no longer be told from those of others")
            }
        case .image(let bytes, let began):
            let arrival = pieces.first { $0.end > began }?.arrival ?? Arrival(instant: now, delay: .zero)
            let picture = ProgramPicture(bytes: bytes, arrival: arrival)
            guard times != nil else { return hand(frame(picture)) }
            try takeTimed(picture, hand)
        }
    }

    private func takeTimed(_ picture: ProgramPicture, _ hand: (CameraFrame) -> Void) throws(CameraError) {
        if untimed.isEmpty, let time = times?.next() { return try pass(picture, time, hand) }
        untimed.append(picture)
        guard untimed.count <= Self.mostUntimed else {
            throw failure(
                "read",
                "\(Self.mostUntimed) pictures have come without their times; write a line to descriptor 3 for each, or "
                    + "remove `times`")
        }
    }

    /// Passes a picture on to the stream, or to the exposure that it is of.
    private func pass(
        _ picture: ProgramPicture, _ time: FrameTime, _ hand: (CameraFrame) -> Void
    ) throws(CameraError) {
        let frame = try frame(picture, time)
        guard let exposures else { return hand(frame) }
        guard let start = time.cameraStart else {
            throw failure("read", "the time of picture \(time.sequence) lacks that of the camera's clock")
        }
        exposures.add(frame, start: start, at: clock.now())
    }

    private func payload(_ picture: ProgramPicture) -> CameraFrame.Payload {
        CameraFrame.Payload(FrameLease(picture.bytes), of: splitter.format?.pixelFormat ?? .mjpeg)
    }

    /// A frame of which only the arrival is known.
    private func frame(_ picture: ProgramPicture) -> CameraFrame {
        let stamp = stamps.stamp(of: picture.arrival)
        defer { count += 1 }
        return CameraFrame(
            sequence: count, midExposure: stamp.midExposure, stampBound: stamp.bound,
            isCorrected: stamp.isCorrected, dequeued: clock.now(), payload: payload(picture))
    }

    private func frame(_ picture: ProgramPicture, _ time: FrameTime) throws(CameraError) -> CameraFrame {
        let skipped = lastSequence.map { time.sequence - $0 - 1 } ?? 0
        lastSequence = time.sequence
        if skipped > 0 { control.count { $0.droppedByDevice &+= skipped } }
        guard let stamp = stamps.stamp(of: time, skipped: skipped, arrival: picture.arrival) else {
            throw failure(
                "read",
                "picture \(time.sequence) began at \(time.start.nanoseconds) ns by its times and arrived at "
                    + "\(picture.arrival.instant.nanoseconds) ns; its times must be those of CLOCK_MONOTONIC")
        }
        return CameraFrame(
            sequence: time.sequence, midExposure: stamp.midExposure, stampBound: stamp.bound,
            isCorrected: stamp.isCorrected, exposure: time.exposure, gain: time.gain, dequeued: clock.now(),
            sensorColor: time.color, payload: payload(picture))
    }

    /// The failure of a program that has closed its output.
    private func ended() -> CameraError {
        if splitter.isWithinImage { control.count { $0.torn += 1 } }
        let ending = program.ended(within: Self.grace)
        try? readErrors()
        errors.finish(at: clock.now())
        return failure("read", ending.map { "it \($0)" } ?? "it has closed its output without ending")
    }

    /// Appends what an output has.
    /// - Returns: false at its end.
    private func read(
        _ output: ChildProgram.Output, to bytes: inout [UInt8], limit: Int
    ) throws(CameraError) -> Bool {
        let reading = try posix { () throws(PosixError) in try program.read(output, to: &bytes, limit: limit) }
        if reading == .end { open.remove(output) }
        return reading != .end
    }

    private func posix<Result>(_ body: () throws(PosixError) -> Result) throws(CameraError) -> Result {
        do throws(PosixError) {
            return try body()
        } catch {
            throw failure("read", error.description)
        }
    }

    /// What the program did, with the last that it said.
    private func failure(_ operation: String, _ reason: String) -> CameraError {
        let said = errors.last.map { "; its last line was: \($0.excerpt)" } ?? ""
        return CameraError(
            .failed, device: device, operation: operation, reason: "'\(source.command[0])': \(reason)\(said)")
    }
}
