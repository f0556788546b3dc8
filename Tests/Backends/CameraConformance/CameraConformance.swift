public import CameraKit
public import CaptureModel

/// What every camera owes its users, whatever its make: one suite for tests and for the device lab.
///
/// Every check makes a camera of its own, plugged in and free, and leaves it free. A camera that does not answer makes a
/// check wait: whoever runs it sets the limit.
public struct CameraConformance: Sendable {
    /// Makes an object for the camera; called once or more for a check.
    public var makeCamera: @Sendable () throws -> any Camera
    /// The same for another device of the same make; nil where there is none.
    public var makeOther: (@Sendable () throws -> any Camera)?
    /// A format it supports, at five or more frames a second.
    public var request: FormatRequest
    public var clock: any TimeSource
    /// Tells when a frame was truly exposed, as its picture shows; nil where nothing but the camera knows.
    public var truth: (@Sendable (CameraFrame) throws -> LocalTime)?

    public init(
        request: FormatRequest, clock: any TimeSource, makeCamera: @escaping @Sendable () throws -> any Camera,
        makeOther: (@Sendable () throws -> any Camera)? = nil,
        truth: (@Sendable (CameraFrame) throws -> LocalTime)? = nil
    ) {
        self.request = request
        self.clock = clock
        self.makeCamera = makeCamera
        self.makeOther = makeOther
        self.truth = truth
    }

    /// The checks that can be run with what is there.
    public var checks: [ConformanceCheck] {
        ConformanceCheck.allCases.filter { makeOther != nil || !$0.needsOther }
    }

    /// Runs one check to its end.
    /// - Throws: ``ConformanceFailure`` with what was seen.
    public func run(_ check: ConformanceCheck) async throws(ConformanceFailure) {
        do {
            try await perform(check)
        } catch let finding as Finding {
            throw ConformanceFailure(check, finding.text)
        } catch {
            throw ConformanceFailure(check, "\(error)")
        }
    }

    private func perform(_ check: ConformanceCheck) async throws {
        switch check {
        case .agreedFormat: try await agreedFormat()
        case .wholeFrames: try await wholeFrames()
        case .completePictures: try await completePictures()
        case .orderedFrames: try await orderedFrames()
        case .trueInstants: try await trueInstants()
        case .countedLosses: try await countedLosses()
        case .risingLosses: try await risingLosses()
        case .slowConsumer: try await slowConsumer()
        case .leaseOutlivesStream: try await leaseOutlivesStream()
        case .busyWhileStreaming: try await busyWhileStreaming()
        case .stopEndsFrames: try await stopEndsFrames()
        case .stopTogether: try await stopTogether()
        case .restart: try await restart()
        case .cancelledConsumer: try await cancelledConsumer()
        case .cancelledStart: try await cancelledStart()
        case .droppedStream: try await droppedStream()
        case .unsupportedFormat: try await unsupportedFormat()
        case .startAfterRefusal: try await startAfterRefusal()
        case .capabilities: try await capabilities()
        case .capabilitiesWhileStreaming: try await capabilitiesWhileStreaming()
        case .authorization: try await authorization()
        case .controls: try await controls()
        case .streams: try await streams()
        case .pair: try await pair()
        }
    }
}

extension CameraConformance {
    func start(_ camera: any Camera) async throws -> any CameraStream {
        try await camera.start(request, clock: clock)
    }

    /// A stream of a camera of its own.
    func start() async throws -> any CameraStream {
        try await start(try makeCamera())
    }

    /// So many frames.
    func capture(_ count: Int, of stream: any CameraStream) async throws -> [CameraFrame] {
        var taken: [CameraFrame] = []
        for await frame in stream.frames {
            taken.append(frame)
            if taken.count == count { return taken }
        }
        let why = stream.failure.map { ": \($0)" } ?? ""
        throw Finding("the stream ended after \(taken.count) of \(count) frames\(why)")
    }

    /// The camera can be started, delivers and stops.
    func requireFree(_ camera: any Camera) async throws {
        let stream = try await start(camera)
        _ = try await capture(2, of: stream)
        await stream.stop()
    }
}

