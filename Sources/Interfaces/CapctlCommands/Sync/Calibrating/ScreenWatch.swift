internal import CaptureModel
internal import PosixSupport
internal import RigClient
internal import RigWire
internal import ScreenTiming
internal import TurboJPEG

/// What was seen of a screen by one camera.
struct ScreenSight: Sendable {
    var device: DeviceID
    var pictures: [ScreenPicture] = []
    /// The largest error of a stamp that its node has stated.
    var stampBound = Duration.zero
    /// The exposure time that the camera reported last.
    var exposure: Duration?
    /// The time line of the pictures.
    var clock: RigClockID?
    /// Why there are no pictures.
    var problem: String?
}

/// Watches a screen with several cameras at once. The pictures are decoded on a separate thread.
actor ScreenWatch {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let decoder: JPEGDecoder
    private var image = LumaImage()

    /// How many pictures of one camera are kept.
    static let limit = 20_000
    /// How long a camera may be silent.
    private static let patience = Duration.seconds(5)
    /// The height that pictures should have at least.
    private static let height = 90

    /// - Throws: `PosixError` or `TurboJPEGError` if a thread or memory cannot be had.
    init() throws {
        executor = try ThreadExecutor(name: "screen")
        decoder = try JPEGDecoder(maximumPixelCount: 50_000_000)
    }

    /// Watches until an instant.
    /// - Parameter tell: Called with the number of pictures of all cameras, on any thread.
    func watch(
        _ devices: [DeviceStatus], _ client: RigClient, until end: LocalTime, clock: any TimeSource,
        tell: @escaping @Sendable (Int) -> Void
    ) async -> [ScreenSight] {
        let total = Locked(0)
        return await withTaskGroup(of: (Int, ScreenSight).self) { group in
            for (place, device) in devices.enumerated() {
                group.addTask {
                    let sight = await self.sight(device, client, until: end, clock: clock) {
                        tell(
                            total.withLock { total in
                                total += 1
                                return total
                            })
                    }
                    return (place, sight)
                }
            }
            var sights: [(Int, ScreenSight)] = []
            for await sight in group { sights.append(sight) }
            return sights.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func sight(
        _ device: DeviceStatus, _ client: RigClient, until end: LocalTime, clock: any TimeSource,
        tell: @Sendable () -> Void
    ) async -> ScreenSight {
        var sight = ScreenSight(device: device.device.id)
        guard let format = device.condition.format, device.condition.state == .running else {
            sight.problem = device.condition.reason ?? "it does not run; `capctl devices` shows why"
            return sight
        }
        let stream = await client.frames(of: device.device.id, kind: Self.kind(of: format))
        do {
            while clock.now() < end, sight.pictures.count < Self.limit, !Task.isCancelled {
                guard let frame = try await stream.next(within: Self.patience) else {
                    sight.problem = PreviewCommand.silence(of: stream.topic, from: await stream.source, Self.patience)
                    break
                }
                note(frame, in: &sight)
                tell()
            }
        } catch {
            sight.problem = "\(error)"
        }
        await stream.close()
        return sight
    }

    /// Adds a frame. One that cannot be decoded, or whose node does not know rig time, is left out.
    private func note(_ frame: ReceivedFrame, in sight: inout ScreenSight) {
        guard let rig = frame.header.rig, (try? decoder.decodeLuma(frame.payload.span, into: &image)) != nil,
            let cells = ScreenPicture.cells(of: image.bytes.span, width: image.width, height: image.height),
            let picture = ScreenPicture(
                midExposure: rig.midExposure.time, clockBound: rig.clockBound, exposure: frame.header.exposure,
                cells: cells)
        else { return }
        // Instants of two time lines are unrelated.
        if rig.clock != sight.clock { sight.pictures = [] }
        sight.clock = rig.clock
        sight.stampBound = max(sight.stampBound, frame.header.stampBound)
        sight.exposure = frame.header.exposure
        sight.pictures.append(picture)
    }

    /// The smallest kind of picture that is high enough.
    private static func kind(of format: VideoFormat) -> FrameKind {
        let kinds: [FrameKind] = [.eighth, .quarter, .half]
        return kinds.first { format.height / ($0.divisor ?? 1) >= height } ?? .full
    }
}
