import CameraKit
import CaptureModel
import Glibc
import ImageMetadata
import LibAV
import Logging
import PrivateFiles
import RigConfiguration

/// The loop of a camera's thread: it reads the camera's packets, puts pictures together, decodes them, stamps them and passes them on.
///
/// Used only on that thread.
final class RTSPCapture {
    /// What is known of a picture that the decoder has.
    private struct Pending {
        var arrival: Arrival
        var told: CameraClock.Reading?
    }

    private let device: String
    private let configuration: RTSPCameraConfiguration
    private let control: StreamControl
    private let clock: any TimeSource
    private let limit: StartLimit
    private let reader: RTSPReader
    /// nil for JPEG.
    private let decoder: PictureDecoder?
    private var units: AccessUnits
    private var stamps: RTSPStamps
    private var pictures: Allowance
    /// Pictures in the decoder, by their numbers.
    private var pending: [Int64: Pending] = [:]
    private var number: Int64 = 0
    private var count: UInt64 = 0
    private var losses: UInt = 0
    /// Whether the next picture must be decodable without those before it.
    private var needsEntry = true
    private var format: (video: VideoFormat, range: SampleRange)?
    private var early: [CameraFrame] = []
    /// The last instant at which no packet waited.
    private var idle: LocalTime
    private let log = Logger(label: "camera") { StreamLogHandler.standardError(label: $0) }
    private var toldJumps: (count: UInt64, last: LocalTime)?

    /// Pictures that a decoder may hold back: twice the most that H.264 and H.265 know.
    private static let mostPending: Int64 = 32
    private static let mostEarly = 4
    /// A read that took so long has waited for its packet.
    private static let wait = Duration.milliseconds(1)
    private static let jumpPeriod = Duration.seconds(10)

    /// Until when the first picture must have come. Asked by the library while it waits.
    private final class StartLimit {
        var deadline: LocalTime?
    }

    /// Connects to the camera.
    /// - Throws: ``CameraError``: `absent` if nobody answers; `denied` if it refuses the credentials, or these may not be read.
    init(
        device: String, _ configuration: RTSPCameraConfiguration, _ correction: StampCorrection,
        control: StreamControl, clock: any TimeSource
    ) throws(CameraError) {
        self.device = device
        self.configuration = configuration
        self.control = control
        self.clock = clock
        let now = clock.now()
        idle = now
        let limit = StartLimit()
        limit.deadline = now + configuration.arrival.startLimit
        self.limit = limit
        pictures = Allowance(picturesAt: configuration.arrival.framesPerSecond, start: now)
        let login = try configuration.login(of: device)
        let request = RTSPReader.Request(
            url: configuration.url.url, name: configuration.url.name, login: login,
            transport: configuration.transport == .udp ? .udp : .tcp, hidden: configuration.url.hidden)
        do throws(LibAVError) {
            reader = try RTSPReader(request) {
                control.isStopping || limit.deadline.map { clock.now() >= $0 } ?? false
            }
            let codec = reader.stream.codec
            units = AccessUnits(codec)
            stamps = RTSPStamps(
                correction, largestLatency: configuration.arrival.largestLatency,
                wrap: reader.stream.timeBase.duration(1 << 32))
            decoder =
                switch codec {
                case .h264, .h265: try PictureDecoder(reader.stream, subject: request.name)
                default: nil
                }
        } catch {
            throw CameraError(connecting: error, device, configuration)
        }
        guard decoder != nil || reader.stream.codec == .motionJPEG else {
            throw CameraError(
                .unsupportedFormat, device: device, operation: "start",
                reason:
                    "\(request.name) sends \(reader.stream.codec), which is not read; set the camera to H.264, H.265 "
                    + "or MJPEG")
        }
    }

    /// Reads until the first picture is there.
    /// - Returns: Its format, and the range of its samples; nil if a stop was requested first.
    /// - Throws: ``CameraError`` if none comes within the limit, or the camera ends the stream.
    func start() throws(CameraError) -> (video: VideoFormat, range: SampleRange)? {
        while !control.isStopping {
            guard try step(keep) else { break }
            if let format {
                limit.deadline = nil
                return format
            }
        }
        return nil
    }

