import CaptureModel
import RigConfiguration
import Testing

@testable import RigCore

@Suite struct CollectTurnsTests {
    private static let chunk: Int64 = 1000
    private let nodes: [NodeName]

    init() throws {
        nodes = try ["north", "south", "west"].map { try NodeName($0) }
    }

    /// Grants chunks, each of the whole size, and tells whose they were.
    private func grants(
        _ turns: inout CollectTurns, _ count: Int, _ wishes: [NodeName: Set<CollectRank>]
    ) -> [(node: NodeName, rank: CollectRank)] {
        (0..<count).compactMap { _ in
            guard let turn = turns.next(among: wishes) else { return nil }
            let isBacklogWaiting = wishes.values.contains { $0.contains(.backlog) }
            turns.spent(Self.chunk, on: turn.rank, isBacklogWaiting: isBacklogWaiting)
            return turn
        }
    }

    @Test("Fetches an awaited still before the clips of all nodes")
    func stillsFirst() {
        for still in nodes {
            var turns = CollectTurns(chunkByteCount: Self.chunk)
            var wishes = Dictionary(uniqueKeysWithValues: nodes.map { ($0, Set([CollectRank.backlog, .awaited])) })
            _ = grants(&turns, 5, wishes.mapValues { _ in [.backlog] })
            wishes[still] = [.awaitedStill]
            let turn = turns.next(among: wishes)
            #expect(turn?.node == still && turn?.rank == .awaitedStill)
        }
    }

    @Test("Gives files that nobody awaits a tenth of the rate under load")
    func share() {
        var turns = CollectTurns(chunkByteCount: Self.chunk)
        let all = grants(&turns, 1000, [nodes[0]: [.awaitedStill], nodes[1]: [.backlog]])
        #expect(all.first?.rank == .awaitedStill)
        #expect(all.count { $0.rank == .backlog } == 100)
        #expect(all.prefix(10).contains { $0.rank == .backlog }, "the share is kept in every second, not in the end")
    }

    @Test("Starts a new shot at once although a backlog could not use its share")
    func savedUp() {
        var turns = CollectTurns(chunkByteCount: Self.chunk)
        for _ in 0..<1000 { turns.spent(Self.chunk, on: .awaitedStill, isBacklogWaiting: true) }
        let after = grants(&turns, 10, [nodes[0]: [.awaitedStill], nodes[1]: [.backlog]])
        #expect(after.count { $0.rank == .backlog } <= 2)
        var idle = CollectTurns(chunkByteCount: Self.chunk)
        for _ in 0..<1000 { idle.spent(Self.chunk, on: .awaitedStill, isBacklogWaiting: false) }
        #expect(grants(&idle, 1, [nodes[0]: [.awaitedStill], nodes[1]: [.backlog]]).map(\.rank) == [.awaitedStill])
    }

    @Test("Alternates between nodes of one rank")
    func turns() {
        var turns = CollectTurns(chunkByteCount: Self.chunk)
        let wishes = Dictionary(uniqueKeysWithValues: nodes.map { ($0, Set([CollectRank.awaitedStill])) })
        #expect(grants(&turns, 4, wishes).map(\.node) == nodes + [nodes[0]])
        #expect(turns.next(among: [:]) == nil)
    }

    @Test("Limits a chunk to a quarter of a second at a low rate")
    func chunks() {
        let rates: [(TransferRate, Int64)] = [
            (.unlimited, 262_144), (.bytesPerSecond(100_000_000), 262_144), (.bytesPerSecond(400_000), 100_000),
            (.bytesPerSecond(1000), 4096), (.bytesPerSecond(.min), 4096),
        ]
        for (rate, count) in rates { #expect(TransferPacer(rate: rate).chunkByteCount == count) }
    }
}
