import CaptureModel
import FaultPoints
import Logging
import RigCore
import RigProtocol
import RigWire
import ZeroMQ

/// Which chunk is asked for when.
extension CollectService {
    /// Asks for as many chunks as window and pace allow, and has the next ones asked for in time.
    func ask(_ node: NodeName) async {
        await request(from: node)
        alarm.ring()
    }

    private func request(from node: NodeName) async {
        while pacer.earliest(at: clock.now()) <= clock.now(), let (chunk, peer) = nextChunk(of: node) {
            var request = WireChunkRequest()
            request.file = chunk.key.wire
            request.offset = chunk.offset
            request.count = chunk.count
            await send(.chunkRequest(request), to: peer)
        }
    }

    /// The chunk that is asked for next, taken from the pace: where nodes share a rate, of any of them.
    private func nextChunk(of node: NodeName) -> (CollectQueue.Chunk, PeerID)? {
        let nodes = pacer.isUnlimited ? [node] : Array(queues.keys)
        let active = nodes.filter { queues[$0]?.isEmpty == false && bindings.peer(of: $0) != nil }
        let wishes = active.map { ($0, queues[$0]?.ranks ?? []) }
        guard let turn = turns.next(among: Dictionary(wishes) { first, _ in first }),
            let peer = bindings.peer(of: turn.node),
            let chunk = queues[turn.node]?.next(turn.rank, limit: pacer.chunkByteCount, at: clock.now())
        else { return nil }
        turns.spent(
            chunk.count, on: turn.rank, isBacklogWaiting: active.contains { queues[$0]?.hasBacklog == true })
        pacer.spend(chunk.count, at: clock.now())
        return (chunk, peer)
    }

    /// Asks on when the pace allows it, and again for what has not come.
    func keepAsking() async {
        while !Task.isCancelled {
            let now = clock.now()
            for (key, file) in retries.takeDue(at: now) { collect(key, file, isAwaited: false) }
            await requireGreetings(at: now)
            await repeatReleases()
            for node in queues.keys.sorted() where bindings.peer(of: node) != nil {
                if queues[node]?.restartIfOverdue(at: now) == true {
                    log.warning("chunks are overdue; asking again", metadata: ["node": "\(node)"])
                }
                await request(from: node)
            }
            await CollectWaitFault.asking.reached()
            await alarm.wait(until: nextWake)
        }
    }

    private func requireGreetings(at now: LocalTime) async {
        let silent = queues.filter { !$0.value.isEmpty && bindings.peer(of: $0.key) == nil }.keys
        for node in greetings.takeDue(silent: Set(silent), at: now) { await rig.requireHello(of: node) }
    }

    private var nextWake: LocalTime? {
        let earliest = pacer.earliest(at: clock.now())
        let active = queues.filter { !$0.value.isEmpty && bindings.peer(of: $0.key) != nil }.values
        let instants =
            active.map { $0.nextWake(askingFrom: earliest) } + [
                retries.nextInstant, greetings.nextInstant, releases.nextInstant { bindings.peer(of: $0) != nil },
            ]
        return instants.compactMap(\.self).min()
    }
}
