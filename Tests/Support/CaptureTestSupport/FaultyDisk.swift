import Glibc
public import PosixSupport

/// A disk that fails on order, and remembers every step it was asked for. Usable from any thread.
public final class FaultyDisk: Sendable {
    public enum Failure: Sendable {
        /// From this step on nothing works any more, as when the process is killed just before it.
        case crash(at: Int)
        /// Only this step fails.
        case once(at: Int, code: CInt)
        /// Every step of this kind fails.
        case every(FileStep, code: CInt)
    }

    private struct State: Sendable {
        var failure: Failure?
        var steps: [FileStep] = []
    }

    private let state = Locked(State())

    public init() {}

    /// Forgets the steps so far and fails as told from here on.
    public func fail(_ failure: Failure?) {
        state.withLock { $0 = State(failure: failure) }
    }

    /// The steps since the last call of ``fail(_:)``.
    public var steps: [FileStep] { state.withLock { $0.steps } }

    /// To be given to what works on files.
    public var fault: FileFault {
        { [self] step, _ in
            state.withLock { state in
                let index = state.steps.count
                state.steps.append(step)
                switch state.failure {
                case .crash(let at) where index >= at: return EIO
                case .once(let at, let code) where index == at: return code
                case .every(let kind, let code) where kind == step: return code
                default: return nil
                }
            }
        }
    }
}