extension CameraConformance {
    /// Sets no control to another value than it has: what a device does with it is the device's.
    func controls() async throws {
        let stream = try await start()
        let controls = try await stream.controls()
        try require(Set(controls.map(\.name)).count == controls.count, "two controls have one name")
        for control in controls { try requireSound(control) }
        try await requireRefused(["no such control": 1], by: stream)
        let nothing = try await stream.setControls([:])
        try require(nothing.isEmpty, "setting nothing gave \(nothing)")
        if let harmless = controls.first(where: \.isHarmless), let value = harmless.value {
            let read = try await stream.setControls([harmless.name: value])
            try require(read == [harmless.name: value], "\(harmless.name) was \(value), set to it, and is \(read)")
            try await requireRefused([harmless.name: harmless.maximum + 1], by: stream)
            // All or none.
            try await requireRefused([harmless.name: harmless.minimum, "no such control": 1], by: stream)
            let now = try await stream.controls().first { $0.name == harmless.name }?.value
            try require(now == value, "\(harmless.name) was \(value) and is \(now ?? 0) after refusals")
        }
        _ = try await capture(2, of: stream)
        await stream.stop()
    }

    private func requireSound(_ control: DeviceControl) throws(Finding) {
        guard [.integer, .boolean, .menu].contains(control.kind) else { return }
        try require(control.minimum <= control.maximum, "\(control.name): \(control.minimum) to \(control.maximum)")
        guard let value = control.value else { return }
        try require(
            (control.minimum...control.maximum).contains(value),
            "\(control.name) is \(value), not within \(control.minimum) to \(control.maximum)")
        if control.kind == .menu {
            try require(control.menu.contains { $0.index == value }, "\(control.name) is \(value), none of its menu")
        }
    }

    private func requireRefused(_ values: [String: Int64], by stream: any CameraStream) async throws {
        let read: [String: Int64]
        do throws(CameraError) {
            read = try await stream.setControls(values)
        } catch {
            return try require(
                error.code == .unsupportedControl, "\(values) was refused as \(error.code.rawValue): \(error)")
        }
        throw Finding("\(values) was set, and is \(read)")
    }
}

extension DeviceControl {
    /// Whether setting it to the value it has changes nothing.
    fileprivate var isHarmless: Bool {
        ["brightness", "gain", "exposure_time_absolute"].contains(name) && !isReadOnly && !isInactive
            && maximum < .max
    }
}

extension CameraConformance {
    /// Every stream runs beside the main one, of each name once; a name that is not on offer is refused.
    func streams() async throws {
        let camera = try makeCamera()
        let offers = try await camera.streams()
        let names = offers.map(\.name)
        try require(names.first == .main, "the first of \(names) is not the main stream")
        try require(Set(names).count == names.count, "two streams have one name: \(names)")
        let formats = try await camera.capabilities().formats
        try require(offers.first?.formats == formats, "the main stream comes in other formats than the camera tells")
        try await requireUnknownRefused(by: camera, offering: names)
        let main = try await start(camera)
        for offer in offers.dropFirst() { try await runs(offer, of: camera, beside: main) }
        _ = try await capture(2, of: main)
        await main.stop()
        try await requireFree(camera)
    }

    private func requireUnknownRefused(by camera: any Camera, offering names: [StreamName]) async throws {
        let unknown = StreamName(rawValue: "no such stream")
        let refusal = await self.refusal { try await camera.start(unknown, request, clock: clock) }
        guard let refusal else { throw Finding("a stream that is not on offer was started") }
        try require(refusal.code == .unsupportedFormat, "the refusal is \(refusal.code.rawValue): \(refusal)")
        let namesAll = names.allSatisfy { refusal.reason.contains("'\($0)'") }
        try require(namesAll, "the refusal does not name the streams on offer: \(refusal)")
    }

