import CaptureModel
import FaultPoints
import Logging
import RigCore
import RigProtocol
import RigWire
import StorageKit
import ZeroMQ

/// From the chunks that come to the file in its place, or its failure.
extension CollectService {
    func take(_ wire: WireChunk, _ payload: MessagePart, from node: NodeName) async throws {
        let key = try FileKey(wire: wire.file)
        let chunk = CollectQueue.Chunk(key: key, offset: wire.offset, count: wire.count)
        guard key.capture.device.node == node, payload.count == Int(clamping: wire.count) else {
            return drop(.unexpected, "a chunk of \(key) with another number of bytes than it says")
        }
        switch queues[node]?.received(chunk, at: clock.now()) {
        case .taken: await ask(node)
        case .short:
            return await fail(key, CaptureProblem(.fileLost, "\(key) is shorter in the node's spool than announced"))
        case .unexpected, nil: return drop(.unexpected, "a chunk of \(key) at \(wire.offset)")
        }
        do throws(StorageError) {
            try await assets.append(payload.bytes, to: key, at: wire.offset)
        } catch {
            return await fail(key, CaptureProblem(error))
        }
        queues[node]?.written(key)
        if queues[node]?.isWhole(key) == true { finish(key) }
    }

    /// Has a whole file stored together with the others of its node that wait for it.
    func finish(_ key: FileKey) {
        finishing[key.capture.device.node, default: []].append(key)
        finishAlarm.ring()
    }

    /// Stores whole files: of each node all that wait at a time, since a store commits many in the time of one, and no node's wait for
    /// those of another.
    func keepFinishing() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for (node, keys) in finishing where committing.insert(node).inserted {
                    finishing[node] = nil
                    group.addTask { await self.commit(keys, of: node) }
                }
                await CollectWaitFault.finishing.reached()
                await finishAlarm.wait(until: nil)
            }
            group.cancelAll()
        }
    }

    private func commit(_ keys: [FileKey], of node: NodeName) async {
        let outcomes = await assets.commit(keys)
        for key in keys {
            switch outcomes[key] {
            case .success(let location): await settle(key, location)
            case .failure(let error): await fail(key, CaptureProblem(error))
            case nil: break
            }
        }
        committing.remove(node)
        finishAlarm.ring()
    }

    private func settle(_ key: FileKey, _ location: AssetLocation) async {
        let node = key.capture.device.node
        queues[node]?.stored(key)
        retries.forget(key)
        await CollectWaitFault.stored.reached()
        if await !rig.stored(key, path: location.description) { queues[node]?.released(key) }
        beginMore(of: node)
    }

    /// Ends what is under way of a file, and has others take its place.
    private func fail(_ key: FileKey, _ problem: CaptureProblem) async {
        let node = key.capture.device.node
        guard let file = queues[node]?.file(key) else { return }
        let isAwaited = queues[node]?.isAwaited(key) ?? false
        queues[node]?.remove(key)
        await settle(key, file, failed: problem, isAwaited: isAwaited)
        beginMore(of: node)
    }

    /// Whoever waits for the file is told of its failure, unless it is fetched again at once.
    func settle(_ key: FileKey, _ file: SpooledFile, failed problem: CaptureProblem, isAwaited: Bool) async {
        let verdict = retries.failed(key, file, problem, at: clock.now())
        switch verdict {
        case .again:
            log.warning(
                "a file arrived damaged; fetching it again", metadata: ["file": "\(key)", "reason": "\(problem)"])
            return collect(key, file, isAwaited: isAwaited)
        case .later:
            await assets.suspend(key)
            alarm.ring()
        case .never: await assets.forget(key)
        }
        await rig.storingFailed(key, problem)
    }

    /// Ends what is under way of a file that will not come, and removes what was received of it. One that is being begun, or is whole,
    /// comes to its own end.
    func abandon(_ key: FileKey) async {
        let node = key.capture.device.node
        guard queues[node]?.abandon(key) != false else { return }
        retries.forget(key)
        await assets.forget(key)
        beginMore(of: node)
    }

    /// Removes what was received of files of a settled shot that nobody fetches any more, such as those whose node has lost them, or
    /// has taken no picture after all, since an earlier life of the coordinator began with them.
    func tidy(_ shot: ShotID) async {
        let fetched = queues.values.flatMap { $0.keys(of: shot) } + retries.keys(of: shot)
        await assets.forgetUploads(of: shot, except: Set(fetched))
    }

    func giveUp(_ refused: WireChunkRefused, from node: NodeName) async throws {
        let key = try FileKey(wire: refused.file)
        guard key.capture.device.node == node else { return }
        await fail(key, CaptureProblem(wire: refused.problem))
    }
}
