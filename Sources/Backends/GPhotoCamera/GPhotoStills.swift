import CameraKit
import CaptureModel
import PosixSupport

/// Passes requests for pictures to the thread of a camera, and its pictures back. Usable from any thread.
final class GPhotoStills: StillSource {
    /// What the thread is to be told.
    enum Request {
        case picture(UInt64, at: LocalTime, withRaw: Bool)
        case durable(UInt64)
    }

    private typealias Waiter = CheckedContinuation<Result<TakenPicture, CameraError>, Never>

    private struct State {
        var requests: [Request] = []
        var waiters: [UInt64: Waiter] = [:]
        var last: UInt64 = 0
        var largest: TakenPicture.ByteCount
        /// Why there will be no more pictures.
        var ending: CameraError?
    }

    let lag: Duration
    let hasRawFiles = true
    private let state: Locked<State>
    private let signal: EventFlag

    /// - Parameter signal: Wakes the thread.
    init(lag: Duration, byteCount: TakenPicture.ByteCount, signal: EventFlag) {
        self.lag = lag
        self.signal = signal
        state = Locked(State(largest: byteCount))
    }

    var byteCount: TakenPicture.ByteCount { state.withLock { $0.largest } }

    func picture(at instant: LocalTime, withRaw: Bool) async throws(CameraError) -> TakenPicture {
        let result: Result<TakenPicture, CameraError> = await withCheckedContinuation { waiter in
            let ending = state.withLock { state -> CameraError? in
                if let ending = state.ending { return ending }
                state.last += 1
                state.waiters[state.last] = waiter
                state.requests.append(.picture(state.last, at: instant, withRaw: withRaw))
                return nil
            }
            if let ending { waiter.resume(returning: .failure(ending)) } else { signal.signal() }
        }
        return try result.get()
    }

    func isDurable(_ picture: TakenPicture.Number) {
        state.withLock { state in
            if state.ending == nil { state.requests.append(.durable(picture.value)) }
        }
        signal.signal()
    }

    // MARK: The thread's side

    /// Returns the requests since the last call, in order.
    func takeRequests() -> [Request] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    func answer(_ id: UInt64, _ result: Result<TakenPicture, CameraError>) {
        let waiter = state.withLock { state in
            if case .success(let picture) = result {
                state.largest.photo = max(state.largest.photo, picture.files.photo?.count ?? 0)
                state.largest.raw = max(state.largest.raw, picture.files.raw?.bytes.count ?? 0)
            }
            return state.waiters.removeValue(forKey: id)
        }
        waiter?.resume(returning: result)
    }

    /// Ends every request, and later ones.
    func end(_ ending: CameraError) {
        let waiters = state.withLock { state in
            state.ending = state.ending ?? ending
            state.requests = []
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: .failure(ending)) }
    }
}