    private func runs(_ offer: StreamOffer, of camera: any Camera, beside main: any CameraStream) async throws {
        let stream = try await camera.start(offer.name, FormatRequest(), clock: clock)
        let isListed = offer.formats.contains { $0.includes(stream.format) }
        try require(isListed, "\(offer.name) agreed on \(stream.format), which is not among \(offer.formats)")
        let again = await refusal { try await camera.start(offer.name, FormatRequest(), clock: clock) }
        try require(again?.code == .busy, "a second \(offer.name) got \(again.map(\.description) ?? "a stream")")
        _ = try await capture(3, of: stream)
        _ = try await capture(2, of: main)
        await stream.stop()
        _ = try await capture(2, of: main)
        let restarted = try await camera.start(offer.name, FormatRequest(), clock: clock)
        _ = try await capture(1, of: restarted)
        await restarted.stop()
    }
}

/// One promise of the protocol `Camera`.
public enum ConformanceCheck: String, CaseIterable, Sendable, CustomStringConvertible {
    // Frames.
    case agreedFormat, wholeFrames, completePictures, orderedFrames, trueInstants, countedLosses, risingLosses,
        slowConsumer, leaseOutlivesStream
    // Life of a stream.
    case busyWhileStreaming, stopEndsFrames, stopTogether, restart, cancelledConsumer, cancelledStart, droppedStream
    // What it offers.
    case unsupportedFormat, startAfterRefusal, capabilities, capabilitiesWhileStreaming, authorization, controls,
        streams
    // Beside another camera.
    case pair

    /// Whether it needs a second camera.
    public var needsOther: Bool { self == .pair }

    /// What would be wrong for a user if the promise were broken.
    public var description: String {
        switch self {
        case .agreedFormat: "the format agreed is not the one asked for, or no frame comes"
        case .wholeFrames: "a frame is not a complete picture of the agreed size, and is not flagged"
        case .completePictures: "a picture's image data is not whole, or no program can open the picture"
        case .orderedFrames: "sequence numbers or stamps go backwards, or a stamp lies in the future"
        case .trueInstants: "a frame was exposed farther from its instant than the bound allows"
        case .countedLosses: "a frame is missing that no counter knows of"
        case .risingLosses: "a counter of losses goes back"
        case .slowConsumer: "a slow consumer gets old frames, or what it lost is not counted"
        case .leaseOutlivesStream: "a frame changes or vanishes when its camera stops"
        case .busyWhileStreaming: "a second start takes the camera away, or is refused for another reason"
        case .stopEndsFrames: "a consumer waits for ever after stop, or stop looks like a failure"
        case .stopTogether: "two that stop a stream at once disturb each other"
        case .restart: "a stopped camera cannot be started again"
        case .cancelledConsumer: "a consumer that was cancelled keeps the camera from stopping or starting"
        case .cancelledStart: "a start that was cancelled keeps the camera"
        case .droppedStream: "a stream that nobody holds goes on, or keeps the camera"
        case .unsupportedFormat: "a format not on offer is agreed to, or refused without saying what is on offer"
        case .startAfterRefusal: "a refused start keeps the camera"
        case .capabilities: "a format listed cannot be started, or one that can be is not listed"
        case .capabilitiesWhileStreaming: "asking a running camera what it offers disturbs it, or is not answered"
        case .authorization: "a camera that can be opened is called forbidden"
        case .controls: "a control is told wrongly, or a value that cannot be set is taken"
        case .streams: "a stream on offer cannot run, one that is not is started, or two of a camera disturb each other"
        case .pair: "two cameras of one make disturb each other"
        }
    }
}

/// A promise that a camera broke.
public struct ConformanceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public var check: ConformanceCheck
    /// What was seen.
    public var finding: String

    public init(_ check: ConformanceCheck, _ finding: String) {
        self.check = check
        self.finding = finding
    }

    public var description: String { "\(check): \(finding)" }
}

/// What a check saw that it must not see.
struct Finding: Error {
    var text: String

    init(_ text: String) {
        self.text = text
    }
}

/// Throws the finding unless the condition holds.
func require(_ condition: Bool, _ finding: @autoclosure () -> String) throws(Finding) {
    guard condition else { throw Finding(finding()) }
}
