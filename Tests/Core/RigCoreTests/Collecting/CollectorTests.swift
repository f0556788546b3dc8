import CaptureModel
import CaptureTestSupport
import PosixSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Collecting into a folder, whose disk hangs.
@Suite(.timeLimit(.minutes(10))) struct CollectorTests {
    /// A step of the disk for a file of `north`.
    enum Step: String, CaseIterable, Sendable {
        case openingPart, writingChunk, syncingPart, syncingFolder, hashing

        func isMeant(_ step: FileStep, _ path: String) -> Bool {
            let isPart = path.hasSuffix(".part") && path.contains(".north.")
            return switch self {
            case .openingPart: step == .open && isPart
            case .writingChunk: step == .write && isPart
            case .syncingPart: step == .syncFile && isPart
            case .syncingFolder: step == .syncFolder && path.hasSuffix("north.cam")
            case .hashing: step == .read && path.hasSuffix("north.cam/photo.jpg")
            }
        }
    }

    private let bytes = [UInt8](repeating: 7, count: 600_000)

    @Test(arguments: Step.allCases)
    func `shots are armed and begun, and other nodes' files stored, while the disk hangs with a file of one`(
        step: Step
    ) async throws {
        let disk = try FreezingDisk(where: step.isMeant)
        let bench = try await CollectBench(folder: TemporaryFolder(), disk: disk)
        try await bench.hello("north")
        disk.freeze()
        try await bench.capture(["north"], bytes, 1, isPlaced: step == .hashing)
        await disk.held.wait { $0 == 1 }

        try await bench.hello("south")
        try await bench.capture(["north", "south"], bytes, 2, isPlaced: step == .hashing)
        try await bench.stored("south", 2)
        let shot = try #require(try await bench.rig.library.shot(Samples.shot(2)))
        #expect(shot.captures.first { $0.device.id.node.rawValue == "south" }?.phase == .done)
        #expect(disk.held.value == 1, "of the node whose file hangs one thread does")

        disk.thaw()
        for shot in [1, 2] { try await bench.stored("north", Int64(shot)) }
        await bench.end()
    }

    @Test func `what was received of files that will not come is removed, and nothing of another shot`() async throws {
        let (folder, disk) = (try TemporaryFolder(), try FreezingDisk())
        let bench = try await CollectBench(folder: folder, disk: disk)
        try await bench.hello("north")
        for shot in 1...2 { _ = await bench.rig.rig.trigger(bench.rig.order(Int64(shot))) }
        await bench.rig.links.asked.wait { $0.sent.count { $0.order.isPrepare } == 2 }
        let keys = try ["north/cam", "south/cam", "west/cam"].map { try Samples.fileKey(1, $0) }
        let other = try Samples.fileKey(2, "east/cam")
        for key in keys + [other] {
            _ = try await bench.rig.assets.begin(key, AssetContent(byteCount: 3, digest: Samples.digest([1, 2, 3])))
            try await bench.rig.assets.append([1], to: key, at: 0)
            if key != keys[2] { await bench.rig.assets.suspend(key) }
        }
        /// Nodes of which something is left, once this many parts were removed, the last one of this file.
        func left(_ count: Int, _ key: FileKey) async throws -> [String] {
            await disk.removed.wait { $0.count == count }
            // A node's store does one thing after another.
            await bench.rig.assets.suspend(key)
            return try folder.names("library/.incoming").map { String($0.split(separator: ".")[1]) }.sorted()
        }
        bench.collector.abandon(keys[0])
        #expect(try await left(1, keys[0]) == ["east", "south", "west"])
        bench.collector.tidy(Samples.shot(2))
        #expect(try await left(2, other) == ["south", "west"])
        bench.collector.tidy(Samples.shot(1))
        #expect(try await left(3, keys[1]) == ["west"], "and one that is being received goes on")
        await bench.end()
    }
}
