import CaptureModel
import PosixSupport
import Synchronization

/// The outputs attached to one session. While there are none, a frame costs the session one look at a flag.
public final class SessionOutputs: Sendable {
    private let attached = Locked<[any FrameOutput]>([])
    /// Whether there are any; a frame that comes while this changes may be offered or not.
    private let isAnyAttached = Atomic<Bool>(false)

    public init() {}

    /// Offers the session's frames to an output from here on; harmless when they already are.
    public func attach(_ output: any FrameOutput) {
        change { outputs in
            if !outputs.contains(where: { $0 === output }) { outputs.append(output) }
        }
    }

    /// Ends that; harmless when they are not.
    public func detach(_ output: any FrameOutput) {
        change { outputs in outputs.removeAll { $0 === output } }
    }

    /// How many outputs there are.
    public var count: Int { attached.withLock(\.count) }

    /// Whether there are none; one look at a flag.
    var isEmpty: Bool { !isAnyAttached.load(ordering: .acquiring) }

    /// Offers a good frame to every output that is connected. Called on the session's thread; waits for nobody.
    func offer(_ frame: OfferedFrame, where isConnected: (CaptureOutputKind) -> Bool) {
        for output in attached.withLock(\.self) where isConnected(output.kind) { output.offer(frame) }
    }

    private func change(_ body: (inout [any FrameOutput]) -> Void) {
        attached.withLock { outputs in
            body(&outputs)
            isAnyAttached.store(!outputs.isEmpty, ordering: .releasing)
        }
    }
}
