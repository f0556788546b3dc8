import CaptureModel
import CaptureTestSupport
import ControlMessages
import Logging
import PosixSupport
import RigConfiguration
import RigTestSupport
import StorageKit
import SystemClock

@testable import RigCore

/// A rig whose files are collected, and nodes that send what they are asked for.
final class CollectBench: Sendable {
    let rig: RigBench
    let collector: Collector
    /// What nodes have in their spools.
    private let spooled = Locked<[FileKey: [UInt8]]>([:])
    private let running: [Task<Void, Never>]

    init(folder: TemporaryFolder, disk: FreezingDisk) async throws {
        rig = try await RigBench(folder: folder, fault: disk.fault)
        var log = Logger(label: "test")
        log.logLevel = .critical
        let collector = Collector(
            rig: rig.rig, assets: rig.assets, rate: .unlimited, clock: SystemTimeSource(), log: log)
        self.collector = collector
        rig.links.collector.withLock { $0 = collector }
        let spooled = spooled
        running = [
            Task { await collector.run() },
            Task {
                for await order in collector.orders { await Self.answer(order, from: spooled, to: collector) }
            },
        ]
    }

    private static func answer(
        _ order: CollectOrder, from spooled: Locked<[FileKey: [UInt8]]>, to collector: Collector
    ) async {
        switch order {
        case .request(let chunk):
            guard let bytes = spooled.withLock({ $0[chunk.key] }) else { return }
            let (first, count) = (Int(chunk.offset), Int(chunk.count))
            _ = await collector.received(chunk, Array(bytes[first..<first + count]))
        case .release(let key, _): await collector.letGo(key)
        }
    }

    func end() async {
        for task in running { task.cancel() }
        for task in running { await task.value }
        await rig.end()
    }

    /// A node with one camera, which can be asked for its files.
    func hello(_ node: String) async throws {
        try await rig.hello(node)
        await collector.connected(try NodeName(node))
    }

    /// Takes a picture with the cameras of these nodes, each of these bytes.
    /// - Parameter isPlaced: Whether the files lie in their places already, as a coordinator leaves them that ends before it
    ///   writes the manifest.
    func capture(_ nodes: [String], _ bytes: [UInt8], _ shot: Int64, isPlaced: Bool = false) async throws {
        let names = Set(try nodes.map { try NodeName($0) })
        _ = await rig.rig.trigger(rig.order(shot, timeout: .seconds(30)))
        await rig.links.wait(forNodes: names) { $0.isPrepare(of: Samples.shot(shot)) }
        for node in nodes { try await rig.armed(node, shot) }
        await rig.links.wait(forNodes: names) { $0.isFire(of: Samples.shot(shot)) }
        for node in nodes {
            let key = try Samples.fileKey(shot, "\(node)/cam")
            spooled.withLock { $0[key] = bytes }
            if isPlaced { try await place(key, bytes) }
            try await rig.captured(node, bytes, shot)
        }
    }

    private func place(_ key: FileKey, _ bytes: [UInt8]) async throws {
        let content = AssetContent(byteCount: Int64(bytes.count), digest: Samples.digest(bytes))
        _ = try await rig.assets.begin(key, content)
        try await rig.assets.append(bytes, to: key, at: 0)
        _ = try await rig.assets.commit(key)
    }

    /// Returns when a durable manifest has the file of a node's camera, and the node is told so.
    func stored(_ node: String, _ shot: Int64) async throws {
        let key = try Samples.fileKey(shot, "\(node)/cam")
        await rig.links.asked.wait { $0.released.contains { $0.key == key && $0.onDisk == .done } }
    }
}

extension NodeOrder {
    fileprivate func isPrepare(of shot: ShotID) -> Bool {
        if case .prepare(let order) = self { order.shot == shot } else { false }
    }

    fileprivate func isFire(of shot: ShotID) -> Bool {
        if case .fire(let order) = self { order.shot == shot } else { false }
    }
}