    /// Keeps a frame for the stream, or counts it as lost.
    private func keep(_ frame: CameraFrame) {
        guard early.count < Self.mostEarly else { return control.count { $0.droppedByNode += 1 } }
        early.append(frame)
    }

    /// Reads, and passes pictures on, until a stop is requested.
    /// - Throws: ``CameraError`` when the camera ends the stream, or sends what it must not.
    func run(_ frames: AsyncStream<CameraFrame>.Continuation) throws(CameraError) {
        let hand = { [control] (frame: CameraFrame) in
            if case .dropped = frames.yield(frame) { control.count { $0.droppedByNode += 1 } }
        }
        for frame in early { hand(frame) }
        early = []
        while !control.isStopping {
            guard try step(hand) else { return }
        }
    }

    /// Reads a packet, and passes on what is complete with it.
    /// - Returns: false if a stop was requested.
    private func step(_ hand: (CameraFrame) -> Void) throws(CameraError) -> Bool {
        let began = clock.now()
        let packet: RTSPReader.Packet?
        do throws(LibAVError) {
            packet = try reader.next()
        } catch {
            if control.isStopping { return false }
            throw error.isInterruption ? noPicture() : failure(error.description)
        }
        guard let packet else { throw failure("the camera has ended the stream") }
        let now = clock.now()
        // What was there at once may have come at any time since nothing was.
        if now - began >= Self.wait { idle = now }
        let isAfterLoss = reader.losses != losses
        losses = reader.losses
        let arrival = Arrival(instant: now, delay: now - idle)
        if let unit = units.add(packet, arrival: arrival, isAfterLoss: isAfterLoss) { try take(unit, hand) }
        if let deadline = limit.deadline, clock.now() >= deadline { throw noPicture() }
        return true
    }

    private func take(_ unit: AccessUnits.Unit, _ hand: (CameraFrame) -> Void) throws(CameraError) {
        guard pictures.take(1, at: clock.now()) else {
            throw failure(
                "it sends more than four times \(configuration.arrival.framesPerSecond) pictures per second; correct "
                    + "`framesPerSecond`")
        }
        let told = stamps.observe(
            unit.wallClock, mediaTime: unit.time.map { reader.stream.timeBase.duration($0) }, arrival: unit.arrival)
        tellJumps(at: unit.arrival.instant)
        guard unit.isWhole else { return tear() }
        if needsEntry, !reader.stream.codec.canBegin(with: unit.bytes) {
            // Before the first picture nothing is torn: the stream is joined in its middle.
            if format != nil { control.count { $0.torn += 1 } }
            return
        }
        needsEntry = false
        let known = Pending(arrival: unit.arrival, told: told)
        guard let decoder else { return takeJPEG(unit.bytes, known, hand) }
        number += 1
        pending[number] = known
        pending[number - Self.mostPending] = nil
        let decoded: [PictureDecoder.Decoded]
        do throws(LibAVError) {
            decoded = try decoder.decode(unit.bytes, number: number)
        } catch {
            // A check of the wrapper: what no later picture can mend.
            if error.code == 0 { throw CameraError(decoding: error, device) }
            return tear()
        }
        for picture in decoded {
            if picture.isDamaged { return tear() }
            try take(picture, hand)
        }
    }

    /// Logs jumps of the camera's clock, at most once in ``jumpPeriod``.
    private func tellJumps(at now: LocalTime) {
        guard stamps.jumps > toldJumps?.count ?? 0, toldJumps.map({ now - $0.last >= Self.jumpPeriod }) ?? true else {
            return
        }
        toldJumps = (stamps.jumps, now)
        log.notice("\(device): the camera's clock has jumped, \(stamps.jumps) times since the stream was opened")
    }

    /// Counts a picture of which something is missing. Later ones may build on it, up to the next one that builds on none.
    private func tear() {
        control.count { $0.torn += 1 }
        decoder?.reset()
        pending = [:]
        needsEntry = decoder != nil
    }

