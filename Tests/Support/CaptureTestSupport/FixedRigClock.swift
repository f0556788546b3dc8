public import CaptureModel
public import ZeroMQ

/// A rig clock a microsecond ahead of the local one.
public struct FixedRigClock: RigTimeSource {
    public static let id = RigClockID(rawValue: "rig-1")
    public var clockID: RigClockID? { Self.id }

    public init() {}

    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        BoundedRigTime(time: RigTime(nanoseconds: local.nanoseconds + 1000), bound: .microseconds(50))
    }

    public func localTime(at rig: RigTime) -> LocalTime? {
        LocalTime(nanoseconds: rig.nanoseconds) - .microseconds(1)
    }
}

extension RouterSocket {
    /// Binds to an endpoint that another socket has just been closed on: libzmq lets go of it some time after `close()`.
    /// The test's time limit ends a wait that would never end.
    /// - Returns: The endpoint with its port.
    public nonisolated func bindWhenFree(to endpoint: String) async throws -> String {
        while true {
            if let bound = try await bindIfFree(to: endpoint) { return bound }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private nonisolated func bindIfFree(to endpoint: String) async throws -> String? {
        do {
            return try await bind(to: endpoint)
        } catch {
            guard error.code == "EADDRINUSE" else { throw error }
            return nil
        }
    }
}

/// Random numbers that are the same in every run, for tests that try many cases.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    public init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    public mutating func next() -> UInt64 {
        numbers.next()
    }
}
