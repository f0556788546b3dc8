import CameraKit
import CaptureModel
import ChildPrograms
import Glibc
import Logging
import PosixSupport
import RigConfiguration

/// The loop of a camera's thread: it runs the helper program, passes requests and messages to the ``PictureMachine``, and carries out what
/// that decides.
///
/// Used only on that thread, which ends the program before it ends itself.
final class GPhotoCapture {
    let stills: GPhotoStills
    private let device: String
    private let configuration: GPhotoCameraConfiguration
    private let control: StreamControl
    private let clock: any TimeSource
    private let program: ChildProgram
    private let log: Logger
    private var reader = HelperReader()
    private var machine: PictureMachine
    private var errors: ErrorLines
    private var errorBytes: Allowance
    private var open: Set<ChildProgram.Output> = [.standardOutput, .standardError]
    private var hardware: CameraHardware?
    private var isReady = false
    /// The index of the setting whose answer is awaited.
    private var setting = 0
    private var sequence: UInt64 = 0
    /// Why the stream ends, once that is decided.
    private var ending: CameraError?

    /// The bytes of the helper's memory: libgphoto2, and a picture.
    private static let memory: UInt64 = 4 << 30
    private static let smallPiece = 16 << 10
    private static let mostErrorBytes = 1_048_576.0
    private static let errorBytesPerSecond = 65_536.0
    /// How long the helper may take to close the camera, before it is killed.
    private static let grace = Duration.seconds(2)

    /// Starts the helper.
    /// - Parameter overdueUntil: What ``end()`` of the camera's stream before has returned.
    /// - Throws: ``CameraError``: `absent` if it is missing, `denied` if it may not be run.
    init(
        device: String, _ configuration: GPhotoCameraConfiguration, _ correction: StampCorrection,
        overdueUntil: LocalTime?, control: StreamControl, clock: any TimeSource
    ) throws(CameraError) {
        self.device = device
        self.configuration = configuration
        self.control = control
        self.clock = clock
        log = Logger(label: "camera") { StreamLogHandler.standardError(label: $0) }
        machine = PictureMachine(
            configuration.limits, configuration.stamps(correction), overdueUntil: overdueUntil)
        errors = ErrorLines(log, device: device)
        errorBytes = Allowance(perSecond: Self.errorBytesPerSecond, most: Self.mostErrorBytes, start: clock.now())
        stills = GPhotoStills(
            lag: machine.limits.lag, byteCount: configuration.estimatedByteCount, signal: control.signal)
        do throws(PosixError) {
            program = try ChildProgram(
                configuration.command, outputs: [.standardOutput, .standardError], takesInput: true, memory: Self.memory
            )
        } catch {
            throw CameraError(running: error, device, installing: GPhotoCamera.installing)
        }
    }

    /// Reads until the camera is open and set.
    /// - Returns: What it says of itself; nil if a stop was requested first.
    func start() throws(CameraError) -> CameraHardware? {
        let deadline = clock.now() + configuration.startLimit
        while !control.isStopping {
            let left = deadline - clock.now()
            guard left > .zero else {
                throw failure(
                    "open", "it has not been opened within \(configuration.startLimit.text); turn it off and on")
            }
            for message in try read(within: left) { try prepare(message) }
            if isReady, setting == configuration.settings.count { return hardware ?? CameraHardware() }
        }
        return nil
    }

    /// Serves requests until a stop is requested.
    func run() throws(CameraError) {
        while !control.isStopping {
            for request in stills.takeRequests() {
                switch request {
                case .picture(let id, let instant, let withRaw):
                    try carryOut(machine.handle(.requested(id, at: instant, withRaw: withRaw), at: clock.now()))
                case .durable(let id): try carryOut(machine.handle(.durable(id), at: clock.now()))
                }
            }
            for message in try read(within: machine.nextInstant.map { max($0 - clock.now(), .zero) }) {
                try carryOut(machine.handle(.said(message), at: clock.now()))
            }
            try carryOut(machine.handle(.timePassed, at: clock.now()))
        }
    }

    /// Ends the helper, which closes the camera first if that answers, and every request.
    /// - Returns: Until when a picture may come that the camera was asked for; nil if none may.
    func end() -> LocalTime? {
        stills.end(ending ?? failure("stop", "its session was stopped"))
        program.closeInput()
        if program.ended(within: Self.grace) == nil { log.notice("\(device): its helper did not end and was killed") }
        errors.finish(at: clock.now())
        return machine.overdue(endingAt: clock.now())
    }

    // MARK: Opening

    private func prepare(_ message: HelperMessage) throws(CameraError) {
        switch message {
        case .camera(let make, let model, let serial, let port):
            hardware = CameraHardware(
                make: make.isEmpty ? nil : make, model: model.isEmpty ? nil : model,
                serial: serial.isEmpty ? nil : serial, busInformation: "gphoto:\(port)")
        case .ready:
            isReady = true
            try sendSetting()
        case .value(_, let value):
            guard let wanted = awaitedSetting else { return }
            guard value == wanted.value || Double(value).map({ $0 == Double(wanted.value) }) == true else {
                throw refused(wanted, "it is '\(value.excerpt)' afterwards; look at the position of its mode dial")
            }
            setting += 1
            try sendSetting()
        case .failed(_, _, let reason):
            guard let wanted = awaitedSetting else { return }
            throw refused(wanted, "\(reason); `gphoto2 --get-config` shows what it accepts")
        case .lost(let code, let reason): throw lost(code, reason)
        case .added, .taking, .data, .fetched, .done: break
        }
    }

