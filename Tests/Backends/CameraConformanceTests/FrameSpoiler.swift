import CameraKit
import CaptureModel
import PosixSupport
import VirtualDevices

/// Spoils frames as a flaw says, and keeps the wrong books.
final class FrameSpoiler: Sendable {
    private struct State {
        var passed = 0
        var dropped: UInt64 = 0
        var looks: UInt64 = 0
        var stops = 0
        var memory: [SharedMemory] = []
    }

    private let flaw: Flaw
    private let state = Locked(State())

    init(_ flaw: Flaw) {
        self.flaw = flaw
    }

    var dropped: UInt64 { state.withLock { $0.dropped } }
    var stops: Int { state.withLock { $0.stops } }

    func look() -> UInt64 {
        state.withLock { state in
            state.looks += 1
            return state.looks
        }
    }

    func stop() {
        state.withLock { state in
            state.stops += 1
            for memory in state.memory { memory.erase() }
        }
    }

    func pass(_ frame: CameraFrame, to frames: AsyncStream<CameraFrame>.Continuation) {
        let number = state.withLock { state in
            state.passed += 1
            return state.passed
        }
        if flaw == .hiddenLosses, number % 3 == 0 { return }
        if case .dropped = frames.yield(spoilt(frame)) { state.withLock { $0.dropped += 1 } }
    }

    private func spoilt(_ frame: CameraFrame) -> CameraFrame {
        var frame = frame
        switch flaw {
        case .halfFrames: frame.lease = FrameLease(Array(frame.lease.bytes.prefix(frame.lease.byteCount / 2)))
        case .sameSequence: frame.sequence = 7
        case .futureStamps: frame.midExposure = frame.dequeued + .seconds(1)
        case .changingLease:
            let memory = SharedMemory(frame.lease.bytes)
            state.withLock { $0.memory.append(memory) }
            frame.lease = memory.lease
        default: break
        }
        return frame
    }
}

/// Bytes that somebody changes while a lease on them is held; which is the flaw.
@safe private final class SharedMemory: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ content: [UInt8]) {
        unsafe bytes = .allocate(byteCount: content.count, alignment: 1)
        unsafe bytes.copyBytes(from: content)
    }

    deinit {
        unsafe bytes.deallocate()
    }

    var lease: FrameLease {
        unsafe FrameLease(borrowing: UnsafeRawBufferPointer(bytes)) { [self] in _ = self }
    }

    func erase() {
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
}
