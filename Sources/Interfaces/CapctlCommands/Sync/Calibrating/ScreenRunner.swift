internal import CaptureModel
internal import Foundation
internal import RigClient
internal import RigDocuments
internal import ScreenTiming
internal import SystemClock

internal import class PosixSupport.Locked

/// What a screen tells of one camera.
struct ScreenCalibration: Sendable {
    var device: DeviceID
    var details: DeviceDetails?
    var timing: ScreenTiming?
    /// The largest error of its stamps that its node states at present.
    var stampBound: Duration
    var exposure: Duration?
    var problem: String?

    /// What its node says of its stamps.
    var stamps: CameraStamps? { details?.condition.stamps }

    /// The error that its stamps share with those of the cameras that were measured with it; nil if it is not as it was then.
    var sharedError: SharedError? {
        guard let format = details?.condition.format else { return nil }
        return stamps?.correction?.sharedError(in: format, exposure: exposure)
    }

    /// Takes the timing away if the camera's clock has stamped some of the pictures, and its driver others: a correction holds for one
    /// of both.
    /// - Parameter before: Its stamps before the measurement; nil if its node does not report them.
    mutating func refuseIfStampsChanged(since before: CameraStamps?) {
        guard timing != nil, let before, let stamps, before.origin != stamps.origin,
            before.origin == .cameraClock || stamps.origin == .cameraClock
        else { return }
        timing = nil
        let change = "from \(before.origin.text) to \(stamps.origin.text)"
        problem = "its stamps have changed, \(change); measure again while it streams"
    }
}

/// Watches a screen with the cameras of a selection.
struct ScreenRunner {
    var options: ScreenOptions
    var clock: any TimeSource = SystemTimeSource()

    /// How long to wait for the file of the page.
    private static let patience = Duration.seconds(600)

    /// - Returns: The cameras in the order of the rig, the reference among them; and the screen's lag.
    /// - Throws: ``CommandFailure`` if the screen's times cannot be read, or the reference tells no lag.
    func run(
        _ selection: Selection, _ client: RigClient, _ console: Console
    ) async throws -> (cameras: [ScreenCalibration], lag: ScreenLag) {
        let (ids, devices) = try await MatchOptions.cameras(of: selection, client)
        let meant = devices.filter {
            $0.device.mediaType == .video && (ids.contains($0.device.id) || $0.device.id == options.reference)
        }
        if let reference = options.reference, !meant.contains(where: { $0.device.id == reference }) {
            throw CommandFailure(
                .nothingSelected, "the rig has no camera '\(reference)'; `capctl devices` lists the cameras")
        }
        let watch = try ScreenWatch()
        console.progress("\(meant.count.counted("camera")) watch the screen for \(options.length.shortText)")
        let sights = await watch.watch(meant, client, until: clock.now() + options.length, clock: clock) { count in
            if count.isMultiple(of: 30) { console.progress("\(count.counted("picture")) of the screen") }
        }
        console.endProgress()
        let times = try await times(of: sights, console)
        var cameras: [ScreenCalibration] = []
        let stamps = Dictionary(meant.map { ($0.device.id, $0.condition.stamps) }) { first, _ in first }
        for sight in sights {
            var camera = await calibration(sight, times, client)
            camera.refuseIfStampsChanged(since: stamps[sight.device] ?? nil)
            cameras.append(camera)
        }
        return (cameras, try lag(cameras))
    }

    private func times(of sights: [ScreenSight], _ console: Console) async throws -> ScreenTimes {
        guard let file = options.times else { return ScreenTimes(seed: options.seed, of: sights) }
        let end = clock.now() + Self.patience
        while !FileManager.default.fileExists(atPath: file) {
            guard clock.now() < end else {
                throw CommandFailure(.other, "\(file) did not appear: save the times on the page, and give their path")
            }
            console.progress("waiting for \(file): save the times on the page")
            try await clock.sleep(until: clock.now() + .milliseconds(500))
        }
        console.endProgress()
        return try ScreenTimes(file: file)
    }

    private func calibration(
        _ sight: ScreenSight, _ times: ScreenTimes, _ client: RigClient
    ) async -> ScreenCalibration {
        var result = ScreenCalibration(
            device: sight.device, stampBound: sight.stampBound, exposure: sight.exposure, problem: sight.problem)
        guard result.problem == nil else { return result }
        if let clock = times.clock, let own = sight.clock, clock != own {
            result.problem = "the file has times of another clock, since the coordinator's machine was started again"
            return result
        }
        do throws(ScreenTimingProblem) {
            result.timing = try ScreenTimingEstimator(
                switches: times.switches, clockBound: times.bound, scan: options.scan
            ).timing(of: times.covered(sight.pictures))
        } catch {
            result.problem = error.description
        }
        do throws(RigClientError) {
            result.details = try await client.describe(sight.device)
        } catch {
            result.problem = result.problem ?? "\(error)"
        }
        return result
    }

    /// The screen's lag as far as the options and the reference tell it.
    private func lag(_ cameras: [ScreenCalibration]) throws -> ScreenLag {
        guard let reference = options.reference, let camera = cameras.first(where: { $0.device == reference }) else {
            return options.lag
        }
        guard let timing = camera.timing else {
            throw CommandFailure(.failed, "\(reference) tells no lag of the screen: \(camera.problem ?? "")")
        }
        guard let lag = options.lag.narrowed(by: timing, stampBound: camera.stampBound) else {
            throw CommandFailure(
                .failed,
                "\(reference) sees the screen \((.zero - timing.correction).text) late, and its stamps are said to be off by at most \(camera.stampBound.text): this contradicts the screen's lag of \(options.lag.least.text) to \(options.lag.most.text)"
            )
        }
        return lag
    }
}