    /// The setting that the helper was asked to make; nil if all are made.
    private var awaitedSetting: OpeningSetting? {
        setting < configuration.settings.count ? configuration.settings[setting] : nil
    }

    private func sendSetting() throws(CameraError) {
        guard let entry = awaitedSetting else { return }
        try send("set\ts\(setting)\t\(entry.name)\t\(entry.value)")
    }

    private func refused(_ setting: OpeningSetting, _ why: String) -> CameraError {
        CameraError(
            .unsupportedControl, device: device, operation: "set \(setting.name)",
            reason: "its setting '\(setting.name)' cannot be '\(setting.value.excerpt)': \(why.printable())")
    }

    private func lost(_ code: Int, _ words: String) -> CameraError {
        let kind: CameraError.Code =
            switch code {
            case CameraTrouble.Code.noSuchCamera, CameraTrouble.Code.notFoundOnUSB, CameraTrouble.Code.inputOutput,
                CameraTrouble.Code.timeout:
                .absent
            case CameraTrouble.Code.claim, CameraTrouble.Code.lock, CameraTrouble.Code.busy: .busy
            default: .failed
            }
        let reason = CameraTrouble(code: code, words: words).reason
        return CameraError(
            kind, device: device, operation: "open",
            reason: "the camera \(configuration.identity): \(reason.printable())")
    }

    // MARK: The helper

    private func carryOut(_ actions: [PictureMachine.Action]) throws(CameraError) {
        for action in actions {
            switch action {
            case .send(let line): try send(line)
            case .deliver(let id, let picture): stills.answer(id, .success(taken(id, picture)))
            case .refuse(let id, let reason):
                stills.answer(id, .failure(error("take a picture", reason)))
            case .note(let sentence): log.notice("\(device): \(sentence.printable())")
            case .fail(let reason): throw failure("take a picture", reason)
            }
        }
    }

    private func taken(_ id: UInt64, _ picture: FetchedPicture) -> TakenPicture {
        sequence += 1
        return TakenPicture(
            number: TakenPicture.Number(id), sequence: sequence, midExposure: picture.stamp.midExposure,
            stampBound: picture.stamp.bound, dequeued: clock.now(), files: explained(picture.files))
    }

    /// Names the camera in the reason for a missing file.
    private func explained(_ files: TakenPicture.Files) -> TakenPicture.Files {
        switch files {
        case .photo, .photoAndRaw: files
        case .photoAlone(let bytes, let reason): .photoAlone(bytes, noRaw: error("take a picture", reason).reason)
        case .rawAlone(let file, let reason): .rawAlone(file, noPhoto: error("take a picture", reason).reason)
        }
    }

    private func send(_ line: String) throws(CameraError) {
        let bytes = Array((line + "\n").utf8)
        try posix { () throws(PosixError) in try program.write(bytes) }
    }

    /// Waits, and returns what the helper has said. Empty after the limit, and when a request or a stop has come.
    private func read(within limit: Duration?) throws(CameraError) -> [HelperMessage] {
        let outputs = Array(open)
        let ready = try posix { () throws(PosixError) in
            try program.wait(for: outputs, or: control.signal, within: limit)
        }
        control.signal.clear()
        if ready.contains(.standardError) { try readErrors() }
        guard ready.contains(.standardOutput) else { return [] }
        var bytes: [UInt8] = []
        let reading = try posix { () throws(PosixError) in
            try program.read(.standardOutput, to: &bytes, limit: ChildProgram.largestRead)
        }
        guard reading != .end else { throw ended() }
        do throws(HelperReader.Nonsense) {
            return try reader.add(bytes)
        } catch {
            throw failure("read", "its helper '\(configuration.helper)' wrote '\(error.line.excerpt)'; build it again")
        }
    }

    private func readErrors() throws(CameraError) {
        var bytes: [UInt8] = []
        let reading = try posix { () throws(PosixError) in
            try program.read(.standardError, to: &bytes, limit: Self.smallPiece)
        }
        if reading == .end { open.remove(.standardError) }
        errors.add(bytes, at: clock.now())
        guard errorBytes.take(bytes.count, at: clock.now()) else {
            throw failure("read", "its helper writes too much to its standard error")
        }
    }

    /// The failure of a helper that has closed its output.
    private func ended() -> CameraError {
        let ending = program.ended(within: Self.grace)
        try? readErrors()
        errors.finish(at: clock.now())
        let said = errors.last.map { "; its last line was: \($0.excerpt)" } ?? ""
        return failure("read", "its helper \(ending.map { "\($0)" } ?? "has closed its output")\(said)")
    }

    private func posix<Result>(_ body: () throws(PosixError) -> Result) throws(CameraError) -> Result {
        do throws(PosixError) {
            return try body()
        } catch {
            guard error.code != EPIPE else { throw ended() }
            throw failure("talk to its helper", error.description)
        }
    }

    private func error(_ operation: String, _ reason: String) -> CameraError {
        CameraError(
            .failed, device: device, operation: operation,
            reason: "the camera \(configuration.identity): \(reason.printable())")
    }

    /// What ends the stream, and every request for a picture.
    private func failure(_ operation: String, _ reason: String) -> CameraError {
        let failure = error(operation, reason)
        if ending == nil { ending = failure }
        return failure
    }
}
