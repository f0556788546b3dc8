import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import PosixSupport
import Spool
import StorageKit

/// A library whose shots all lack the picture of `node1/cam1`, and the spool of that node, which has them.
struct Archive {
    let library: String
    let spool: String
    private let strangers: Int

    /// - Parameters:
    ///   - shots: How many the library has.
    ///   - strangers: How many captures the spool has besides, of shots that the library does not.
    init(in folder: String, shots: Int, strangers: Int) async throws {
        library = folder + "/library"
        spool = folder + "/node1"
        self.strangers = strangers
        let device = try DeviceID("node1/cam1")
        let disk = try ThreadExecutor(name: "archive")
        let library = try FolderStore(folder: self.library).library
        let spool = try Spool(folder: self.spool, limitBytes: .max, reserveFreeBytes: 0, executor: disk)
        var generator = SeededGenerator(seed: 7)
        // Days ago, two seconds apart.
        let first = Int64(Date().timeIntervalSince1970 * 1000) - Int64(shots + strangers) * 2000 - 400_000_000
        for number in 0..<(shots + strangers) {
            let id = ShotID(unixMilliseconds: first + Int64(number) * 2000, using: &generator)
            _ = try await spool.store(
                CaptureKey(shot: id, device: device), resolved: Self.resolved, timing: Self.timing,
                files: [(.photo, [Array("picture \(number) ".utf8) + [UInt8](repeating: 7, count: 2000)])])
            if number >= strangers { try await library.write(Self.missed(id, device)) }
        }
    }

    /// Captures in the spool.
    func waiting() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: spool + "/captures").count { $0.hasSuffix(".json") }
    }

    /// Waits until the spool holds nothing but captures of strange shots.
    func awaitDelivery(within limit: Duration) async throws {
        try await within(limit, "the backlog to be delivered") {
            while true {
                let watch = try FolderWatch(spool + "/captures")
                let left = try waiting() - strangers
                guard left > 0 else { return }
                // A manifest and a picture each; what went before they were counted lets it look again.
                try await watch.wait(for: .went, count: 2 * left, within: limit)
            }
        }
    }

    /// Shots of the archive whose manifest says that the picture is there, late.
    func complete() async throws -> Int {
        try await FolderReader(folder: library).shots(limit: .max).shots.count { shot in
            shot.status == .complete && shot.captures[0].files[0].outcome == .late
        }
    }

    private static func missed(_ id: ShotID, _ device: DeviceID) -> Shot {
        let realtime = id.unixMilliseconds * 1_000_000
        var shot = Shot(
            id: id, time: RigTime(nanoseconds: 1_000_000_000), rigClock: RigClockID(rawValue: "earlier-boot"),
            wallClock: WallClockPair(monotonic: RigTime(nanoseconds: 1_000_000_000), realtimeNanoseconds: realtime),
            coordinatorEpoch: .random(), request: ShotRequest(selection: Selection()),
            captures: [Capture(device: DeviceDescription(id: device, driver: "virtual"))])
        shot.captures[0].phase = .missed
        shot.captures[0].problem = RigProblem(.nodeUnreachable, "node 'node1' did not report in time")
        shot.captures[0].files[0].outcome = .missed
        shot.status = .failed
        shot.settledAt = shot.time
        return shot
    }

    private static let resolved = ResolvedPhotoSettings(
        width: 640, height: 360,
        streamFormat: VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(50)),
        isCameraEncoded: true, orientation: .degrees0)

    private static let timing = FrameTiming(
        sequence: 1, localMidExposure: LocalTime(nanoseconds: 1_000_000_000),
        midExposure: BoundedRigTime(time: RigTime(nanoseconds: 1_000_000_000), bound: .microseconds(100)),
        skewNanoseconds: 0, dequeued: RigTime(nanoseconds: 1_001_000_000))
}

/// `capctl spool list --format json`.
struct SpoolAnswer: Decodable {
    var captures: [Item]

    struct Item: Decodable {
        var device: String
        var shot: String
        var state: String
        var files: Int
        var byteCount: DecimalText<Int64>
    }
}
