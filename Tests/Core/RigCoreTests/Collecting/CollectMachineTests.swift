import CaptureModel
import RigConfiguration
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Transcripts: what happens, and what is done about it.
@Suite struct CollectMachineTests {
    private static let chunk = CollectQueue.chunkByteCount
    private let start = LocalTime(nanoseconds: 1_000_000_000)
    private let north: NodeName
    private let south: NodeName

    init() throws {
        (north, south) = (try NodeName("north"), try NodeName("south"))
    }

    private func file(_ byteCount: Int64) -> SpooledFile {
        SpooledFile(kind: .photo, byteCount: byteCount, digest: Samples.digest([1]))
    }

    private func machine(_ nodes: NodeName..., rate: TransferRate = .unlimited) -> CollectMachine {
        var machine = CollectMachine(rate: rate)
        for node in nodes { #expect(machine.handle(.connected(node), at: start) == []) }
        return machine
    }

    /// Has a file begun by the store, and returns what is asked of its node.
    private func begin(
        _ key: FileKey, _ byteCount: Int64, isAwaited: Bool = true, _ machine: inout CollectMachine
    ) -> [CollectChunk] {
        let file = file(byteCount)
        let actions = machine.handle(.wanted(key, file, isAwaited: isAwaited), at: start)
        #expect(actions.filter { !$0.isRequest } == [.begin(key, file)])
        return machine.handle(.begun(key, file, .success(.resume(at: 0))), at: start).requests
    }

    private func write(_ chunk: CollectChunk, _ machine: inout CollectMachine) -> [CollectAction] {
        #expect(machine.handle(.received(chunk), at: start).first == .write(chunk))
        return machine.handle(.written(chunk.key, nil), at: start)
    }

    @Test func `a file is begun, asked for, written, committed, told of, and released`() throws {
        var machine = machine(north)
        let (key, place) = (try Samples.fileKey(), AssetLocation("photo.jpg"))
        let chunks = begin(key, Self.chunk + 5, &machine)
        #expect(chunks.map(\.count) == [Self.chunk, 5])
        #expect(machine.handle(.received(chunks[0]), at: start) == [.write(chunks[0])])
        #expect(machine.handle(.received(chunks[1]), at: start) == [.write(chunks[1])])
        #expect(machine.handle(.written(key, nil), at: start) == [], "one chunk is not written yet")
        #expect(machine.handle(.written(key, nil), at: start) == [.commit(north)])
        #expect(machine.removeComplete(of: north) == [key])
        #expect(machine.handle(.committed(north, [key: .success(place)]), at: start) == [.stored(key, place)])
        let digest = Samples.digest([1])
        #expect(machine.handle(.durable(key, digest), at: start) == [.send(.release(key, digest))])
        #expect(machine.handle(.letGo(key), at: start) == [])
        #expect(machine.nextInstant(at: start) == nil && machine.pendingCount == 0)
    }

    @Test func `files that become whole while others are stored are stored together after them`() throws {
        var machine = machine(north)
        let keys = try (1...4).map { try Samples.fileKey($0) }
        let chunks = keys.flatMap { begin($0, 10, &machine) }
        #expect(write(chunks[0], &machine) == [.commit(north)])
        #expect(machine.removeComplete(of: north) == [keys[0]])
        for chunk in chunks[1...] { #expect(write(chunk, &machine) == []) }
        let place = AssetLocation("photo.jpg")
        let actions = machine.handle(.committed(north, [keys[0]: .success(place)]), at: start)
        #expect(actions == [.stored(keys[0], place), .commit(north)])
        #expect(machine.removeComplete(of: north) == Array(keys[1...]))
    }

    @Test func `a node whose files the store does not write takes nothing from another`() throws {
        var machine = machine(north, south)
        let stuck = try Samples.fileKey(1, "north/cam")
        var asked = begin(stuck, Self.chunk * 1000, isAwaited: false, &machine)
        while !asked.isEmpty {
            let actions = machine.handle(.received(asked.removeFirst()), at: start)
            asked += actions.requests
        }
        #expect(machine.pendingCount == CollectQueue.unwrittenLimit)
        let key = try Samples.fileKey(2, "south/cam")
        let chunks = begin(key, 10, &machine)
        #expect(chunks.count == 1)
        #expect(write(chunks[0], &machine) == [.commit(south)], "while all of the other node's waits")
    }

    @Test func `chunks of all nodes together are bounded, and each node has one all the same`() throws {
        let nodes = try (1...40).map { try NodeName("node\($0)") }
        var machine = CollectMachine(rate: .unlimited)
        for node in nodes { _ = machine.handle(.connected(node), at: start) }
        var last: [CollectChunk] = []
        for (number, node) in nodes.enumerated() {
            let key = try Samples.fileKey(Int64(number + 1), "\(node)/cam")
            last = begin(key, Self.chunk * 1000, &machine)
        }
        let full = CollectMachine.unwrittenLimit / CollectQueue.window
        #expect(machine.pendingCount == CollectMachine.unwrittenLimit + nodes.count - full && last.count == 1)
        #expect(machine.nextInstant(of: nodes[39], at: start) == start + CollectQueue.patience.next, "not at once")
        #expect(write(last[0], &machine).requests.count == 1, "the next one follows")
    }

    @Test func `what fails for a reason that may pass is tried again later, and what arrived damaged at once`() throws {
        var machine = machine(north)
        let key = try Samples.fileKey()
        let chunk = try #require(begin(key, 10, &machine).first)
        _ = machine.handle(.received(chunk), at: start)
        let full = StorageError(.noSpace, "append to", key, "the disk is full")
        let actions = machine.handle(.written(key, full), at: start)
        #expect(actions == [.suspend(key), .failed(key, RigProblem(full))])
        let due = try #require(machine.nextInstant(at: start))
        #expect(due == start + CollectRetries.delay.next)
        #expect(machine.handle(.timePassed, at: due) == [.begin(key, file(10))])

        let again = machine.handle(.begun(key, file(10), .success(.resume(at: 10))), at: due)
        #expect(again == [.commit(north)] && machine.removeComplete(of: north) == [key])
        let damaged = StorageError(.corrupted, "commit", key, "other bytes")
        let begun = machine.handle(.committed(north, [key: .failure(damaged)]), at: due)
        #expect(begun == [.tellDamaged(key, RigProblem(damaged)), .begin(key, file(10))])
    }

    @Test func `a node that is away is asked for nothing, and for the rest of its files when it is back`() throws {
        var machine = machine(north)
        let key = try Samples.fileKey()
        let chunks = begin(key, Self.chunk * 3, &machine)
        _ = write(chunks[0], &machine)
        #expect(machine.handle(.disconnected(north), at: start) == [])
        let silence = start + CollectQueue.patience.next
        #expect(machine.handle(.timePassed, at: silence) == [], "it has just been looked at")
        let due = try #require(machine.nextInstant(at: silence))
        #expect(machine.handle(.timePassed, at: due) == [.requireHello(north)])
        #expect(machine.handle(.durable(try Samples.fileKey(9), nil), at: due) == [])
        let actions = machine.handle(.connected(north), at: due)
        #expect(actions.first == .send(.release(try Samples.fileKey(9), nil)))
        #expect(actions.requests == Array(chunks[1...]))
        #expect(machine.handle(.received(chunks[0]), at: due) == [.ignored(chunks[0])], "it was written before")
    }

    @Test func `chunks that do not come are asked for again`() throws {
        var machine = machine(north)
        let chunks = begin(try Samples.fileKey(), Self.chunk * 2, &machine)
        let due = try #require(machine.nextInstant(of: north, at: start))
        #expect(machine.handle(.timePassed, at: due) == [.tellOverdue(north)] + chunks.map { .send(.request($0)) })
    }

    @Test func `a rate that changes counts from the next request on`() throws {
        var machine = machine(north, rate: .bytesPerSecond(Self.chunk * 10))
        #expect(begin(try Samples.fileKey(), Self.chunk * 3, &machine).count == 1)
        #expect(machine.handle(.timePassed, at: start).requests.isEmpty)
        machine.pace(.unlimited)
        #expect(machine.handle(.timePassed, at: start).requests.count == 2)
        machine.pace(.bytesPerSecond(Self.chunk * 10))
        #expect(begin(try Samples.fileKey(2), Self.chunk * 3, &machine).count == 1)
    }

    @Test func `a rate is kept across nodes`() throws {
        var machine = machine(north, south, rate: .bytesPerSecond(Self.chunk * 10))
        #expect(begin(try Samples.fileKey(1, "north/cam"), Self.chunk * 9, &machine).count == 1)
        #expect(begin(try Samples.fileKey(2, "south/cam"), Self.chunk * 9, &machine).isEmpty)
        let next = start + .milliseconds(100)
        #expect(machine.nextInstant(at: start) == next)
        let asked = machine.handle(.timePassed, at: next).requests
        #expect(asked.map(\.node) == [south])
    }

    @Test func `a file that is given up is forgotten, and one that is whole comes to its own end`() throws {
        var machine = machine(north)
        let (gone, whole) = (try Samples.fileKey(1), try Samples.fileKey(2))
        let chunks = begin(gone, Self.chunk, &machine) + begin(whole, 10, &machine)
        #expect(machine.handle(.abandoned(gone), at: start) == [.forget(gone)])
        #expect(machine.handle(.received(chunks[0]), at: start) == [.ignored(chunks[0])])
        _ = machine.handle(.received(chunks[1]), at: start)
        #expect(machine.handle(.abandoned(whole), at: start) == [])
        let lost = RigProblem(.fileLost, "it is gone")
        #expect(machine.handle(.refused(whole, lost), at: start) == [])
        #expect(machine.files(of: whole.capture.shot) == [whole])
    }
}

extension CollectAction {
    fileprivate var isRequest: Bool { if case .send(.request) = self { true } else { false } }
}

extension [CollectAction] {
    /// The chunks that are asked for.
    fileprivate var requests: [CollectChunk] {
        compactMap { action in if case .send(.request(let chunk)) = action { chunk } else { nil } }
    }
}