    private func takeJPEG(_ bytes: [UInt8], _ known: Pending, _ hand: (CameraFrame) -> Void) {
        if format == nil {
            guard let frame = try? JPEGStructure(parsing: bytes).frame else { return tear() }
            format = (video(.mjpeg, frame.width, frame.height), .full)
        }
        hand(frame(known, .jpeg(FrameLease(bytes))))
    }

    private func take(_ picture: PictureDecoder.Decoded, _ hand: (CameraFrame) -> Void) throws(CameraError) {
        guard let known = pending.removeValue(forKey: picture.number) else { return tear() }
        let own = (
            video: video(.yu12, picture.width, picture.height), range: picture.isFullRange ? SampleRange.full : .limited
        )
        let agreed = format ?? own
        guard own == agreed else {
            throw failure(
                "its pictures were \(agreed.video) and are \(own.video); the stream is opened again, with the latter")
        }
        guard picture.bytes.count == PixelFormat.yu12.byteCount(width: picture.width, height: picture.height) else {
            throw CameraError(
                .unsupportedFormat, device: device, operation: "start",
                reason: "its pictures are \(picture.width)x\(picture.height); set the camera to even numbers")
        }
        format = agreed
        hand(frame(known, .planes(FrameLease(picture.bytes))))
    }

    private func video(_ format: PixelFormat, _ width: Int, _ height: Int) -> VideoFormat {
        VideoFormat(
            pixelFormat: format, width: width, height: height, frameInterval: configuration.arrival.frameInterval)
    }

    private func frame(_ known: Pending, _ payload: CameraFrame.Payload) -> CameraFrame {
        let stamp = stamps.stamp(of: known.arrival, known.told)
        defer { count += 1 }
        return CameraFrame(
            sequence: count, midExposure: stamp.midExposure, stampBound: stamp.bound,
            isCorrected: stamp.isCorrected, dequeued: clock.now(), payload: payload)
    }

    private func noPicture() -> CameraError {
        failure("no picture has come within \(configuration.arrival.startLimit.text)")
    }

    private func failure(_ reason: String) -> CameraError {
        CameraError(.failed, device: device, operation: "read", reason: "\(configuration.url.name): \(reason)")
    }
}

extension RTSPCameraConfiguration {
    /// Reads the credentials; nil if none are named.
    func login(of device: String) throws(CameraError) -> RTSPReader.Login? {
        guard let credentials else { return nil }
        do throws(UnusablePrivateLine) {
            let (user, password) = try PrivateLine.login(credentials)
            if let login = RTSPReader.Login(user: user, password: password) { return login }
        } catch {
            throw CameraError(
                .denied, device: device, operation: "read credentials", reason: error.description)
        }
        throw CameraError(
            .denied, device: device, operation: "read credentials",
            reason: "user and password in \(credentials) are longer than the 127 bytes that FFmpeg permits; give the "
                + "camera shorter ones")
    }
}

extension CameraError {
    /// A camera that could not be connected to.
    init(connecting error: LibAVError, _ device: String, _ configuration: RTSPCameraConfiguration) {
        let (code, advice): (Code, String) =
            switch (error.serverStatus, error.errno) {
            case (401, _), (403, _):
                (
                    .denied,
                    configuration.credentials.map { "; correct user and password in \($0)" }
                        ?? "; name a file with USER:PASSWORD with `credentials`"
                )
            case (404, _): (.failed, "; correct the path in `url`")
            case (_?, _): (.failed, "; the camera may have too many viewers, or expect another `url`")
            case (_, ECONNREFUSED), (_, EHOSTUNREACH), (_, ENETUNREACH), (_, ETIMEDOUT), (_, EHOSTDOWN):
                (.absent, "; turn the camera on, or correct the host in `url`")
            case _ where error.isInterruption:
                (.absent, "; it has not answered within \(configuration.arrival.startLimit.text)")
            case _ where error.cause.contains("resolve hostname"):
                (.absent, "; correct the host in `url`")
            default: (.failed, "")
            }
        self.init(code, device: device, operation: "connect", reason: error.description + advice)
    }

    /// Pictures that cannot be used.
    init(decoding error: LibAVError, _ device: String) {
        self.init(.unsupportedFormat, device: device, operation: "start", reason: error.description)
    }
}
