import PosixSupport
package import RigAccess
package import StorageKit

/// A store without a disk. While it is held, writes wait.
package actor MemoryKeys: DocumentStore {
    private var stored: [UInt8]?
    private var failure: StorageError?
    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []
    /// Yields whenever a write begins.
    package nonisolated let writes: AsyncStream<Void>
    private nonisolated let write: AsyncStream<Void>.Continuation

    package init() {
        (writes, write) = AsyncStream.makeStream()
    }

    package func read() -> [UInt8]? { stored }

    package func store(_ document: [UInt8]) { stored = document }

    package func fail(_ error: StorageError?) { failure = error }

    package func hold() { isHeld = true }

    package func release() {
        isHeld = false
        for write in held { write.resume() }
        held = []
    }

    package func replace(with document: [UInt8]) async throws(StorageError) {
        write.yield()
        if isHeld { await withCheckedContinuation { held.append($0) } }
        if let failure { throw failure }
        stored = document
    }

    /// Waits until a write has begun.
    package func hasBegunToWrite() async {
        for await _ in writes { return }
    }
}

/// An audit log without a disk.
package final class MemoryAudit: AccessAudit {
    private struct State {
        var events: [AccessEvent] = []
        var refusal: AuditRefusal?
        var onCommit: (@Sendable (AccessEvent) -> Void)?
    }

    private let state = Locked(State())

    package init() {}

    package var events: [AccessEvent] { state.withLock { $0.events } }

    package func fail(_ reason: String?) { state.withLock { $0.refusal = reason.map { AuditRefusal($0) } } }

    package func onCommit(_ body: @escaping @Sendable (AccessEvent) -> Void) { state.withLock { $0.onCommit = body } }

    package func commit(_ event: AccessEvent) throws(AuditRefusal) {
        let (refusal, body) = state.withLock { ($0.refusal, $0.onCommit) }
        if let refusal { throw refusal }
        body?(event)
        record(event)
    }

    package func record(_ event: AccessEvent) { state.withLock { $0.events.append(event) } }
}
